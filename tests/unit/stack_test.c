/* Stacks and their depths (engine/coroutine/stack.c): what is open, what is given back, what happens where address space is
 * short. */
#include "coroutine/stack.h"
#include "../contract/cmocka_includes.h"

#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static size_t page;

static bool is_resident(const char *address) {
  unsigned char found = 0;
  return mincore((void *)(address - (uintptr_t)address % page), 1, &found) == 0 && found & 1;
}

static char *bottom(const howdah_stack *stack) {
  return stack->low - stack->depth.bytes + page;
}

static void test_opens_as_far_as_it_is_touched_and_more_each_time(void **state) {
  (void)state;
  howdah_stack stack;
  assert_int_equal(howdah_stack_take(&stack), 0);
  assert_int_equal(stack.depth.bytes, HOWDAH_STACK_DEPTH_BYTES + HOWDAH_STACK_LAST_BYTES + page);
  assert_false(howdah_depth_is_open(&stack.depth));
  assert_false(howdah_depth_open(&stack.depth, stack.low)); /* that is the stack's own */
  unsigned faults = 0;
  for (char *at = stack.low - 8; !howdah_depth_is_last(&stack.depth, at); at -= page) {
    if (at < stack.depth.open) {
      assert_true(howdah_depth_open(&stack.depth, at));
      faults++;
    }
    assert_true(at >= stack.depth.open);
    *at = 1;
  }
  assert_uint_in_range(faults, 2, 16);
  /* The last part is opened page by page: each is another place to end the request at. */
  char *last = bottom(&stack) + HOWDAH_STACK_LAST_BYTES - page;
  assert_true(howdah_depth_open(&stack.depth, last + 100));
  assert_ptr_equal(stack.depth.open, last);
  assert_false(howdah_depth_open(&stack.depth, last + 100));
  assert_true(howdah_depth_open_all(&stack.depth));
  *bottom(&stack) = 1;
  assert_false(howdah_depth_open(&stack.depth, bottom(&stack) - 1)); /* the guard page */
  howdah_stack_give(&stack);
}

static void test_closes_only_from_above_the_margin_and_gives_the_memory_back(void **state) {
  (void)state;
  howdah_stack stack;
  assert_int_equal(howdah_stack_take(&stack), 0);
  char *top = stack.low + stack.bytes, *touched = stack.low - 3 * page;
  assert_true(howdah_depth_open(&stack.depth, touched));
  *touched = 1;
  assert_true(is_resident(touched));
  howdah_depth_close(&stack.depth, stack.low - 8, top);
  howdah_depth_close(&stack.depth, stack.low, top);
  howdah_depth_close(&stack.depth, stack.low + HOWDAH_STACK_MARGIN_BYTES - 16, top);
  howdah_depth_close(&stack.depth, top + 16, top); /* another stack */
  assert_true(howdah_depth_is_open(&stack.depth));
  assert_int_equal(*touched, 1);
  howdah_depth_close(&stack.depth, stack.low + HOWDAH_STACK_MARGIN_BYTES, top);
  assert_false(howdah_depth_is_open(&stack.depth));
  assert_false(is_resident(touched));
  assert_true(howdah_depth_open(&stack.depth, touched));
  assert_int_equal(*touched, 0);
  howdah_stack_give(&stack);
}

static void test_one_that_is_kept_is_closed(void **state) {
  (void)state;
  howdah_stack stack;
  assert_int_equal(howdah_stack_take(&stack), 0);
  const char *low = stack.low;
  assert_true(howdah_depth_open(&stack.depth, low - 8));
  howdah_stack_give(&stack);
  assert_int_equal(howdah_stack_take(&stack), 0);
  assert_ptr_equal(stack.low, low);
  assert_false(howdah_depth_is_open(&stack.depth));
  howdah_stack_give(&stack);
}

static int with_little_address_space(void) {
  howdah_stack stack;
  struct rlimit limit = {0, 0};
  howdah_stack_free_kept();
  if (setrlimit(RLIMIT_AS, &limit) < 0) return 1;
  if (howdah_stack_take(&stack) == 0) return 2; /* none at all */
  return 0;
}

/* So much is mapped, and a stack with a small depth fits on top. */
static int with_some_address_space(size_t mapped) {
  howdah_stack stack;
  size_t bytes = mapped + 4 * (size_t)HOWDAH_STACK_BYTES;
  struct rlimit limit = {bytes, bytes};
  howdah_stack_free_kept();
  if (setrlimit(RLIMIT_AS, &limit) < 0) return 1;
  if (howdah_stack_map(HOWDAH_STACK_BYTES)) return 2;
  if (howdah_stack_take(&stack) < 0) return 3;
  if (stack.depth.bytes != HOWDAH_STACK_SMALL_DEPTH_BYTES + HOWDAH_STACK_LAST_BYTES + page) return 4;
  if (!howdah_depth_open(&stack.depth, stack.low - 8)) return 5;
  stack.low[-8] = 1;
  howdah_stack_give(&stack);
  howdah_stack_free_kept();
  return 0;
}

static size_t mapped_bytes(void) {
  unsigned long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  assert_non_null(file);
  assert_int_equal(fscanf(file, "%lu", &pages), 1);
  fclose(file);
  return pages * page;
}

static void test_a_small_depth_has_to_do_where_address_space_is_short(void **state) {
  (void)state;
  howdah_stack_free_kept();
  size_t mapped = mapped_bytes();
  for (int some = 0; some < 2; some++) {
    int status;
    pid_t child = fork();
    if (child == 0) _exit(some ? with_some_address_space(mapped) : with_little_address_space());
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
  }
}

static void test_a_stack_for_a_fiber_has_a_depth(void **state) {
  (void)state;
  size_t bytes = 64 * page;
  char *low = howdah_stack_map(bytes);
  assert_non_null(low);
  low[0] = low[bytes - 1] = 1;
  howdah_depth depth = howdah_depth_below(low);
  assert_true(howdah_depth_open(&depth, low - 8));
  low[-8] = 1;
  assert_int_equal(howdah_stack_unmap(low, bytes), 0);
  unsigned char found;
  assert_int_equal(mincore(low, page, &found), -1);
  assert_int_equal(mincore(low - page, page, &found), -1);
}

int main(void) {
  page = (size_t)sysconf(_SC_PAGESIZE);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_opens_as_far_as_it_is_touched_and_more_each_time),
      cmocka_unit_test(test_closes_only_from_above_the_margin_and_gives_the_memory_back),
      cmocka_unit_test(test_one_that_is_kept_is_closed),
      cmocka_unit_test(test_a_small_depth_has_to_do_where_address_space_is_short),
      cmocka_unit_test(test_a_stack_for_a_fiber_has_a_depth),
  };
  int failed = cmocka_run_group_tests_name("stack", tests, NULL, NULL);
  howdah_stack_free_kept();
  return failed;
}
