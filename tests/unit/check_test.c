/* Rules that are checked (engine/check.h): what a rule does that does not hold, and that one costs nothing where rules are
 * off. */
#include "check.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static unsigned evaluated;

static bool holds(bool it_does) {
  evaluated++;
  return it_does;
}

static void write_out(const char *message) {
  if (write(STDOUT_FILENO, message, strlen(message)) < 0) _exit(1);
}

/* What a process says, in said, and how it ends: it checks one rule. */
static int process_ends(bool wanted, bool it_holds, char *said, size_t size) {
  int ends[2], status;
  assert_int_equal(pipe(ends), 0);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    signal(SIGABRT, SIG_DFL); /* cmocka's own */
    howdah_checks_start(wanted, write_out);
    howdah_assert(holds(it_holds), "nothing holds");
    _exit(7);
  }
  close(ends[1]);
  ssize_t len = read(ends[0], said, size - 1);
  assert_true(len >= 0);
  said[len] = 0;
  close(ends[0]);
  assert_int_equal(waitpid(child, &status, 0), child);
  return status;
}

static void test_a_rule_that_does_not_hold_ends_the_process(void **state) {
  char said[1024];
  (void)state;
  int status = process_ends(true, false, said, sizeof(said));
  assert_true(WIFSIGNALED(status));
  assert_int_equal(WTERMSIG(status), SIGABRT);
  assert_non_null(strstr(said, "howdah: nothing holds."));
  assert_non_null(strstr(said, "tests/unit/check_test.c:"));
  assert_non_null(strstr(said, ": holds(it_holds)"));
}

static void test_a_rule_that_holds_says_nothing(void **state) {
  char said[1024];
  (void)state;
  int status = process_ends(true, true, said, sizeof(said));
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 7);
  assert_string_equal(said, "");
}

#ifndef HOWDAH_CHECKED
static void test_where_rules_are_off_none_is_evaluated(void **state) {
  (void)state;
  unsetenv("HOWDAH_CHECKS");
  howdah_checks_start(false, write_out);
  howdah_assert(holds(false), "it was evaluated");
  assert_int_equal(evaluated, 0);
}

static void test_the_environment_turns_them_on(void **state) {
  (void)state;
  setenv("HOWDAH_CHECKS", "1", 1);
  howdah_checks_start(false, write_out);
  assert_true(howdah_is_checked());
  setenv("HOWDAH_CHECKS", "0", 1);
  howdah_checks_start(false, write_out);
  assert_false(howdah_is_checked());
}
#endif

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_rule_that_does_not_hold_ends_the_process),
      cmocka_unit_test(test_a_rule_that_holds_says_nothing),
#ifndef HOWDAH_CHECKED
      cmocka_unit_test(test_where_rules_are_off_none_is_evaluated),
      cmocka_unit_test(test_the_environment_turns_them_on),
#endif
  };
  return cmocka_run_group_tests_name("rules that are checked", tests, NULL, NULL);
}
