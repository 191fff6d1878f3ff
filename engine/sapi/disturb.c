/* Where PHP code yields with the chaos scheduler. See disturb.h.
 *
 * Around each C function that PHP code calls; where a class is looked for; and by PHP's own interrupts, which come at loops and
 * calls and as a function begins that C code calls: a comparison of usort(), a stream wrapper's method, an output handler, a
 * destructor, also those that the collector runs, and those at the end. PHP forgets an interrupt when it has come, and looks
 * again at once (ZEND_VM_ENTER_EX(), Zend/zend_vm_execute.h, 8.2, 8.4), so one that asked for the next would never go on:
 * instead, instructions after which C code may call PHP code ask for one. What the JIT has compiled does not, but for what it
 * leaves to PHP.
 *
 * And where files are looked for, opened and compiled, below opcache: a stream wrapper or an error handler may run PHP code
 * there, in the middle of what opcache does. */
#include "disturb.h"
#include "run.h"
#include "../coroutine/chaos.h"

static bool on;
static zend_class_entry *(*autoload)(zend_string *name, zend_string *lower_case_name);
static void (*call_internal)(zend_execute_data *call, zval *result);
static zend_string *(*resolve)(zend_string *filename);
static zend_result (*stream_open)(zend_file_handle *file);
static zend_op_array *(*compile)(zend_file_handle *file, int type);

/* A function returns (to C code, that may call the next one); a value goes, and with it an object that has a destructor; an
 * object is asked for text, an element, a property, the next of its values; a loop counts. */
static const zend_uchar asking[] = {
    ZEND_RETURN,
    ZEND_RETURN_BY_REF,
    ZEND_UNSET_CV,
    ZEND_UNSET_VAR,
    ZEND_UNSET_DIM,
    ZEND_UNSET_OBJ,
    ZEND_UNSET_STATIC_PROP,
    ZEND_ASSIGN,
    ZEND_ASSIGN_DIM,
    ZEND_ASSIGN_OBJ,
    ZEND_ASSIGN_STATIC_PROP,
    ZEND_FREE,
    ZEND_ECHO,
    ZEND_CONCAT,
    ZEND_FAST_CONCAT,
    ZEND_ROPE_ADD,
    ZEND_ROPE_END,
    ZEND_CAST,
    ZEND_CLONE,
    ZEND_FETCH_DIM_R,
    ZEND_FETCH_OBJ_R,
    ZEND_ISSET_ISEMPTY_DIM_OBJ,
    ZEND_ISSET_ISEMPTY_PROP_OBJ,
    ZEND_FE_RESET_R,
    ZEND_FE_FETCH_R,
    ZEND_PRE_INC,
    ZEND_PRE_DEC,
    ZEND_POST_INC,
    ZEND_POST_DEC,
};

static int ask(zend_execute_data *execute_data) {
  (void)execute_data;
  if (howdah_realm_current()) howdah_interrupt_php();
  return ZEND_USER_OPCODE_DISPATCH;
}

/* A function that C code called has returned to it; zend_call_function() lets interrupts come there, too. */
static bool is_back_in_c(const zend_execute_data *frame) {
  return !frame || !frame->func || !ZEND_USER_CODE(frame->func->type);
}

/* C code has just called this function. */
static bool is_called_by_c(const zend_execute_data *frame) {
  return ZEND_CALL_INFO(frame) & ZEND_CALL_TOP && frame->opline <= frame->func->op_array.opcodes + ZEND_CALL_NUM_ARGS(frame);
}

void howdah_disturb_code(const zend_execute_data *frame) {
  if (!on) return;
  bool back_in_c = is_back_in_c(frame);
  howdah_chaos_yield(back_in_c || is_called_by_c(frame) ? HOWDAH_CHAOS_OFTEN : HOWDAH_CHAOS_IN_CODE);
  if (back_in_c) howdah_interrupt_php(); /* as the next one begins */
}

static zend_class_entry *disturb_autoload(zend_string *name, zend_string *lower_case_name) {
  howdah_chaos_yield(HOWDAH_CHAOS_OFTEN);
  zend_class_entry *class = autoload(name, lower_case_name);
  howdah_chaos_yield(HOWDAH_CHAOS_OFTEN);
  return class;
}

static zend_string *disturb_resolve(zend_string *filename) {
  howdah_chaos_yield(HOWDAH_CHAOS_OFTEN);
  zend_string *path = resolve(filename);
  howdah_chaos_yield(HOWDAH_CHAOS_OFTEN);
  return path;
}

static zend_result disturb_open(zend_file_handle *file) {
  howdah_chaos_yield(HOWDAH_CHAOS_OFTEN);
  return stream_open(file);
}

static zend_op_array *disturb_compile(zend_file_handle *file, int type) {
  howdah_chaos_yield(HOWDAH_CHAOS_OFTEN);
  zend_op_array *code = compile(file, type);
  howdah_chaos_yield(HOWDAH_CHAOS_OFTEN);
  return code;
}

static void disturb_call(zend_execute_data *call, zval *result) {
  howdah_chaos_yield(HOWDAH_CHAOS_AT_CALL);
  if (howdah_realm_current()) howdah_interrupt_php();
  call_internal(call, result);
  howdah_chaos_yield(HOWDAH_CHAOS_AT_CALL);
}

static bool wanted;

void howdah_disturb_wanted(void) {
  wanted = true;
}

void howdah_disturb_files(void) {
  if (!wanted) return;
  resolve = zend_resolve_path;
  zend_resolve_path = disturb_resolve;
  stream_open = zend_stream_open_function;
  zend_stream_open_function = disturb_open;
  compile = zend_compile_file;
  zend_compile_file = disturb_compile;
}

void howdah_disturb_php(void) {
  on = true;
  autoload = zend_autoload;
  if (autoload) zend_autoload = disturb_autoload;
  call_internal = zend_execute_internal ? zend_execute_internal : execute_internal;
  zend_execute_internal = disturb_call;
  /* Fails only for an opcode that cannot have one (Zend/zend_execute.c). */
  for (size_t i = 0; i < sizeof(asking) / sizeof(*asking); i++)
    if (!zend_get_user_opcode_handler(asking[i])) zend_set_user_opcode_handler(asking[i], ask);
}
