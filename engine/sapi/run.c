/* Runs scripts. See run.h. */
#include "run.h"
#include "sapi.h"
#include "../coroutine/chaos.h"

void howdah_run_script(howdah_realm *realm) {
  zend_file_handle file;
  realm->coroutine.hooks_off = 0;
  /* By name: opcache answers from memory and opens the file only when it must. */
  zend_stream_init_filename(&file, SG(request_info).path_translated);
  file.primary_script = 1;
#if PHP_VERSION_ID >= 80300
  /* The limit on recursion is measured from the stack that runs, not from the process's first one (Zend/zend_call_stack.c). */
  EG(stack_base) = realm->coroutine.stack.low + realm->coroutine.stack.bytes;
  EG(stack_limit) = realm->coroutine.stack.low + EG(reserved_stack_size);
#endif
  php_execute_script(&file);
  zend_destroy_file_handle(&file);
}

static zend_op_array *(*compile)(zend_file_handle *file, int type);
static void (*interrupt)(zend_execute_data *execute_data);
static zend_class_entry *(*autoload)(zend_string *name, zend_string *lower_case_name);

/* opcache keeps the key of what it compiles, and the compiler its place, in memory that realms share (accel_globals.key,
 * ext/opcache/ZendAccelerator.c): code that runs inside a compilation (an error handler, a user's stream wrapper) blocks. */
static zend_op_array *compile_without_parking(zend_file_handle *file, int type) {
  howdah_realm *realm = howdah_realm_current();
  if (!realm) return compile(file, type);
  howdah_chaos_yield();
  realm->coroutine.hooks_off++; /* a compile error that bails out ends the script: howdah_run_script() starts from 0 */
  zend_op_array *code = compile(file, type);
  realm->coroutine.hooks_off--;
  if (realm->coroutine.preempted) howdah_coroutine_yield();
  howdah_chaos_yield();
  return code;
}

static void ask_for_interrupt(void) {
  zend_atomic_bool_store_ex(&EG(vm_interrupt), true);
}

static void ask_by_chance(void) {
  if (howdah_realm_current() && howdah_chaos_coin()) ask_for_interrupt();
}

/* In a signal handler. */
void howdah_slice_is_over(void) {
  ask_for_interrupt();
}

/* Between two instructions of PHP code: at loops and calls. C code cannot be interrupted (a long regular expression, a sort). */
static void on_interrupt(zend_execute_data *execute_data) {
  howdah_coroutine *coroutine = howdah_coroutine_current();
  howdah_chaos_yield();
  ask_by_chance();
  if (coroutine && coroutine->preempted && !coroutine->hooks_off) howdah_coroutine_yield();
  if (interrupt) interrupt(execute_data);
}

static zend_class_entry *chaos_autoload(zend_string *name, zend_string *lower_case_name) {
  howdah_chaos_yield();
  zend_class_entry *class = autoload(name, lower_case_name);
  howdah_chaos_yield();
  ask_by_chance();
  return class;
}

void howdah_hook_php(bool chaos) {
  compile = zend_compile_file;
  zend_compile_file = compile_without_parking;
  interrupt = zend_interrupt_function;
  zend_interrupt_function = on_interrupt;
  autoload = zend_autoload;
  if (chaos && autoload) zend_autoload = chaos_autoload;
}
