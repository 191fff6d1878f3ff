/* C stacks for coroutines: address space reserved, pages touched on demand. Below each is its depth: address space that may not
 * be touched either, until code that recurses deep does (engine/sapi/overflow.c). It is then opened from above, as far as it is
 * needed, and closed again, and its memory given back, when the stack has been unwound, or the request ends. At its very end
 * are a last part, in which a request that used up the rest can be ended, and a guard page.
 *
 * Neither costs memory nor a mapping of its own while it is closed: it is one PROT_NONE mapping with the guard page. Where
 * address space is short (RLIMIT_AS), a small depth has to do. */
#ifndef HOWDAH_COROUTINE_STACK_H
#define HOWDAH_COROUTINE_STACK_H

#include <stdbool.h>
#include <stddef.h>

enum {
  /* As a main thread has: PHP's own tests recurse deep in the engine; only touched pages count. */
  HOWDAH_STACK_BYTES = 8 * 1024 * 1024,
  /* What C code may use beyond that. */
  HOWDAH_STACK_DEPTH_BYTES = 256 * 1024 * 1024,
  HOWDAH_STACK_SMALL_DEPTH_BYTES = 512 * 1024,
  HOWDAH_STACK_LAST_BYTES = 512 * 1024,
  /* So far above the depth the code must be that closes it from the same stack: the functions that it calls for that have their
   * frames below, and what is in the depth goes. */
  HOWDAH_STACK_MARGIN_BYTES = 32 * 1024
};

/* What is below a stack. */
typedef struct {
  char *low;    /* the lowest byte of the stack */
  char *open;   /* the lowest byte that may be touched: low itself while more was not needed */
  size_t bytes; /* all of it, with the guard page */
} howdah_depth;

typedef struct {
  char *low;    /* the lowest byte, above the depth */
  size_t bytes; /* without the depth */
  howdah_depth depth;
  unsigned valgrind_id;
} howdah_stack;

/* 0, or -1 with errno. */
int howdah_stack_take(howdah_stack *stack);
/* Gives it back: some are kept for the next one. */
void howdah_stack_give(howdah_stack *stack);
/* Gives the kernel what code that has returned has touched of it. By who runs on it; else nothing is done. */
void howdah_stack_forget(const howdah_stack *stack);
/* Frees those that were kept. */
void howdah_stack_free_kept(void);

/* A stack of so many bytes for someone else (a Fiber), with a depth below. NULL where none can be had. */
void *howdah_stack_map(size_t bytes);
/* What is below such a stack, which begins at low. */
howdah_depth howdah_depth_below(char *low);
/* Gives it back, with its depth. 0, or -1 with errno. */
int howdah_stack_unmap(void *low, size_t bytes);

/* Whether an address is in it, above its guard page. */
bool howdah_depth_holds(const howdah_depth *depth, const void *address);
/* Whether an address is in its last part, or below it. */
bool howdah_depth_is_last(const howdah_depth *depth, const void *address);
/* How much is left above the guard page. */
size_t howdah_depth_left(const howdah_depth *depth, const void *address);
/* Opens it from above down to the address and some more, in the last part page by page; false when it is open already or the
 * kernel refuses. May be called in a signal handler. */
bool howdah_depth_open(howdah_depth *depth, const void *address);
/* Opens all of it. May be called in a signal handler. */
bool howdah_depth_open_all(howdah_depth *depth);
static inline bool howdah_depth_is_open(const howdah_depth *depth) {
  return depth->open != depth->low;
}
/* Closes it, where the stack pointer is above it by HOWDAH_STACK_MARGIN_BYTES. */
void howdah_depth_close(howdah_depth *depth, const void *stack_pointer, const void *stack_top);

#endif
