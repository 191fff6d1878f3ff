/* Restarts of opcache as all workers see them. See restart.h. */
#include "restart.h"

#include "../state/php_headers.h"

#include <stdatomic.h>
#include <sys/mman.h>

static struct {
  _Atomic uint32_t generation;
  _Atomic uint32_t saves; /* of files of the application */
  _Atomic uint32_t shown; /* of these, and of files that pages show */
} * shared;               /* in memory that workers share */
static const char reset_name[] = "opcache_reset";
static zif_handler reset;

/* NULL: disable_functions has taken it away. */
static zend_function *find_function(void) {
  return zend_hash_str_find_ptr(CG(function_table), reset_name, sizeof(reset_name) - 1);
}

static void change_from(bool asked) {
  uint32_t now = atomic_load(&shared->generation);
  while ((now % 2 == 1) == asked && !atomic_compare_exchange_weak(&shared->generation, &now, now + 1)) {
  }
}

void howdah_restart_asked(void) {
  change_from(false);
}

void howdah_restart_done(void) {
  change_from(true);
  howdah_coroutine_current()->code_generation = atomic_load(&shared->generation);
}

void howdah_restart_begin(howdah_coroutine *coroutine) {
  coroutine->code_generation = atomic_load(&shared->generation);
  coroutine->code_save = atomic_load(&shared->saves);
}

uint32_t howdah_restart_save(bool is_code) {
  if (!shared) return 0; /* PHP has not been started: nothing is served by it */
  if (is_code) atomic_fetch_add(&shared->saves, 1);
  return atomic_fetch_add(&shared->shown, 1) + 1;
}

uint32_t howdah_restart_shown(void) {
  return shared ? atomic_load(&shared->shown) : 0;
}

uint32_t howdah_restart_saves(void) {
  return shared ? atomic_load(&shared->saves) : 0;
}

bool howdah_restart_is_saved_over(const howdah_coroutine *coroutine) {
  return coroutine->code_save != atomic_load(&shared->saves);
}

bool howdah_restart_outdates(const howdah_coroutine *coroutine) {
  return howdah_restart_is_saved_over(coroutine) || coroutine->code_generation != atomic_load(&shared->generation);
}

/* True: a restart is asked for (ext/opcache/zend_accelerator_module.c, 8.2). A worker whose realms all have booted would not
 * hear of it otherwise: only a request's start looks (accel_activate()). */
static ZEND_FUNCTION(reset_and_tell) {
  reset(execute_data, return_value);
  if (Z_TYPE_P(return_value) == IS_TRUE && howdah_coroutine_current()) howdah_restart_asked();
}

/* opcache_reset() looks at the script that calls it where opcache.restrict_api is set (validate_api_restriction(),
 * ext/opcache/zend_accelerator_module.c, 8.2 and 8.4); here nobody's script does. */
bool howdah_restart_ask(void) {
  char *path = SG(request_info).path_translated;
  zval result;
  zend_execute_data frame = {0};
  if (!reset) return false;
  ZVAL_FALSE(&result);
  frame.func = find_function();
  SG(request_info).path_translated = INI_STR("opcache.restrict_api");
  reset(&frame, &result);
  SG(request_info).path_translated = path;
  if (Z_TYPE(result) != IS_TRUE) return false;
  howdah_restart_asked();
  return true;
}

/* Where disable_functions has taken it away from scripts, too. */
static zif_handler find_reset(void) {
  const zend_module_entry *opcache = zend_hash_str_find_ptr(&module_registry, "zend opcache", sizeof("zend opcache") - 1);
  for (const zend_function_entry *entry = opcache ? opcache->functions : NULL; entry && entry->fname; entry++)
    if (strcmp(entry->fname, reset_name) == 0) return entry->handler;
  return NULL;
}

int howdah_restart_start(void) {
  void *memory = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return -1;
  shared = memory;
  reset = find_reset();
  zend_function *function = find_function();
  if (reset && function && function->internal_function.handler == reset)
    function->internal_function.handler = ZEND_FN(reset_and_tell);
  return 0;
}
