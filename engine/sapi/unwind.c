/* A cancelled request's PHP code ends as by exit: no further instruction of it runs, nor its finally blocks; local objects are destroyed,
 * then shutdown functions and destructors run, and may wait. connection_status() says why: CONNECTION_ABORTED or CONNECTION_TIMEOUT. */
#include "sapi.h"
#include "../log.h"
#include "../realm/pool.h"
#include "unwind.h"

bool howdah_sapi_ignores_abort(const howdah_realm *realm) {
  howdah_state_enter(realm->coroutine.state);
  bool ignores = PG(ignore_user_abort);
  howdah_state_leave();
  return ignores;
}

static void tell(const howdah_realm *realm) {
  const char *file = zend_get_executed_filename();
  unsigned line = zend_get_executed_lineno();
  if (realm->cancelled == HOWDAH_TIME_LIMIT)
    howdah_log(
        HOWDAH_LOG_ERROR, realm->request,
        "howdah: the time limit of the request (%llu ms, howdah_request_timeout) has passed: answered 504; PHP was in %s on "
        "line %u",
        (unsigned long long)(realm->pool->request_timeout_us / 1000), file, line);
  else if (realm->cancelled == HOWDAH_SHUTDOWN)
    howdah_log(HOWDAH_LOG_ERROR, realm->request, "howdah: the server stops: the request ends early; PHP was in %s on line %u",
               file, line);
}

void howdah_sapi_begin_unwinding(howdah_realm *realm) {
  realm->coroutine.cancelled = realm->given_up;
  realm->coroutine.unwinding = realm->cancelled;
  if (realm->unwinding) return;
  realm->unwinding = true;
  if (!realm->cancelled) return;
  tell(realm);
  PG(connection_status) |= realm->cancelled == HOWDAH_CLIENT_GONE ? PHP_CONNECTION_ABORTED : PHP_CONNECTION_TIMEOUT;
  php_output_set_status(PHP_OUTPUT_DISABLED);
}

bool howdah_unwinds(void) {
  return EG(exception) && zend_is_unwind_exit(EG(exception));
}

void howdah_unwind(void) {
  zend_execute_data *frame = EG(current_execute_data);
  if (!frame || EG(exception)) return; /* PHP's own code, as at the end of a request; or it unwinds already */
  howdah_sapi_begin_unwinding(howdah_realm_current());
  if (frame->func && ZEND_USER_CODE(frame->func->type)) {
    zend_throw_unwind_exit();
  } else {
    /* A C function has no instruction to go on from: its caller looks for an exception (zend_throw_exception_internal(), 8.2). */
    EG(exception) = zend_create_unwind_exit();
  }
}
