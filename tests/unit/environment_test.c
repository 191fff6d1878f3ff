/* The environment of a realm (engine/state/process/environment.c), as another thread reads it: what it has found stays what it
 * was. Freed memory is overwritten (M_PERTURB), so that a reader would notice. */
#include "state/process/environment.h"

#include <malloc.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* A process with a second thread is what this is about. */
static void *wait_for_ever(void *unused) {
  for (;;)
    pause();
  return unused;
}

static pthread_t thread;

static int begin(void **state) {
  (void)state;
  mallopt(M_PERTURB, 0x5a);
  return pthread_create(&thread, NULL, wait_for_ever, NULL);
}

static int end(void **state) {
  (void)state;
  return pthread_cancel(thread) || pthread_join(thread, NULL);
}

/* As getenv(3) in a thread that has read `environ` a moment ago. */
static const char *find_in(char **list, const char *entry) {
  for (; *list; list++)
    if (strcmp(*list, entry) == 0) return *list;
  return NULL;
}

static void test_a_reader_keeps_what_it_found_while_the_list_grows(void **state) {
  howdah_environment environment = {.list = NULL};
  char name[16];
  (void)state;
  assert_int_equal(howdah_environment_set(&environment, "FIRST", "1", 1), 0);
  char **found = environ;
  for (int i = 0; i < 500; i++) {
    snprintf(name, sizeof(name), "NAME_%d", i);
    assert_int_equal(howdah_environment_set(&environment, name, "value", 1), 0);
    assert_non_null(find_in(found, "FIRST=1"));
  }
  assert_ptr_not_equal(found, environ);
  assert_string_equal(getenv("NAME_499"), "value");
  howdah_environment_switch(&environment, NULL);
  howdah_environment_free(&environment);
}

static void test_a_reader_keeps_what_it_found_when_the_realm_ends(void **state) {
  howdah_environment environment = {.list = NULL};
  (void)state;
  assert_int_equal(howdah_environment_set(&environment, "LAST", "1", 1), 0);
  char **found = environ;
  const char *entry = find_in(found, "LAST=1");
  howdah_environment_switch(&environment, NULL);
  howdah_environment_free(&environment);
  assert_string_equal(entry, "LAST=1");
  assert_non_null(find_in(found, "LAST=1"));
  assert_null(getenv("LAST"));
}

static void test_entries_come_and_go(void **state) {
  howdah_environment environment = {.list = NULL};
  char given[] = "GIVEN=1", other[] = "GIVEN=2";
  (void)state;
  assert_int_equal(howdah_environment_put(&environment, given), 0);
  assert_ptr_equal(getenv("GIVEN"), given + 6);
  assert_int_equal(howdah_environment_put(&environment, other), 0);
  assert_string_equal(getenv("GIVEN"), "2");
  assert_int_equal(howdah_environment_set(&environment, "GIVEN", "3", 0), 0);
  assert_string_equal(getenv("GIVEN"), "2");
  assert_int_equal(howdah_environment_unset(&environment, "GIVEN"), 0);
  assert_null(getenv("GIVEN"));
  assert_int_equal(howdah_environment_clear(&environment), 0);
  assert_null(environ[0]);
  howdah_environment_switch(&environment, NULL);
  howdah_environment_free(&environment);
  assert_non_null(getenv("PATH"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_reader_keeps_what_it_found_while_the_list_grows),
      cmocka_unit_test(test_a_reader_keeps_what_it_found_when_the_realm_ends),
      cmocka_unit_test(test_entries_come_and_go),
  };
  return cmocka_run_group_tests(tests, begin, end);
}
