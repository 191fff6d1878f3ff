/* Restarts of opcache as all workers see them. See restart.h. */
#include "restart.h"

#include "../state/php_headers.h"

#include <stdatomic.h>
#include <sys/mman.h>

static _Atomic uint32_t *generation; /* in memory that workers share */
static zif_handler reset;

static void change_from(bool asked) {
  uint32_t now = atomic_load(generation);
  while ((now % 2 == 1) == asked && !atomic_compare_exchange_weak(generation, &now, now + 1)) {
  }
}

void howdah_restart_asked(void) {
  change_from(false);
}

void howdah_restart_done(void) {
  change_from(true);
  howdah_coroutine_current()->code_generation = atomic_load(generation);
}

void howdah_restart_begin(howdah_coroutine *coroutine) {
  coroutine->code_generation = atomic_load(generation);
}

bool howdah_restart_outdates(const howdah_coroutine *coroutine) {
  return coroutine->code_generation != atomic_load(generation);
}

/* True: a restart is asked for (ext/opcache/zend_accelerator_module.c, 8.2). A worker whose realms all have booted would not hear of it otherwise:
 * only a request's start looks (accel_activate()). */
static ZEND_FUNCTION(reset_and_tell) {
  reset(execute_data, return_value);
  if (Z_TYPE_P(return_value) == IS_TRUE && howdah_coroutine_current()) howdah_restart_asked();
}

int howdah_restart_start(void) {
  void *shared = mmap(NULL, sizeof(*generation), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return -1;
  generation = shared;
  zend_internal_function *function = zend_hash_str_find_ptr(CG(function_table), "opcache_reset", sizeof("opcache_reset") - 1);
  if (!function) return 0; /* no opcache, or disable_functions took it away */
  reset = function->handler;
  function->handler = ZEND_FN(reset_and_tell);
  return 0;
}
