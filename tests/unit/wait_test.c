/* How long a wait is told to be (engine/coroutine/wait.c, engine/hooks/pause.c). Loop and coroutine are the test's: on its
 * clock the machine stands still for a moment at each look. */
#include "coroutine/near.h"
#include "coroutine/wait.h"
#include "hooks/pause.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { ASKED_US = 10000, STILL_US = 3000 };

static uint64_t now_us;
static howdah_coroutine coroutine;

/* The timer that runs, and when it is due; how often the coroutine parked, and is woken before its time. */
static struct {
  howdah_timer *timer;
  uint64_t due_us;
  unsigned early;
} loop;

uint64_t howdah_loop_now_us(void) {
  return now_us += STILL_US;
}

int howdah_loop_timer_start(howdah_loop *self, howdah_timer *timer, uint64_t delay_us) {
  (void)self;
  loop.timer = timer;
  loop.due_us = howdah_loop_now_us() + delay_us;
  return 0;
}

void howdah_loop_timer_stop(howdah_loop *self, howdah_timer *timer) {
  (void)self;
  (void)timer;
  loop.timer = NULL;
}

int howdah_loop_watch(howdah_loop *self, howdah_watch *watch, int fd, unsigned events) {
  (void)self;
  (void)watch;
  (void)fd;
  (void)events;
  return 0;
}

void howdah_loop_unwatch(howdah_loop *self, howdah_watch *watch) {
  (void)self;
  (void)watch;
}

howdah_coroutine *howdah_coroutine_current(void) {
  return &coroutine;
}

howdah_loop *howdah_coroutine_loop(void) {
  return NULL;
}

bool howdah_coroutine_may_wait(void) {
  return true;
}

void howdah_coroutine_unwind(void) {}

void howdah_coroutine_yield(void) {}

void howdah_coroutine_wake(howdah_coroutine *self) {
  (void)self;
}

/* Goes on exactly when it is due, and counts as howdah_coroutine_resume() does. */
void howdah_coroutine_park(void) {
  assert_non_null(loop.timer);
  if (loop.early > 0) {
    loop.early--;
    now_us += 1000;
  } else {
    now_us = loop.due_us > now_us ? loop.due_us : now_us;
    loop.timer->fire(loop.timer);
  }
  assert_true(coroutine.parked_us != 0 && coroutine.parked_us <= now_us);
  coroutine.wait_us += now_us - coroutine.parked_us;
  coroutine.parked_us = 0;
}

howdah_near howdah_near_of(const howdah_coroutine *self) {
  (void)self;
  return (howdah_near){0};
}

void howdah_near_fetch(const howdah_near *near) {
  (void)near;
}

void howdah_near_fetch_ahead(const howdah_coroutine *self) {
  (void)self;
}

static int begin(void **state) {
  (void)state;
  memset(&coroutine, 0, sizeof coroutine);
  memset(&loop, 0, sizeof loop);
  now_us = 1000000;
  return 0;
}

static void test_a_sleep_is_told_as_no_shorter_than_asked_for(void **state) {
  (void)state;
  assert_int_equal(howdah_wait_sleep(HOWDAH_WAIT_SLEEP, ASKED_US, NULL), 0);
  assert_true(coroutine.wait_us >= ASKED_US);
}

static void test_nor_is_a_wait_for_a_descriptor_whose_time_runs_out(void **state) {
  (void)state;
  short found;
  struct pollfd fds = {.fd = 7, .events = POLLIN};
  assert_int_equal(howdah_wait_ready(&fds, 1, ASKED_US, &found), 0);
  assert_true(coroutine.wait_us >= ASKED_US);
}

static void test_nor_is_a_pause(void **state) {
  (void)state;
  const bool never = false;
  assert_false(howdah_pause_until(HOWDAH_WAIT_LOCK, &never, ASKED_US));
  assert_true(coroutine.wait_us >= ASKED_US);
}

/* What was counted once is not counted again. */
static void test_a_wait_that_goes_on_is_told_as_no_longer_than_it_was(void **state) {
  (void)state;
  const bool never = false;
  loop.early = 3;
  uint64_t begin_us = now_us;
  assert_int_equal(howdah_wait_sleep(HOWDAH_WAIT_SLEEP, ASKED_US, NULL), 0);
  assert_true(coroutine.wait_us <= now_us - begin_us);
  loop.early = 3;
  begin_us = now_us;
  coroutine.wait_us = 0;
  assert_false(howdah_pause_until(HOWDAH_WAIT_LOCK, &never, ASKED_US));
  assert_true(coroutine.wait_us <= now_us - begin_us);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(test_a_sleep_is_told_as_no_shorter_than_asked_for, begin),
      cmocka_unit_test_setup(test_nor_is_a_wait_for_a_descriptor_whose_time_runs_out, begin),
      cmocka_unit_test_setup(test_nor_is_a_pause, begin),
      cmocka_unit_test_setup(test_a_wait_that_goes_on_is_told_as_no_longer_than_it_was, begin),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
