/* What the groups of sentences share. */
#include "suite.h"
#include "cmocka_includes.h"

howdah_loop *loop;
static const contract_driver *driver;

void turn(int max_wait_ms) {
  driver->turn(loop, max_wait_ms);
}

void turn_until(const int *flag, int wanted) {
  uint64_t limit_us = howdah_loop_now_us() + (uint64_t)PATIENCE_MS * 1000;
  while (*flag < wanted && howdah_loop_now_us() < limit_us)
    turn(100);
  assert_int_equal(*flag, wanted);
}

void turn_without_sleep_until(const int *flag, int wanted) {
  uint64_t limit_us = howdah_loop_now_us() + (uint64_t)PATIENCE_MS * 1000;
  while (*flag < wanted && howdah_loop_now_us() < limit_us)
    turn(PATIENCE_MS);
  assert_int_equal(*flag, wanted);
  assert_true(howdah_loop_now_us() < limit_us);
}

int make_loop(void **state) {
  (void)state;
  loop = driver->make();
  return loop ? 0 : -1;
}

int destroy_loop(void **state) {
  (void)state;
  driver->destroy(loop);
  loop = NULL;
  return 0;
}

int run_loop_contract(const contract_driver *under_test) {
  driver = under_test;
  return run_watch_tests(driver->name) + run_timer_tests(driver->name) + run_task_tests(driver->name) +
         run_slice_tests(driver->name);
}
