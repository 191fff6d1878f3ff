/* PHP's backtrace from outside. See trace.h.
 *
 * Nothing is allocated and no code of PHP's runs: frames and names are read where they are, under a guard (guard.h), as they
 * are when a realm parks, or when a signal comes. */
#include "trace.h"
#include "guard.h"

enum { STEPS_MAX = 100000 };

static bool is_code(const zend_execute_data *frame) {
  return frame->func && ZEND_USER_CODE(frame->func->type);
}

const zend_execute_data *howdah_trace_code(const zend_execute_data *frame) {
  unsigned steps = STEPS_MAX;
  while (frame && !is_code(frame) && steps-- > 0)
    frame = frame->prev_execute_data;
  return frame && is_code(frame) ? frame : NULL;
}

/* zend_get_executed_lineno() (Zend/zend_execute_API.c, 8.2). */
unsigned howdah_trace_line(const zend_executor_globals *executor, const zend_execute_data *frame) {
  const zend_op *instruction = frame->opline ? frame->opline : frame->func->op_array.opcodes;
  if (executor->exception && instruction->opcode == ZEND_HANDLE_EXCEPTION && executor->opline_before_exception)
    instruction = executor->opline_before_exception;
  return instruction->lineno;
}

static howdah_str text_of(const zend_string *text) {
  return text ? (howdah_str){ZSTR_VAL(text), ZSTR_LEN(text)} : (howdah_str){"", 0};
}

/* "class@anonymous", without the place where it was declared, which follows a zero. */
static howdah_str name_of(const zend_string *text) {
  return text ? (howdah_str){ZSTR_VAL(text), strnlen(ZSTR_VAL(text), ZSTR_LEN(text))} : (howdah_str){"", 0};
}

static const zend_executor_globals *executor_of(const howdah_realm *realm) {
  return howdah_state_find(&realm->state, &executor_globals);
}

/* ---- Where it stands ---- */

typedef struct {
  const zend_executor_globals *executor;
  void (*tell)(void *to, const howdah_spot *spot);
  void *to;
  bool told;
} place_teller;

static void tell_place(void *data) {
  place_teller *self = data;
  const zend_execute_data *top = self->executor->current_execute_data, *code = howdah_trace_code(top);
  if (!code) return;
  howdah_spot spot = {.class = {"", 0}, .function = {"", 0}};
  if (top != code && top->func) {
    spot.function = name_of(top->func->common.function_name);
    if (top->func->common.scope) spot.class = name_of(top->func->common.scope->name);
  }
  spot.file = text_of(code->func->op_array.filename);
  spot.line = howdah_trace_line(self->executor, code);
  self->tell(self->to, &spot);
  self->told = true;
}

bool howdah_trace_place(const howdah_realm *realm, void (*tell)(void *to, const howdah_spot *spot), void *to) {
  place_teller self = {.executor = executor_of(realm), .tell = tell, .to = to};
  return howdah_guarding(tell_place, &self) && self.told;
}

/* ---- The way there ---- */

typedef struct {
  const zend_executor_globals *executor;
  unsigned most;
  void (*tell)(void *to, const howdah_frame *frame);
  void *to;
} frame_teller;

static void name(howdah_frame *frame, const zend_function *function) {
  static const char included[] = "[INCLUDE_OR_EVAL]";
  frame->class = frame->function = (howdah_str){"", 0};
  if (!function->common.function_name) {
    frame->function = (howdah_str){included, sizeof(included) - 1};
    return;
  }
  frame->function = name_of(function->common.function_name);
  if (!function->common.scope || function->common.fn_flags & ZEND_ACC_CLOSURE) return;
  frame->class = name_of(function->common.scope->name);
  frame->is_static = function->common.fn_flags & ZEND_ACC_STATIC;
}

/* Of frames that PHP makes to stand on: of a generator that is delegated to, of a fiber that begins. */
static bool is_nobodys(const zend_function *function) {
  return !function || (!function->common.function_name && !ZEND_USER_CODE(function->type));
}

/* As php-fpm's slow log (fpm_php_trace_dump(), sapi/fpm/fpm/fpm_php_trace.c, 8.2): each call with the line that makes it, but
 * for the script itself, which nobody calls. */
static void tell_frames(void *data) {
  const frame_teller *self = data;
  unsigned left = self->most, steps = STEPS_MAX;
  const zend_execute_data *at = self->executor->current_execute_data;
  for (; at && left > 0 && steps > 0; at = at->prev_execute_data, steps--) {
    const zend_execute_data *caller = howdah_trace_code(at->prev_execute_data);
    if (!caller) return;
    if (is_nobodys(at->func)) continue;
    howdah_frame frame = {.address = (uintptr_t)at,
                          .file = text_of(caller->func->op_array.filename),
                          .line = howdah_trace_line(self->executor, caller)};
    name(&frame, at->func);
    self->tell(self->to, &frame);
    left--;
  }
}

bool howdah_trace_each(const howdah_realm *realm, unsigned most, void (*tell)(void *to, const howdah_frame *frame), void *to) {
  frame_teller self = {.executor = executor_of(realm), .most = most, .tell = tell, .to = to};
  return howdah_guarding(tell_frames, &self);
}
