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

/* The guard page and the reserve. */
static size_t bytes_below(void) {
  return (size_t)sysconf(_SC_PAGESIZE) + HOWDAH_STACK_RESERVE_BYTES;
}

int howdah_stack_take(howdah_stack *stack) {
  if (kept_count > 0) {
    *stack = kept[--kept_count];
    return 0;
  }
  size_t below = bytes_below();
  char *memory = mmap(NULL, HOWDAH_STACK_BYTES + below, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) return -1;
  if (mprotect(memory, below, PROT_NONE) < 0) {
    munmap(memory, HOWDAH_STACK_BYTES + below);
    return -1;
  }
  madvise(memory + below, HOWDAH_STACK_BYTES, MADV_NOHUGEPAGE);
  stack->low = memory + below;
  stack->bytes = HOWDAH_STACK_BYTES;
  stack->reserve_open = false;
#ifdef HOWDAH_VALGRIND
  stack->valgrind_id = VALGRIND_STACK_REGISTER(stack->low, stack->low + stack->bytes);
#endif
  return 0;
}

static void unmap(howdah_stack *stack) {
#ifdef HOWDAH_VALGRIND
  VALGRIND_STACK_DEREGISTER(stack->valgrind_id);
#endif
  size_t below = bytes_below();
  munmap(stack->low - below, stack->bytes + below);
}

bool howdah_stack_is_reserve(const howdah_stack *stack, const void *address) {
  const char *at = address;
  return at >= stack->low - HOWDAH_STACK_RESERVE_BYTES && at < stack->low;
}

bool howdah_stack_open_reserve(howdah_stack *stack) {
  if (stack->reserve_open) return false;
  char *reserve = stack->low - HOWDAH_STACK_RESERVE_BYTES;
  if (mprotect(reserve, HOWDAH_STACK_RESERVE_BYTES, PROT_READ | PROT_WRITE) < 0) return false;
  stack->reserve_open = true;
  return true;
}

void howdah_stack_close_reserve(howdah_stack *stack, const void *stack_pointer) {
  const char *at = stack_pointer;
  if (!stack->reserve_open || at < stack->low + HOWDAH_STACK_MARGIN_BYTES || at > stack->low + stack->bytes) return;
  char *reserve = stack->low - HOWDAH_STACK_RESERVE_BYTES;
  madvise(reserve, HOWDAH_STACK_RESERVE_BYTES, MADV_DONTNEED);
  if (mprotect(reserve, HOWDAH_STACK_RESERVE_BYTES, PROT_NONE) == 0) stack->reserve_open = false;
}

void howdah_stack_give(howdah_stack *stack) {
  howdah_stack_close_reserve(stack, stack->low + stack->bytes);
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
