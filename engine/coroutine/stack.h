/* C stacks for coroutines: address space reserved, pages touched on demand; below each a reserve, and a guard page below that.
 *
 * The reserve may not be touched either, until code that recurses too deep does: it is then opened, so that the code can go on to
 * where it can be told (engine/sapi/overflow.c), and closed again when the stack has been unwound. */
#ifndef HOWDAH_COROUTINE_STACK_H
#define HOWDAH_COROUTINE_STACK_H

#include <stdbool.h>
#include <stddef.h>

enum {
  /* As a main thread has: PHP's own tests recurse deep in the engine; only touched pages count. */
  HOWDAH_STACK_BYTES = 8 * 1024 * 1024,
  HOWDAH_STACK_RESERVE_BYTES = 512 * 1024,
  /* So far above the reserve the code must be that closes it from the same stack: the functions that it calls for that have their
   * frames below, and what is in the reserve goes. */
  HOWDAH_STACK_MARGIN_BYTES = 32 * 1024
};

typedef struct {
  char *low;         /* the lowest usable byte, above the reserve */
  size_t bytes;      /* usable */
  bool reserve_open; /* more than that has been used */
  unsigned valgrind_id;
} howdah_stack;

/* 0, or -1 with errno. */
int howdah_stack_take(howdah_stack *stack);
/* Gives it back: some are kept for the next one. */
void howdah_stack_give(howdah_stack *stack);
/* Whether an address is in the reserve below. */
bool howdah_stack_is_reserve(const howdah_stack *stack, const void *address);
/* Opens the reserve; false when it is open already or the kernel refuses. May be called in a signal handler. */
bool howdah_stack_open_reserve(howdah_stack *stack);
/* Closes it when the stack pointer is above it by HOWDAH_STACK_MARGIN_BYTES. */
void howdah_stack_close_reserve(howdah_stack *stack, const void *stack_pointer);
/* Frees those that were kept. */
void howdah_stack_free_kept(void);

#endif
