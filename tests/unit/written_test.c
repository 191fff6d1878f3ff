/* Which pages were written to (engine/state/written.c), where the kernel can tell; where it cannot, nothing is claimed. */
#include "state/written.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { PAGE = 4096, PAGES = 64, BYTES = PAGES * PAGE };

static char *memory;
static bool can;

static int start(void **state) {
  (void)state;
  memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return -1;
  memset(memory, 1, BYTES);
  can = howdah_written_watch(memory, BYTES) && howdah_written_forget(memory, BYTES);
  if (!can) puts("this kernel, or what this process may do, has no asynchronous write protection: all pages are compared");
  return 0;
}

static int end(void **state) {
  (void)state;
  howdah_written_unwatch(memory, BYTES);
  return munmap(memory, BYTES);
}

/* A letter for each page: w was written to. Where nobody knows, all count. */
static const char *written(void) {
  static char letters[PAGES + 1];
  howdah_written list[PAGES];
  const ssize_t count = howdah_written_list(memory, BYTES, list, PAGES);
  memset(letters, count < 0 ? 'w' : '-', PAGES);
  for (ssize_t i = 0; i < count; i++)
    for (uint64_t at = list[i].start; at < list[i].end; at += PAGE)
      letters[(at - (uintptr_t)memory) / PAGE] = 'w';
  return letters;
}

static void expect(const char *numbers) {
  char letters[PAGES + 1] = "";
  memset(letters, can ? '-' : 'w', PAGES);
  int number, length;
  for (; can && sscanf(numbers, "%d%n", &number, &length) == 1; numbers += length)
    letters[number] = 'w';
  assert_string_equal(written(), letters);
}

static void test_what_is_written_to_is_told(void **state) {
  (void)state;
  expect("");
  memory[3 * PAGE] = 2;
  memory[5 * PAGE - 1] = 2;
  memory[63 * PAGE + 17] = 2;
  expect("3 4 63");
  expect("3 4 63");
}

static void test_what_is_read_is_not(void **state) {
  (void)state;
  unsigned sum = 0;
  for (size_t i = 0; i < BYTES; i++)
    sum += (unsigned char)memory[i];
  assert_int_equal(sum, BYTES);
  expect("");
}

/* A page that was forgotten is told of again only after another write; one that was not stays. */
static void test_what_is_forgotten_is_told_again_after_a_write(void **state) {
  (void)state;
  memory[7 * PAGE] = memory[8 * PAGE] = 2;
  assert_int_equal(howdah_written_forget(memory + (ptrdiff_t)7 * PAGE, PAGE), can);
  expect("8");
  memory[7 * PAGE] = 3;
  expect("7 8");
}

static void test_the_kernels_writes_count(void **state) {
  (void)state;
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  assert_int_equal(write(ends[1], "text", 4), 4);
  assert_int_equal(read(ends[0], memory + (ptrdiff_t)9 * PAGE, 4), 4);
  close(ends[0]);
  close(ends[1]);
  assert_memory_equal(memory + (ptrdiff_t)9 * PAGE, "text", 4);
  expect("9");
}

/* It is zero then, and nobody has written that. */
static void test_what_was_given_back_counts(void **state) {
  (void)state;
  assert_int_equal(madvise(memory + (ptrdiff_t)20 * PAGE, (size_t)2 * PAGE, MADV_DONTNEED), 0);
  expect("20 21");
}

static void test_another_mapping_in_its_place_counts(void **state) {
  (void)state;
  char *other = mmap(memory, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  assert_ptr_equal(other, memory);
  can = false;
  expect("");
}

/* The descriptors speak of the parent. */
static void test_a_child_knows_nothing(void **state) {
  (void)state;
  fflush(stdout);
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    howdah_written list[PAGES];
    _exit(howdah_written_list(memory, BYTES, list, PAGES) == -1 && !howdah_written_forget(memory, BYTES) ? 0 : 1);
  }
  int status = -1;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  memory[0] = 2;
  expect("0");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_what_is_written_to_is_told, start, end),
      cmocka_unit_test_setup_teardown(test_what_is_read_is_not, start, end),
      cmocka_unit_test_setup_teardown(test_what_is_forgotten_is_told_again_after_a_write, start, end),
      cmocka_unit_test_setup_teardown(test_the_kernels_writes_count, start, end),
      cmocka_unit_test_setup_teardown(test_what_was_given_back_counts, start, end),
      cmocka_unit_test_setup_teardown(test_another_mapping_in_its_place_counts, start, end),
      cmocka_unit_test_setup_teardown(test_a_child_knows_nothing, start, end),
  };
  return cmocka_run_group_tests_name("written", tests, NULL, NULL);
}
