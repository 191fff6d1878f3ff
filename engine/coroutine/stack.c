/* Takes stacks from the kernel and keeps a few for the next coroutine. See stack.h. */
#include "stack.h"

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

/* Valgrind has to be told where stacks are; where it is not installed there is nobody to tell. */
#if defined(__has_include) && __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#define HOWDAH_VALGRIND 1
#endif

/* So many depths are 16 TB, an eighth of a process's address space. */
enum { KEPT_MAX = 16, DEPTHS_MAX = 65536, STEP_BYTES = 512 * 1024 };

static howdah_stack kept[KEPT_MAX];
static size_t kept_count;
static size_t depths; /* large ones */

static size_t page_bytes(void) {
  static size_t bytes;
  if (!bytes) bytes = (size_t)sysconf(_SC_PAGESIZE);
  return bytes;
}

/* The last part and the guard page. */
static size_t end_bytes(void) {
  return HOWDAH_STACK_LAST_BYTES + page_bytes();
}

/* A depth that may not be touched, and a stack above it, which is returned. First nothing may be touched: where the kernel
 * counts what could be (vm.overcommit_memory=2), the depth shall not count. */
static char *map(size_t bytes, size_t depth) {
  char *memory = mmap(NULL, depth + bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) return NULL;
  if (mprotect(memory + depth, bytes, PROT_READ | PROT_WRITE) == 0) return memory + depth;
  munmap(memory, depth + bytes);
  return NULL;
}

static size_t large_depth_bytes(void) {
  return HOWDAH_STACK_DEPTH_BYTES + end_bytes();
}

void *howdah_stack_map(size_t bytes) {
  char *low = depths < DEPTHS_MAX ? map(bytes, large_depth_bytes()) : NULL;
  if (low) depths++;
  return low;
}

howdah_depth howdah_depth_below(char *low) {
  return (howdah_depth){.low = low, .open = low, .bytes = large_depth_bytes()};
}

int howdah_stack_unmap(void *low, size_t bytes) {
  int result = munmap((char *)low - large_depth_bytes(), bytes + large_depth_bytes());
  if (result == 0) depths--;
  return result;
}

int howdah_stack_take(howdah_stack *stack) {
  if (kept_count > 0) {
    *stack = kept[--kept_count];
    return 0;
  }
  size_t depth = large_depth_bytes();
  char *low = howdah_stack_map(HOWDAH_STACK_BYTES);
  if (!low) {
    depth = HOWDAH_STACK_SMALL_DEPTH_BYTES + end_bytes();
    low = map(HOWDAH_STACK_BYTES, depth);
  }
  if (!low) return -1;
  madvise(low, HOWDAH_STACK_BYTES, MADV_NOHUGEPAGE);
  stack->low = low;
  stack->bytes = HOWDAH_STACK_BYTES;
  stack->depth = (howdah_depth){.low = low, .open = low, .bytes = depth};
#ifdef HOWDAH_VALGRIND
  stack->valgrind_id = VALGRIND_STACK_REGISTER(low - depth + page_bytes(), low + stack->bytes);
#endif
  return 0;
}

static void unmap(howdah_stack *stack) {
#ifdef HOWDAH_VALGRIND
  VALGRIND_STACK_DEREGISTER(stack->valgrind_id);
#endif
  size_t depth = stack->depth.bytes;
  if (depth == large_depth_bytes())
    howdah_stack_unmap(stack->low, stack->bytes);
  else
    munmap(stack->low - depth, stack->bytes + depth);
}

void howdah_stack_give(howdah_stack *stack) {
  char *top = stack->low + stack->bytes;
  howdah_depth_close(&stack->depth, top, top);
  if (kept_count < KEPT_MAX) {
    /* All but the top pages go back to the kernel: one deep recursion must not cost memory for ever. */
    size_t top_bytes = 64 * 1024;
    madvise(stack->low, stack->bytes - top_bytes, MADV_DONTNEED);
    kept[kept_count++] = *stack;
  } else {
    unmap(stack);
  }
  stack->low = NULL;
}

/* Below this function's own frame are those of what it calls; a page is more than they need. */
void howdah_stack_forget(const howdah_stack *stack) {
  char *here = __builtin_frame_address(0);
  if (here < stack->low || here >= stack->low + stack->bytes) return;
  char *end = here - (uintptr_t)here % page_bytes() - page_bytes();
  if (end > stack->low) madvise(stack->low, (size_t)(end - stack->low), MADV_DONTNEED); /* else it stays as it is */
}

void howdah_stack_free_kept(void) {
  while (kept_count > 0)
    unmap(&kept[--kept_count]);
}

static char *bottom(const howdah_depth *depth) {
  return depth->low - depth->bytes + page_bytes();
}

bool howdah_depth_holds(const howdah_depth *depth, const void *address) {
  const char *at = address;
  return at >= bottom(depth) && at < depth->low;
}

bool howdah_depth_is_last(const howdah_depth *depth, const void *address) {
  return (const char *)address < bottom(depth) + HOWDAH_STACK_LAST_BYTES;
}

size_t howdah_depth_left(const howdah_depth *depth, const void *address) {
  const char *at = address;
  return at > bottom(depth) ? (size_t)(at - bottom(depth)) : 0;
}

static bool open_to(howdah_depth *depth, char *to) {
  if (mprotect(to, (size_t)(depth->open - to), PROT_READ | PROT_WRITE) < 0) return false;
  depth->open = to;
  return true;
}

bool howdah_depth_open(howdah_depth *depth, const void *address) {
  if (!howdah_depth_holds(depth, address) || (const char *)address >= depth->open) return false;
  char *to = (char *)address - (uintptr_t)address % page_bytes(), *last = bottom(depth) + HOWDAH_STACK_LAST_BYTES;
  if (to <= last) return open_to(depth, to);
  /* As much again as is open, so that a deep recursion faults a dozen times, not for each page. */
  size_t step = (size_t)(depth->low - depth->open);
  if (step < STEP_BYTES) step = STEP_BYTES;
  return open_to(depth, (size_t)(to - last) > step ? to - step : last) || open_to(depth, to);
}

bool howdah_depth_open_all(howdah_depth *depth) {
  return depth->open == bottom(depth) || open_to(depth, bottom(depth));
}

void howdah_depth_close(howdah_depth *depth, const void *stack_pointer, const void *stack_top) {
  const char *at = stack_pointer;
  if (!howdah_depth_is_open(depth) || at < depth->low + HOWDAH_STACK_MARGIN_BYTES || at > (const char *)stack_top) return;
  size_t bytes = (size_t)(depth->low - depth->open);
  madvise(depth->open, bytes, MADV_DONTNEED);
  if (mprotect(depth->open, bytes, PROT_NONE) == 0) depth->open = depth->low;
}
