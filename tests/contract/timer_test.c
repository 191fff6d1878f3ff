/* Timers. */
#include "suite.h"
#include "cmocka_includes.h"

#include <stdlib.h>
#include <string.h>

static int fired;
static uint64_t fired_due_us[2000], fired_due_at_latest_us[2000];
static const howdah_timer *fired_timers[2000];
static bool fired_early;

typedef struct {
  howdah_timer timer;
  int calls;
  uint64_t due_us;           /* at the earliest: the timer's own is private, and of a moment between these two */
  uint64_t due_at_latest_us; /* unless it was restarted */
  howdah_timer *stops;
  int64_t restarts_after_us; /* by the callback, unless -1 */
} alarm_clock;

static void alarm_fire(howdah_timer *timer) {
  alarm_clock *self = timer->data;
  if (howdah_loop_now_us() < self->due_us) fired_early = true;
  fired_timers[fired] = timer;
  fired_due_us[fired] = self->due_us;
  fired_due_at_latest_us[fired++] = self->due_at_latest_us;
  self->calls++;
  if (self->stops) howdah_loop_timer_stop(loop, self->stops);
  if (self->restarts_after_us >= 0) {
    self->due_us = howdah_loop_now_us() + (uint64_t)self->restarts_after_us;
    assert_int_equal(howdah_loop_timer_start(loop, timer, (uint64_t)self->restarts_after_us), 0);
  }
}

static void alarm_init(alarm_clock *self) {
  memset(self, 0, sizeof *self);
  self->timer.fire = alarm_fire;
  self->timer.data = self;
  self->restarts_after_us = -1;
}

static void alarm_start(alarm_clock *self, uint64_t delay_us) {
  self->due_us = howdah_loop_now_us() + delay_us;
  assert_int_equal(howdah_loop_timer_start(loop, &self->timer, delay_us), 0);
  self->due_at_latest_us = howdah_loop_now_us() + delay_us;
}

static int reset(void **state) {
  fired = 0;
  fired_early = false;
  return make_loop(state);
}

static void test_a_timer_fires_once_and_not_before_its_time(void **state) {
  (void)state;
  static const uint64_t delays_us[] = {1, 999, 1000, 1001, 1500, 5500, 20001};
  for (size_t i = 0; i < sizeof delays_us / sizeof *delays_us; i++) {
    alarm_clock clock;
    alarm_init(&clock);
    alarm_start(&clock, delays_us[i]);
    turn_until(&clock.calls, 1);
    turn(2);
    assert_int_equal(clock.calls, 1);
    assert_int_equal(clock.timer.slot, 0);
  }
  assert_false(fired_early);
}

static void test_a_timer_without_delay_fires_in_the_next_turn(void **state) {
  (void)state;
  alarm_clock clock;
  alarm_init(&clock);
  alarm_start(&clock, 0);
  assert_int_equal(clock.calls, 0);
  uint64_t limit_us = howdah_loop_now_us() + (uint64_t)PATIENCE_MS * 1000;
  turn(PATIENCE_MS);
  assert_int_equal(clock.calls, 1);
  assert_true(howdah_loop_now_us() < limit_us);
}

static void test_a_timer_that_restarts_itself_without_delay_does_not_keep_the_turn_from_ending(void **state) {
  (void)state;
  alarm_clock clock;
  alarm_init(&clock);
  clock.restarts_after_us = 0;
  alarm_start(&clock, 0);
  turn(100);
  assert_uint_in_range(clock.calls, 1, 2); /* nginx runs its timers once before and after its events have been called */
  turn_until(&clock.calls, clock.calls + 1);
  howdah_loop_timer_stop(loop, &clock.timer);
}

static void test_due_timers_fire_in_order_of_their_time(void **state) {
  (void)state;
  enum { MANY = 1000 };
  static alarm_clock clocks[MANY];
  srandom(7);
  for (int i = 0; i < MANY; i++) {
    alarm_init(&clocks[i]);
    alarm_start(&clocks[i], (uint64_t)(random() % 30000));
  }
  int stopped = 0;
  for (int i = 0; i < MANY; i += 3) {
    howdah_loop_timer_stop(loop, &clocks[i].timer);
    stopped++;
  }
  turn_until(&fired, MANY - stopped);
  for (int i = 1; i < fired; i++)
    assert_true(fired_due_us[i - 1] <= fired_due_at_latest_us[i]);
  assert_false(fired_early);
  for (int i = 0; i < MANY; i += 3)
    assert_int_equal(clocks[i].calls, 0);
}

static void test_timers_of_one_delay_fire_in_the_order_in_which_they_were_started(void **state) {
  (void)state;
  enum { MANY = 1000 }; /* several in each microsecond */
  static alarm_clock clocks[MANY];
  for (int i = 0; i < MANY; i++)
    alarm_init(&clocks[i]);
  for (int i = 0; i < MANY; i++)
    assert_int_equal(howdah_loop_timer_start(loop, &clocks[i].timer, 100), 0);
  turn_until(&fired, MANY);
  for (int i = 0; i < MANY; i++)
    assert_ptr_equal(fired_timers[i], &clocks[i].timer);
}

static void test_an_earlier_timer_is_not_late_because_of_a_later_one(void **state) {
  (void)state;
  alarm_clock later, earlier;
  alarm_init(&later);
  alarm_init(&earlier);
  alarm_start(&later, NEVER_US);
  alarm_start(&earlier, 10000);
  turn_without_sleep_until(&earlier.calls, 1);
  assert_int_equal(later.calls, 0);
  alarm_start(&later, 1000);
  turn_until(&later.calls, 1);
  assert_false(fired_early);
}

static void test_a_timer_that_was_stopped_does_not_fire(void **state) {
  (void)state;
  alarm_clock *clock = malloc(sizeof *clock);
  assert_non_null(clock);
  alarm_init(clock);
  howdah_loop_timer_stop(loop, &clock->timer);
  alarm_start(clock, 5000);
  howdah_loop_timer_stop(loop, &clock->timer);
  howdah_loop_timer_stop(loop, &clock->timer);
  free(clock);
  turn(20);
  turn(0);
  assert_int_equal(fired, 0);
}

static void test_a_timer_started_again_fires_at_its_new_time_alone(void **state) {
  (void)state;
  alarm_clock sooner, later;
  alarm_init(&sooner);
  alarm_init(&later);
  alarm_start(&sooner, NEVER_US);
  alarm_start(&later, 1000);
  alarm_start(&sooner, 2000);
  alarm_start(&later, NEVER_US);
  turn_until(&sooner.calls, 1);
  assert_int_equal(later.calls, 0);
  alarm_start(&later, 1000);
  turn_until(&later.calls, 1);
  turn(5);
  assert_int_equal(fired, 2);
  assert_false(fired_early);
}

static void test_a_timer_stopped_by_another_that_is_due_with_it_does_not_fire(void **state) {
  (void)state;
  alarm_clock one, other;
  alarm_init(&one);
  alarm_init(&other);
  one.stops = &other.timer;
  other.stops = &one.timer;
  alarm_start(&one, 0);
  alarm_start(&other, 0);
  turn_until(&fired, 1);
  turn(5);
  assert_int_equal(one.calls, 1);
  assert_int_equal(other.calls, 0);
}

static void test_a_timer_restarts_itself_in_its_callback(void **state) {
  (void)state;
  alarm_clock clock;
  alarm_init(&clock);
  clock.restarts_after_us = 2000;
  alarm_start(&clock, 2000);
  turn_until(&clock.calls, 5);
  howdah_loop_timer_stop(loop, &clock.timer);
  turn(10);
  assert_int_equal(clock.calls, 5);
  assert_false(fired_early);
}

static int freed;

static void free_fire(howdah_timer *timer) {
  freed++;
  free(timer);
}

static void test_a_callback_may_free_its_timer(void **state) {
  (void)state;
  freed = 0;
  for (int i = 0; i < 10; i++) {
    howdah_timer *timer = calloc(1, sizeof *timer);
    assert_non_null(timer);
    timer->fire = free_fire;
    assert_int_equal(howdah_loop_timer_start(loop, timer, 1000), 0);
  }
  turn_until(&freed, 10);
}

static void test_a_timer_of_an_endless_delay_never_fires_and_hides_no_other(void **state) {
  (void)state;
  alarm_clock never, soon;
  alarm_init(&never);
  alarm_init(&soon);
  alarm_start(&never, UINT64_MAX);
  turn(5);
  alarm_start(&soon, 1000);
  turn_until(&soon.calls, 1);
  turn(5);
  assert_int_equal(never.calls, 0);
  howdah_loop_timer_stop(loop, &never.timer);
}

static int burnt;

static void burn_fire(howdah_timer *timer) {
  alarm_clock *next = timer->data;
  alarm_start(next, 10000);
  while (howdah_loop_now_us() < next->due_at_latest_us + 100000)
    continue;
  burnt++;
}

/* nginx sleeps by a clock that it reads once a turn: the time that a callback takes must not be slept again. The next timer is
 * due when the callback has ended, so it fires in the next turn, which does not sleep at all. */
static void test_a_callback_that_takes_long_does_not_make_the_next_timer_late(void **state) {
  (void)state;
  alarm_clock next;
  alarm_init(&next);
  burnt = 0;
  howdah_timer burner = {.fire = burn_fire, .data = &next};
  assert_int_equal(howdah_loop_timer_start(loop, &burner, 0), 0);
  turn_until(&burnt, 1);
  turn(0);
  assert_int_equal(next.calls, 1);
}

int run_timer_tests(const char *driver) {
#define SENTENCE(test) cmocka_unit_test_setup_teardown(test, reset, destroy_loop)
  const struct CMUnitTest tests[] = {
      SENTENCE(test_a_timer_fires_once_and_not_before_its_time),
      SENTENCE(test_a_timer_without_delay_fires_in_the_next_turn),
      SENTENCE(test_a_timer_that_restarts_itself_without_delay_does_not_keep_the_turn_from_ending),
      SENTENCE(test_due_timers_fire_in_order_of_their_time),
      SENTENCE(test_timers_of_one_delay_fire_in_the_order_in_which_they_were_started),
      SENTENCE(test_an_earlier_timer_is_not_late_because_of_a_later_one),
      SENTENCE(test_a_timer_that_was_stopped_does_not_fire),
      SENTENCE(test_a_timer_started_again_fires_at_its_new_time_alone),
      SENTENCE(test_a_timer_stopped_by_another_that_is_due_with_it_does_not_fire),
      SENTENCE(test_a_timer_restarts_itself_in_its_callback),
      SENTENCE(test_a_callback_may_free_its_timer),
      SENTENCE(test_a_timer_of_an_endless_delay_never_fires_and_hides_no_other),
      SENTENCE(test_a_callback_that_takes_long_does_not_make_the_next_timer_late),
  };
#undef SENTENCE
  return cmocka_run_group_tests_name(driver, tests, NULL, NULL);
}
