/* Takes stacks from the kernel and keeps a few for the next coroutine. See stack.h. */
#include "stack.h"

#include <sys/mman.h>
#include <unistd.h>

/* Valgrind has to be told where stacks are; where it is not installed there is nobody to tell. */
#if defined(__has_include) && __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#define HOWDAH_VALGRIND 1
#endif

enum { KEPT_MAX = 16 };

static howdah_stack kept[KEPT_MAX];
static size_t kept_count;

int howdah_stack_take(howdah_stack *stack) {
  if (kept_count > 0) {
    *stack = kept[--kept_count];
    return 0;
  }
  size_t guard = (size_t)sysconf(_SC_PAGESIZE);
  char *memory = mmap(NULL, HOWDAH_STACK_BYTES + guard, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) return -1;
  if (mprotect(memory, guard, PROT_NONE) < 0) {
    munmap(memory, HOWDAH_STACK_BYTES + guard);
    return -1;
  }
  madvise(memory + guard, HOWDAH_STACK_BYTES, MADV_NOHUGEPAGE);
  stack->low = memory + guard;
  stack->bytes = HOWDAH_STACK_BYTES;
#ifdef HOWDAH_VALGRIND
  stack->valgrind_id = VALGRIND_STACK_REGISTER(stack->low, stack->low + stack->bytes);
#endif
  return 0;
}

static void unmap(howdah_stack *stack) {
#ifdef HOWDAH_VALGRIND
  VALGRIND_STACK_DEREGISTER(stack->valgrind_id);
#endif
  size_t guard = (size_t)sysconf(_SC_PAGESIZE);
  munmap(stack->low - guard, stack->bytes + guard);
}

void howdah_stack_give(howdah_stack *stack) {
  if (kept_count < KEPT_MAX) {
    /* All but the top pages go back to the kernel: one deep recursion must not cost memory for ever. */
    size_t top = 64 * 1024;
    madvise(stack->low, stack->bytes - top, MADV_DONTNEED);
    kept[kept_count++] = *stack;
  } else {
    unmap(stack);
  }
  stack->low = NULL;
}

void howdah_stack_free_kept(void) {
  while (kept_count > 0)
    unmap(&kept[--kept_count]);
}
