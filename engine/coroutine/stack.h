/* C stacks for coroutines: address space reserved, pages touched on demand, a guard page below. */
#ifndef HOWDAH_COROUTINE_STACK_H
#define HOWDAH_COROUTINE_STACK_H

#include <stddef.h>

enum {
  /* As a main thread has: PHP's own tests recurse deep in the engine; only touched pages count. */
  HOWDAH_STACK_BYTES = 8 * 1024 * 1024
};

typedef struct {
  char *low;    /* the lowest usable byte, above the guard page */
  size_t bytes; /* usable */
  unsigned valgrind_id;
} howdah_stack;

/* 0, or -1 with errno. */
int howdah_stack_take(howdah_stack *stack);
/* Gives it back: some are kept for the next one. */
void howdah_stack_give(howdah_stack *stack);
/* Frees those that were kept. */
void howdah_stack_free_kept(void);

#endif
