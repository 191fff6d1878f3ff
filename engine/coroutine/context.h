/* The raw context switch of Boost.Context (fcontext, C interface; declared in no C header of its own). A raw switch is enough:
 * all that zend_fiber_switch_context() saves besides is in executor_globals and is switched with the state. */
#ifndef HOWDAH_COROUTINE_CONTEXT_H
#define HOWDAH_COROUTINE_CONTEXT_H

#include <stddef.h>

typedef void *howdah_context;

typedef struct {
  howdah_context from;
  void *data;
} howdah_transfer;

extern howdah_transfer jump_fcontext(howdah_context to, void *data);
extern howdah_context make_fcontext(void *stack_top, size_t size, void (*entry)(howdah_transfer));

#endif
