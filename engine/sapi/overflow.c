/* Recursion on the C stack. Under php-fpm it ends the child where its 8 MB are used up; here that would take all requests of
 * the worker with it.
 *
 *  1. C code that recurses by itself (freeing, serializing or comparing what is nested deep, compiling a long expression) goes
 *     on: the first touch of a stack's depth (coroutine/stack.h) opens it, and so on. It has HOWDAH_STACK_DEPTH_BYTES for each
 *     stack, a Fiber's too, beside memory_limit.
 *  2. PHP code that recurses through C code (array_map(), __toString(), destructors) is told where the stack itself is used up:
 *     a touch of the depth asks for a VM interrupt, too, and at the next function that PHP code enters, the request ends with a
 *     fatal error, as recursion in PHP code alone ends at memory_limit. From PHP 8.3 on PHP mostly comes first: it measures the
 *     stack at such calls, and throws an Error (zend.max_allowed_stack_size).
 *  3. Where the depth is used up, too, the request ends with a fatal error from within the C code (at_the_end()), and its realm
 *     after it. Where that cannot be done, the process dies as it would have, and the log says of what (crash.c).
 *
 * The rule for PHP code that finds the depth open: it is either so far above it that it can be closed
 * (HOWDAH_STACK_MARGIN_BYTES), or its request ends. There is nothing between: whoever went on with an open depth would be asked
 * again at once, for ever, and whoever closed it from just above would take the frames away in which it is closed. */
#include "overflow.h"
#include "exhaustion.h"
#include "run.h"
#include "sapi.h"
#include "../coroutine/coroutine.h"
#include "../hooks/map.h"
#include "../state/loaded.h"
#include "../state/version.h"

#include <dlfcn.h>
#include <ucontext.h>
#include <unistd.h>

enum { JUMP_BYTES = 64 * 1024, RED_ZONE_BYTES = 128, END_BYTES = 192 * 1024, HURRY_BYTES = 384 * 1024 };

/* ---- Fibers ---- */

/* In a Fiber's context: its howdah_map; NULL: it has none. */
static int slot = -1;

static howdah_map *map_of(const zend_fiber_context *context) {
  return context->reserved[slot];
}

static zend_fiber_context *fiber(void) {
  zend_fiber_context *context = EG(current_fiber_context);
  bool is_one = context && context != EG(main_fiber_context) && slot >= 0 && map_of(context) && map_of(context)->open;
  return is_one ? context : NULL;
}

static size_t guard_bytes(void) {
  return ZEND_FIBER_GUARD_PAGES * (size_t)sysconf(_SC_PAGESIZE);
}

/* PHP's guard page is a part of it. */
static howdah_depth fiber_depth(zend_fiber_context *context) {
  const howdah_fiber_stack *stack = (const howdah_fiber_stack *)context->stack;
  howdah_depth depth = howdah_depth_below(stack->pointer - guard_bytes());
  depth.low = stack->pointer;
  depth.bytes += guard_bytes();
  depth.open = map_of(context)->open;
  return depth;
}

/* zend_fiber_init_context(), Zend/zend_fibers.c, 8.2, 8.4. */
static void on_fiber(zend_fiber_context *context) {
  const howdah_fiber_stack *stack = (const howdah_fiber_stack *)context->stack;
  howdah_map *map = howdah_map_born(stack->pointer - guard_bytes());
  if (map && map->open) map->open = stack->pointer;
  context->reserved[slot] = map;
}

static void on_end_of_fiber(zend_fiber_context *context) {
  if (map_of(context)) howdah_map_dies(map_of(context));
}

/* ---- The end of the depth ---- */

static struct { uintptr_t start, end; } php_code;

static void find_code(const void *inside) {
  struct dl_phdr_info object;
  if (!howdah_loaded_find(inside, &object)) return;
  const ElfW(Phdr) *part = howdah_loaded_part_at(&object, PT_LOAD, inside);
  if (!(part->p_flags & PF_X)) return;
  php_code.start = howdah_loaded_start(&object, part);
  php_code.end = php_code.start + part->p_memsz;
}

static ZEND_COLD ZEND_NORETURN void fail(size_t bytes) {
  zend_error_noreturn(E_ERROR, "Maximum call stack size of %zu bytes reached. Infinite recursion?", bytes);
}

#if defined(__x86_64__)
/* The code that recursed is left where it is, as by any fatal error of what it calls; what it had begun is given up with its
 * realm. */
static ZEND_COLD ZEND_NORETURN void at_the_end(void) {
  howdah_realm_retire(howdah_realm_current());
  zend_error_noreturn(
      E_ERROR,
      "Maximum call stack size of %zu bytes reached. Is what is freed, compared, serialized or compiled nested too deep?",
      (size_t)HOWDAH_STACK_DEPTH_BYTES);
}

/* push, or call: a function is about to begin, and has done nothing yet. */
static bool enters_function(const unsigned char *code) {
  if (code[0] == 0x41) code++; /* REX.B: a register from r8 on */
  return (code[0] & 0xf8) == 0x50 || code[0] == 0xe8 || (code[0] == 0xff && (code[1] & 0x38) == 0x10);
}

/* In PHP's own code, best where it enters a function. A library may hold a lock, the front-end is in the midst of its own: they
 * go on for another page, and so does PHP in the midst of a function, as long as there is much left. Then it is there, or the
 * process. */
static bool may_end(const howdah_coroutine *coroutine, const ucontext_t *context, size_t left) {
  const unsigned char *code = (const unsigned char *)context->uc_mcontext.gregs[REG_RIP];
  if ((uintptr_t)code < php_code.start || (uintptr_t)code >= php_code.end || coroutine->hooks_off) return false;
  if (left < END_BYTES || (left >= HURRY_BYTES && !enters_function(code))) return false;
  return howdah_realm_current() && howdah_exhaustion_may_bail_out();
}

static bool end_request(const howdah_coroutine *coroutine, howdah_depth *depth, ucontext_t *context) {
  greg_t *registers = context->uc_mcontext.gregs;
  uintptr_t stack = (uintptr_t)registers[REG_RSP];
  if (!may_end(coroutine, context, howdah_depth_left(depth, (const void *)stack)) || !howdah_depth_open_all(depth))
    return false;
  /* As if it were called here: 8 bytes off a multiple of 16 (System V ABI for x86-64, 3.2.2). */
  registers[REG_RSP] = (greg_t)(((stack - RED_ZONE_BYTES) & ~(uintptr_t)15) - sizeof(void *));
  registers[REG_RIP] = (greg_t)(uintptr_t)at_the_end;
  return true;
}

static const char *stack_pointer(const ucontext_t *context) {
  return (const char *)context->uc_mcontext.gregs[REG_RSP];
}
#else
static bool end_request(const howdah_coroutine *coroutine, howdah_depth *depth, ucontext_t *context) {
  (void)coroutine, (void)depth, (void)context;
  return false;
}

static const char *stack_pointer(const ucontext_t *context) {
#if defined(__aarch64__)
  return (const char *)context->uc_mcontext.sp;
#else
  (void)context;
  return NULL;
#endif
}
#endif

/* ---- In the handler ---- */

/* Code touches its own frame, and not more below it than the red zone and what is about to be pushed: whatever else is touched
 * down there is a wild pointer. */
static bool is_frame(const char *address, const ucontext_t *context) {
  const char *pointer = stack_pointer(context);
  return !pointer || address >= pointer - 2 * RED_ZONE_BYTES;
}

static bool grow(howdah_coroutine *coroutine, howdah_depth *depth, const void *address, ucontext_t *context) {
  if (!howdah_depth_holds(depth, address) || !is_frame(address, context)) return false;
  if (howdah_depth_is_last(depth, address) && end_request(coroutine, depth, context)) return true;
  if (!howdah_depth_open(depth, address)) return false;
  howdah_interrupt_php();
  return true;
}

bool howdah_overflow_grow(const void *address, void *context) {
  howdah_coroutine *coroutine = howdah_coroutine_current();
  zend_fiber_context *in = coroutine ? fiber() : NULL;
  if (!coroutine) return false;
  if (!in) return grow(coroutine, &coroutine->stack.depth, address, context);
  howdah_depth depth = fiber_depth(in);
  bool grown = grow(coroutine, &depth, address, context);
  map_of(in)->open = depth.open;
  return grown;
}

bool howdah_overflow_is(const void *address) {
  howdah_coroutine *coroutine = howdah_coroutine_current();
  if (!coroutine) return false;
  zend_fiber_context *in = fiber();
  howdah_depth depth = in ? fiber_depth(in) : coroutine->stack.depth;
  const char *at = address, *end = depth.low - depth.bytes;
  return at < end + JUMP_BYTES && at >= end - JUMP_BYTES;
}

/* ---- When PHP code goes on ---- */

static void (*interrupt)(zend_execute_data *execute_data);

static void tell(howdah_depth *depth, size_t stack_bytes) {
  howdah_depth_close(depth, __builtin_frame_address(0), depth->low + stack_bytes);
  if (!howdah_depth_is_open(depth)) return;
  /* Again, until the stack has been unwound: destructors and shutdown functions may recurse too. */
  howdah_interrupt_php();
  fail(stack_bytes);
}

/* The Fiber ends with the fatal error, and its stack with it. */
static void tell_fiber(zend_fiber_context *in) {
  howdah_depth depth = fiber_depth(in);
  tell(&depth, ((const howdah_fiber_stack *)in->stack)->size);
  map_of(in)->open = depth.open;
}

static void on_interrupt(zend_execute_data *execute_data) {
  howdah_coroutine *coroutine = howdah_coroutine_current();
  zend_fiber_context *in = coroutine ? fiber() : NULL;
  if (in && map_of(in)->open != ((const howdah_fiber_stack *)in->stack)->pointer)
    tell_fiber(in);
  else if (coroutine && !in && howdah_depth_is_open(&coroutine->stack.depth))
    tell(&coroutine->stack.depth, coroutine->stack.bytes);
  if (interrupt) interrupt(execute_data);
}

void howdah_overflow_hook_php(void) {
  void *code = dlsym(RTLD_DEFAULT, "zend_hash_destroy");
  if (code) find_code(code);
  interrupt = zend_interrupt_function;
  zend_interrupt_function = on_interrupt;
  slot = zend_get_resource_handle("Howdah");
  if (slot < 0) return;
  zend_observer_fiber_init_register(on_fiber);
  zend_observer_fiber_destroy_register(on_end_of_fiber);
  howdah_maps_begin();
}
