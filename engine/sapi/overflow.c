/* PHP code that recurses through C code (array_map(), __toString(), destructors) runs out of C stack before it runs out of memory.
 * PHP 8.3 measures the stack at each such call (zend.max_allowed_stack_size); PHP 8.2 dies, which would take all requests of the
 * worker with it. Here the first touch of the stack's reserve opens it and asks for a VM interrupt, and at the next function that
 * PHP code enters, the request ends with a fatal error, as recursion in PHP code alone ends at memory_limit. C code that recurses by
 * itself (freeing a list of a million objects, serialize()) never gets there: when the reserve is used up too, the process dies as it
 * would have, and the log says of what (crash.c).
 *
 * The rule for PHP code that finds the reserve open: it is either so far above it that the reserve can be closed (HOWDAH_STACK_MARGIN_BYTES), or
 * its request ends. There is nothing between: whoever went on with an open reserve would be asked again at once, for ever, and whoever closed
 * it from just above would take the frames away in which it is closed.
 *
 * A Fiber's stack is PHP's: its lowest part is made a reserve as the Fiber is born. Not from PHP 8.3 on, whose Error comes later and can
 * be caught. */
#include "overflow.h"
#include "run.h"
#include "sapi.h"
#include "../coroutine/coroutine.h"
#include "../state/version.h"

#include <sys/mman.h>
#include <unistd.h>

enum { FIBER_RESERVE_BYTES = 256 * 1024, JUMP_BYTES = 64 * 1024 };

/* The stack of the Fiber that runs, or NULL. */
static const howdah_fiber_stack *fiber_stack(void) {
  const zend_fiber_context *context = EG(current_fiber_context);
  if (!context || context == EG(main_fiber_context)) return NULL;
  return (const howdah_fiber_stack *)context->stack;
}

static size_t fiber_reserve_bytes(const howdah_fiber_stack *stack) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE), quarter = stack->size / 4;
  return quarter > FIBER_RESERVE_BYTES ? FIBER_RESERVE_BYTES : quarter / page * page;
}

static bool open_reserve_of_fiber(howdah_coroutine *coroutine, const char *address) {
#ifndef ZEND_CHECK_STACK_LIMIT
  const howdah_fiber_stack *stack = fiber_stack();
  size_t bytes = stack ? fiber_reserve_bytes(stack) : 0;
  if (!bytes || address < stack->pointer || address >= stack->pointer + bytes) return false;
  if (mprotect(stack->pointer, bytes, PROT_READ | PROT_WRITE) < 0) return false;
  coroutine->fiber_reserve = stack->pointer;
  return true;
#else
  (void)coroutine, (void)address;
  return false;
#endif
}

bool howdah_overflow_open_reserve(const void *address) {
  howdah_coroutine *coroutine = howdah_coroutine_current();
  if (!coroutine) return false;
  bool opened = howdah_stack_is_reserve(&coroutine->stack, address) ? howdah_stack_open_reserve(&coroutine->stack)
                                                                    : open_reserve_of_fiber(coroutine, address);
  if (opened) howdah_interrupt_php();
  return opened;
}

bool howdah_overflow_is(const void *address) {
  const howdah_coroutine *coroutine = howdah_coroutine_current();
  if (!coroutine) return false;
  const howdah_fiber_stack *fiber = fiber_stack();
  const char *at = address, *end = fiber ? fiber->pointer : coroutine->stack.low - HOWDAH_STACK_RESERVE_BYTES;
  return at < end && at >= end - JUMP_BYTES;
}

static void (*interrupt)(zend_execute_data *execute_data);

static ZEND_COLD ZEND_NORETURN void fail(size_t bytes) {
  zend_error_noreturn(E_ERROR, "Maximum call stack size of %zu bytes reached. Infinite recursion?", bytes);
}

static void tell(howdah_coroutine *coroutine) {
  const void *here = __builtin_frame_address(0);
  howdah_stack_close_reserve(&coroutine->stack, here);
  if (!coroutine->stack.reserve_open) return;
  /* Again, until the stack has been unwound: destructors and shutdown functions may recurse too. */
  howdah_interrupt_php();
  fail(HOWDAH_STACK_BYTES);
}

/* The Fiber ends with the fatal error, and its stack with it. */
static void tell_fiber(howdah_coroutine *coroutine) {
  const howdah_fiber_stack *stack = fiber_stack();
  char *reserve = coroutine->fiber_reserve;
  coroutine->fiber_reserve = NULL;
  if (!stack || stack->pointer != reserve) return; /* it was left in between: what is open stays so until it ends */
  size_t bytes = fiber_reserve_bytes(stack);
  if ((const char *)__builtin_frame_address(0) < reserve + bytes + HOWDAH_STACK_MARGIN_BYTES) fail(stack->size - bytes);
  if (mprotect(reserve, bytes, PROT_NONE) < 0) coroutine->fiber_reserve = reserve;
}

static void on_interrupt(zend_execute_data *execute_data) {
  howdah_coroutine *coroutine = howdah_coroutine_current();
  if (coroutine && coroutine->stack.reserve_open) tell(coroutine);
  if (coroutine && coroutine->fiber_reserve) tell_fiber(coroutine);
  if (interrupt) interrupt(execute_data);
}

#if !defined(ZEND_CHECK_STACK_LIMIT) && !defined(__SANITIZE_ADDRESS__)
/* zend_fiber_init_context(), Zend/zend_fibers.c, 8.2. Where the kernel refuses, or the stack is not where it should be, the Fiber is as it is
 * under php-fpm. */
static void on_fiber(zend_fiber_context *context) {
  const howdah_fiber_stack *stack = (const howdah_fiber_stack *)context->stack;
  const char *handle = context->handle;
  size_t bytes = fiber_reserve_bytes(stack);
  bool is_its_own = handle >= stack->pointer && handle < stack->pointer + stack->size;
  if (is_its_own && bytes) mprotect(stack->pointer, bytes, PROT_NONE);
}

static void watch_fibers(void) {
  zend_observer_fiber_init_register(on_fiber);
}
#else
static void watch_fibers(void) {}
#endif

void howdah_overflow_hook_php(void) {
  interrupt = zend_interrupt_function;
  zend_interrupt_function = on_interrupt;
  watch_fibers();
}
