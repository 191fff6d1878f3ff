/* PHP code that recurses through C code (array_map(), __toString(), destructors) runs out of C stack before it runs out of memory.
 * PHP 8.3 measures the stack at each such call (zend.max_allowed_stack_size); PHP 8.2 dies, which would take all requests of the
 * worker with it. Here the first touch of the stack's reserve opens it and asks for a VM interrupt, and at the next function that
 * PHP code enters, the request ends with a fatal error, as recursion in PHP code alone ends at memory_limit. C code that recurses by
 * itself (freeing a list of a million objects, serialize()) never gets there: when the reserve is used up too, the process dies as it
 * would have, and the log says of what. */
#include "overflow.h"
#include "run.h"
#include "sapi.h"
#include "../coroutine/coroutine.h"
#include "../hooks/families.h"
#include "../log.h"

#include <signal.h>
#include <stdlib.h>

/* AddressSanitizer has a handler of its own. */
#if !defined(__SANITIZE_ADDRESS__)

enum { HANDLER_STACK_BYTES = 64 * 1024 };

static struct sigaction before;

static void die(howdah_coroutine *coroutine, int signal, const siginfo_t *info) {
  howdah_real_sigaction(signal, &before, NULL);
  howdah_realm *realm = (howdah_realm *)coroutine;
  bool overflow = coroutine && (char *)info->si_addr < coroutine->stack.low &&
                  (char *)info->si_addr >= coroutine->stack.low - HOWDAH_STACK_RESERVE_BYTES - 64 * 1024;
  if (coroutine && info->si_code > 0)
    howdah_log(HOWDAH_LOG_ERROR, realm->request, "howdah: %s while PHP served this request: the worker process dies",
               overflow ? "the C stack was exhausted" : "a segmentation fault");
  /* Else the instruction that failed is tried again when this returns. */
  if (info->si_code <= 0) raise(signal);
}

static void on_fault(int signal, siginfo_t *info, void *context) {
  (void)context;
  howdah_coroutine *coroutine = howdah_coroutine_current();
  if (coroutine && info->si_code > 0 && howdah_stack_is_reserve(&coroutine->stack, info->si_addr) &&
      howdah_stack_open_reserve(&coroutine->stack)) {
    howdah_interrupt_php();
    return;
  }
  die(coroutine, signal, info);
}

int howdah_overflow_attach(void) {
  static char *handler_stack;
  if (!handler_stack && !(handler_stack = malloc(HANDLER_STACK_BYTES))) return -1;
  stack_t stack = {.ss_sp = handler_stack, .ss_size = HANDLER_STACK_BYTES};
  if (sigaltstack(&stack, NULL) < 0) return -1;
  struct sigaction action;
  memset(&action, 0, sizeof(action));
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  return howdah_real_sigaction(SIGSEGV, &action, &before);
}

#else

int howdah_overflow_attach(void) {
  return 0;
}

#endif

static void (*interrupt)(zend_execute_data *execute_data);

static void tell(howdah_coroutine *coroutine) {
  const void *here = __builtin_frame_address(0);
  howdah_stack_close_reserve(&coroutine->stack, here);
  if (!coroutine->stack.reserve_open) return;
  /* Again, until the stack has been unwound: destructors and shutdown functions may recurse too. */
  howdah_interrupt_php();
  if (howdah_stack_is_reserve(&coroutine->stack, here))
    zend_error_noreturn(E_ERROR, "Maximum call stack size of %d bytes reached. Infinite recursion?", HOWDAH_STACK_BYTES);
}

static void on_interrupt(zend_execute_data *execute_data) {
  howdah_coroutine *coroutine = howdah_coroutine_current();
  if (coroutine && coroutine->stack.reserve_open) tell(coroutine);
  if (interrupt) interrupt(execute_data);
}

void howdah_overflow_hook_php(void) {
  interrupt = zend_interrupt_function;
  zend_interrupt_function = on_interrupt;
}
