/* A cancelled request's PHP code ends as by exit: no further instruction of it runs, nor its finally blocks; local objects are
 * destroyed, then shutdown functions and destructors run, and may wait. connection_status() says why: CONNECTION_ABORTED or
 * CONNECTION_TIMEOUT. */
#include "sapi.h"
#include "../log.h"
#include "../realm/pool.h"
#include "run.h"
#include "unwind.h"

bool howdah_sapi_ignores_abort(const howdah_realm *realm) {
  howdah_state_enter(realm->coroutine.state);
  bool ignores = PG(ignore_user_abort);
  howdah_state_leave();
  return ignores;
}

/* On the main stack, so that it is said also of a request that does not end. */
static void tell(const howdah_realm *realm) {
  if (!realm->request || !howdah_request_is_real(realm->request)) return; /* a boot, which nobody waits for */
  const char *file = zend_get_executed_filename();
  unsigned line = zend_get_executed_lineno();
  if (realm->cancelled == HOWDAH_TIME_LIMIT)
    howdah_log(
        HOWDAH_LOG_ERROR, realm->request,
        "howdah: the time limit of the request (%llu ms, howdah_request_timeout) has passed: answered 504; PHP was in %s on "
        "line %u",
        (unsigned long long)(realm->pool->request_timeout_us / 1000), file, line);
  else if (realm->cancelled == HOWDAH_BY_OPERATOR)
    howdah_log(HOWDAH_LOG_ERROR, realm->request, "howdah: ended by the operator (howdah top): %s; PHP was in %s on line %u",
               realm->answered ? "its client had its answer" : "answered 504", file, line);
  else if (realm->cancelled == HOWDAH_SHUTDOWN)
    howdah_log(HOWDAH_LOG_ERROR, realm->request, "howdah: the server stops: the request ends early; PHP was in %s on line %u",
               file, line);
}

/* Modules that keep connections, or what they know of servers, beyond a request in tables of their own, which nobody else can
 * look into; others use EG(persistent_list). mongodb: its persistent clients (php_phongo_client_register(), phongo_client.c,
 * 1.15); libmongoc does not ask a server again for 5 s that has not greeted it (MONGOC_TOPOLOGY_COOLDOWN_MS, 1.23). grpc:
 * grpc_persistent_list (ext/grpc/php_grpc.c), and when each is to be tried again. */
static bool keeps_connections(const zend_function *function) {
  static const char *const keepers[] = {"mongodb", "grpc"};
  if (!function || function->type != ZEND_INTERNAL_FUNCTION) return false;
  /* FFI's, of a library's function, leaves the module as it was (zend_ffi_get_func(), ext/ffi/ffi.c, 8.2). */
  if (function->common.fn_flags & ZEND_ACC_CALL_VIA_TRAMPOLINE || !function->internal_function.module) return false;
  for (size_t i = 0; i < sizeof(keepers) / sizeof(*keepers); i++)
    if (strcmp(function->internal_function.module->name, keepers[i]) == 0) return true;
  return false;
}

/* A wait fails because the request is cancelled: what such a module thinks of its server now would fail the next request. Also
 * when it has called PHP code (a subscriber) that waits. */
static void retire_with_connections(howdah_realm *realm) {
  for (const zend_execute_data *frame = EG(current_execute_data); frame; frame = frame->prev_execute_data) {
    if (!keeps_connections(frame->func)) continue;
    howdah_realm_retire(realm);
    return;
  }
}

static void interrupt(void) {
  howdah_realm *realm = howdah_realm_current();
  if (realm->fate != HOWDAH_GIVEN_UP) {
    retire_with_connections(realm);
    tell(realm);
  }
  PG(connection_status) |= realm->cancelled <= HOWDAH_BODY_REFUSED ? PHP_CONNECTION_ABORTED : PHP_CONNECTION_TIMEOUT;
  howdah_interrupt_php();
}

void howdah_sapi_begin_unwinding(howdah_realm *realm) {
  if (realm->unwinding) return;
  realm->unwinding = true;
  if (realm->cancelled) php_output_set_status(PHP_OUTPUT_DISABLED);
}

/* A destructor is run to its end: it may be the first code that runs after a library has thrown its error, and has to roll
 * back. */
static bool in_destructor(void) {
  for (const zend_execute_data *frame = EG(current_execute_data); frame; frame = frame->prev_execute_data) {
    const zend_function *function = frame->func;
    if (function && function->common.scope && function->common.scope->destructor == function) return true;
  }
  return false;
}

/* The interrupt must not be asked for again from here: the VM looks at it before it goes on, and would come back for ever. */
void howdah_unwind(void) {
  howdah_realm *realm = howdah_realm_current();
  zend_execute_data *frame = EG(current_execute_data);
  if (!frame || (realm->unwinding && realm->fate != HOWDAH_GIVEN_UP))
    return; /* PHP's own code, as at the end of a request; or it ends already */
  if (EG(exception) && zend_is_unwind_exit(EG(exception))) return;
  bool in_c = !frame->func || !ZEND_USER_CODE(frame->func->type);
  if (in_c && EG(exception)) return;                                      /* it ends by itself */
  if (!in_c && realm->fate != HOWDAH_GIVEN_UP && in_destructor()) return; /* after it: with the next tick, or wait */
  howdah_sapi_begin_unwinding(realm);
  if (in_c) {
    /* It has no instruction to go on from: its caller looks for an exception (zend_throw_exception_internal(), 8.2). */
    EG(exception) = zend_create_unwind_exit();
  } else {
    /* A library's own, which nobody has caught yet. Freeing it may run code. */
    if (EG(exception)) zend_clear_exception();
    zend_throw_unwind_exit();
  }
}

/* What unwinding frees (a statement, a pipe), and what C code goes on with, must not wait for what the request would have
 * waited for. Destructors, shutdown functions and the request's end may. */
static bool refuses(void) {
  const howdah_realm *realm = howdah_realm_current();
  if (realm->fate == HOWDAH_GIVEN_UP) return true;
  if (EG(exception) && zend_is_unwind_exit(EG(exception))) return true;
  if (realm->unwinding || !EG(current_execute_data) || in_destructor()) return false;
  howdah_interrupt_php(); /* the last one may have come in a destructor */
  return true;
}

static void (*shown)(int type, zend_string *file, const uint32_t line, zend_string *message);

/* What a library throws since its wait has failed (a PDOException) may find nobody who catches it before PHP's code is unwound:
 * that is no error of the application, and nobody is to read of it. zend_exception_error() asks so (Zend/zend_exceptions.c,
 * 8.2, 8.4). */
static void on_error(int type, zend_string *file, const uint32_t line, zend_string *message) {
  howdah_realm *realm = howdah_realm_current();
  if (type == (E_ERROR | E_DONT_BAIL) && realm && realm->cancelled && !realm->unwinding && !in_destructor())
    howdah_sapi_begin_unwinding(realm);
  else
    shown(type, file, line, message);
}

void howdah_unwind_start(void) {
  static const howdah_coroutine_end end = {.interrupt = interrupt, .unwind = howdah_unwind, .refuses = refuses};
  howdah_coroutine_on_cancel(&end);
  shown = zend_error_cb;
  zend_error_cb = on_error;
}
