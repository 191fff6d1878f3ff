/* Runs scripts. See run.h. */
#include "run.h"
#include "disturb.h"
#include "ini.h"
#include "jit.h"
#include "sapi.h"
#include "shutdown.h"
#include "unwind.h"
#include "../coroutine/chaos.h"
#include "../hooks/opcache.h"
#include "../log.h"

/* zend_call_stack_init() (Zend/zend_call_stack.c, 8.3 and later) for the stack that runs: it knows the process's first one.
 * Fibers set their own and put this back. */
void howdah_limit_recursion(const howdah_realm *realm) {
#ifdef ZEND_CHECK_STACK_LIMIT
  const howdah_stack *stack = &realm->coroutine.stack;
  size_t bytes = stack->bytes;
  EG(stack_base) = EG(stack_limit) = NULL;
  if (EG(max_allowed_stack_size) == ZEND_MAX_ALLOWED_STACK_SIZE_UNCHECKED) return;
  if (EG(max_allowed_stack_size) > 0 && (size_t)EG(max_allowed_stack_size) < bytes) bytes = (size_t)EG(max_allowed_stack_size);
  EG(stack_base) = stack->low + stack->bytes;
  EG(stack_limit) = zend_call_stack_limit(EG(stack_base), bytes, EG(reserved_stack_size));
#else
  (void)realm;
#endif
}

/* php-fpm opens the script before anything of it runs (fpm_main.c, 8.2): what open_basedir refuses is 404. With
 * php_execute_script() alone it would be a page of warnings, and with what opcache has in memory it would run. A worker script
 * that is refused does not boot. */
static bool is_refused(const howdah_realm *realm) {
  const char *script = SG(request_info).path_translated;
  if (!realm->request || !PG(open_basedir) || !*PG(open_basedir) || !script) return false;
  if (php_check_open_basedir(script) == 0) return false;
  howdah_log(HOWDAH_LOG_ERROR, realm->request, "howdah: open_basedir refuses the script \"%s\": it is answered 404", script);
  SG(sapi_headers).http_response_code = 404;
  PUTS("No input file specified.\n");
  return true;
}

static void run_script(const howdah_realm *realm) {
  zend_file_handle file;
  if (is_refused(realm)) return;
  /* By name: opcache answers from memory and opens the file only when it must. */
  zend_stream_init_filename(&file, SG(request_info).path_translated);
  file.primary_script = 1;
  php_execute_script(&file);
  zend_destroy_file_handle(&file);
}

bool howdah_run_request(howdah_realm *realm) {
  volatile bool started = false;
  zend_try {
    howdah_opcache_own_pattern_keys();
    if (howdah_sapi_request_begin(realm) && howdah_ini_begin(realm) && php_request_startup() == SUCCESS) {
      started = true;
      howdah_shutdown_prepare();
      run_script(realm);
    }
  }
  zend_end_try();
  return started;
}

void howdah_interrupt_php(void) {
  zend_atomic_bool_store_ex(&EG(vm_interrupt), true);
}

static zend_op_array *(*compile)(zend_file_handle *file, int type);
static void (*interrupt)(zend_execute_data *execute_data);

/* PHP code may run inside a compilation (an error handler, a stream wrapper), and wait: what the compiler and opcache keep
 * meanwhile is the realm's (state/hidden/opcache.c). */
static zend_op_array *compile_and_yield(zend_file_handle *file, int type) {
  howdah_coroutine *coroutine = howdah_coroutine_current();
  zend_op_array *volatile code = NULL;
  if (!coroutine) return compile(file, type);
  howdah_chaos_yield(HOWDAH_CHAOS_OFTEN);
  zend_try {
    code = compile(file, type);
  }
  zend_catch {
    howdah_jit_after_bailout();
    zend_bailout();
  }
  zend_end_try();
  howdah_coroutine_yield_when_due();
  howdah_chaos_yield(HOWDAH_CHAOS_OFTEN);
  return code;
}

/* Between two instructions of PHP code: at loops and calls. C code cannot be interrupted (a long regular expression, a sort). */
static void on_interrupt(zend_execute_data *execute_data) {
  howdah_coroutine *coroutine = howdah_coroutine_current();
  howdah_disturb_code(execute_data);
  howdah_coroutine_yield_when_due();
  if (interrupt) interrupt(execute_data);
  if (coroutine && coroutine->ending && !coroutine->hooks_off) howdah_unwind();
}

void howdah_hook_php(bool chaos) {
  compile = zend_compile_file;
  zend_compile_file = compile_and_yield;
  if (chaos) howdah_disturb_php();
}

void howdah_hook_interrupts(void) {
  interrupt = zend_interrupt_function;
  zend_interrupt_function = on_interrupt;
}
