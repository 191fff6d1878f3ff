/* Memory is exhausted where PHP ends its process (engine/hooks/exit.c): here the request ends, with the fatal error that
 * memory_limit ends others with, and its realm after it. The bailout comes from within an allocation, as it does in PHP 8.1 and
 * in 8.2 before 8.2.36 (zend_mm_safe_error(), Zend/zend_alloc.c), so that what PHP's code leaves behind is what it was written
 * for: what is malloc'ed is lost, and a realm that ends loses no more.
 *
 * It is not done, and the process ends with a report,
 *  1. where nobody would catch the bailout: outside of a request and its end (shutdown.c);
 *  2. while the process holds the write lock of opcache: others would read what is half written, as soon as the realm parks. A
 *     process that ends gives the lock back, and takes nothing else with it. */
#include "exhaustion.h"
#include "crash.h"
#include "sapi.h"
#include "../hooks/exit.h"
#include "../log.h"
#include "../state/hidden/hidden.h"
#include "../state/version.h"

#include <stdio.h>
#include <string.h>

/* So far above the place that a bailout leads to may be. Where no coroutine runs, a realm that is parked may be in place, whose
 * own zend_try is on another stack. */
enum { MAIN_STACK_BYTES = 256 * 1024 };

static const bool *opcache_locked; /* NULL: there is no opcache */

bool howdah_exhaustion_may_bail_out(void) {
  const char *target = (const char *)EG(bailout), *here = __builtin_frame_address(0);
  if (!target || (opcache_locked && *opcache_locked)) return false;
  return howdah_coroutine_current() || (target > here && target - here < MAIN_STACK_BYTES);
}

/* The heap holds what it held until the request's end. Shutdown functions get what is left below the limit; above it they get
 * this much. */
static void limit_again(void) {
  enum { REST_BYTES = 4 * 1024 * 1024 };
  if (zend_set_memory_limit((size_t)PG(memory_limit)) == SUCCESS) return;
  zend_set_memory_limit(zend_memory_usage(true) + REST_BYTES);
  howdah_memory_limit_is_hard();
}

static void raise_error(char *message, size_t size) {
  uint32_t line;
  /* Where the limit was passed before, by less, that is the error that PHP would have told of. */
  zend_string *file = howdah_memory_error_take(message, size, &line);
  if (file)
    zend_error_at(E_ERROR, file, line, "%s", message);
  else
    zend_error(E_ERROR, "%s", message);
}

static void end_request(char *message, size_t size) {
  howdah_realm *realm = howdah_realm_current();
  if (!howdah_exhaustion_may_bail_out()) return;
  if (!realm) {
    howdah_log(HOWDAH_LOG_ERROR, NULL, "howdah: %s while a realm is born or ends", message);
  } else if (realm->exhausted) {
    howdah_log(HOWDAH_LOG_ERROR, realm->request, "howdah: out of memory for the message that memory is out");
  } else {
    realm->exhausted = true;
    howdah_realm_retire(realm);
    zend_set_memory_limit(SIZE_MAX); /* for the message */
    zend_try {
      raise_error(message, size);
    }
    zend_end_try();
    realm->exhausted = false;
    limit_again();
  }
  zend_bailout();
}

enum { MESSAGE_BYTES = 1024 };

static void on_limit(size_t bytes) {
  char message[MESSAGE_BYTES];
  int len = snprintf(message, sizeof(message), "Allowed memory size of %zu bytes exhausted", (size_t)PG(memory_limit));
  if (bytes) snprintf(message + len, sizeof(message) - (size_t)len, " (tried to allocate %zu bytes)", bytes);
  end_request(message, sizeof(message));
}

static void on_memory(void) {
  char message[MESSAGE_BYTES];
  snprintf(message, sizeof(message), "Out of memory (allocated %zu bytes)", zend_memory_usage(true));
  end_request(message, sizeof(message));
}

static void on_overflow(const char *what) {
  char message[MESSAGE_BYTES];
  snprintf(message, sizeof(message), "%s", what);
  end_request(message, sizeof(message));
}

void howdah_exhaustion_start(void) {
  static const howdah_exit_ends ends = {
      .limit = on_limit, .memory = on_memory, .overflow = on_overflow, .report = howdah_crash_exit};
  size_t count;
  const howdah_shared *shared = howdah_hidden_shared(&count);
  for (size_t i = 0; i < count; i++)
    if (strcmp(shared[i].name, HOWDAH_SHARED_OPCACHE_LOCKED) == 0) opcache_locked = shared[i].address;
  howdah_exit_on(&ends);
}
