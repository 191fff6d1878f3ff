/* Slices: what computes goes on when all else of the turn has run. */
#include "suite.h"
#include "cmocka_includes.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { SLICE = 1, TASK, TIMER, WATCH };

static int order[64];
static int ran;

static void note(int name) {
  if (ran < 64) order[ran] = name;
  ran++;
}

typedef struct {
  howdah_task task;
  int calls;
  bool again;
} slice;

static void slice_run(howdah_task *task) {
  slice *self = task->data;
  self->calls++;
  note(SLICE);
  if (self->again) howdah_loop_post_slice(loop, task);
}

static void slice_init(slice *self, bool again) {
  *self = (slice){.task = {.run = slice_run, .data = self}, .again = again};
}

static int reset(void **state) {
  ran = 0;
  memset(order, 0, sizeof order);
  return make_loop(state);
}

static void test_a_slice_runs_and_the_loop_does_not_sleep_before(void **state) {
  (void)state;
  slice one;
  slice_init(&one, false);
  uint64_t limit_us = howdah_loop_now_us() + (uint64_t)PATIENCE_MS * 1000;
  howdah_loop_post_slice(loop, &one.task);
  howdah_loop_post_slice(loop, &one.task);
  for (int i = 0; i < 4; i++)
    turn(one.calls ? 0 : PATIENCE_MS);
  assert_int_equal(one.calls, 1);
  assert_false(one.task.posted);
  assert_true(howdah_loop_now_us() < limit_us);
}

static void test_slices_take_turns_one_in_two_turns_at_most(void **state) {
  (void)state;
  slice many[3];
  for (int i = 0; i < 3; i++) {
    slice_init(&many[i], true);
    howdah_loop_post_slice(loop, &many[i].task);
  }
  for (int turns = 1; turns <= 30; turns++) {
    int before = ran;
    turn(0);
    assert_true(ran <= before + 1);
    assert_true(ran <= turns / 2);
  }
  /* The nginx driver may need a turn to begin. */
  assert_true(ran >= 13);
  for (int i = 0; i < 3; i++) {
    assert_uint_in_range(many[i].calls, ran / 3, (ran + 2) / 3);
    howdah_loop_unpost(loop, &many[i].task);
  }
}

static void task_run(howdah_task *task) {
  (void)task;
  note(TASK);
}

static void timer_fire(howdah_timer *timer) {
  (void)timer;
  note(TIMER);
}

static void watch_ready(howdah_watch *watch, unsigned events) {
  (void)watch;
  (void)events;
  note(WATCH);
}

static void test_what_else_a_turn_brings_comes_before_its_slice(void **state) {
  (void)state;
  slice one;
  slice_init(&one, true);
  howdah_loop_post_slice(loop, &one.task);
  int turns = 0;
  for (; one.calls == 0 && turns < 10; turns++)
    turn(0);
  assert_int_equal(one.calls, 1);
  /* All of this is there in the turn after the next one, in which it runs again. */
  turn(0);
  assert_int_equal(ran, 1);
  int pair[2];
  assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
  howdah_watch watch = {.ready = watch_ready};
  howdah_timer timer = {.fire = timer_fire};
  howdah_task task = {.run = task_run};
  assert_int_equal(howdah_loop_watch(loop, &watch, pair[0], HOWDAH_READABLE), 0);
  assert_int_equal(howdah_loop_timer_start(loop, &timer, 0), 0);
  howdah_loop_post(loop, &task);
  assert_int_equal(write(pair[1], "x", 1), 1);
  usleep(2000);
  turn(0);
  assert_int_equal(ran, 5);
  assert_int_equal(order[4], SLICE);
  howdah_loop_unpost(loop, &one.task);
  close(pair[0]);
  close(pair[1]);
}

static void test_a_slice_taken_back_does_not_run(void **state) {
  (void)state;
  slice one, other;
  slice_init(&one, false);
  slice_init(&other, false);
  howdah_loop_post_slice(loop, &one.task);
  howdah_loop_post_slice(loop, &other.task);
  howdah_loop_unpost(loop, &one.task);
  for (int i = 0; i < 6; i++)
    turn(0);
  assert_int_equal(one.calls, 0);
  assert_int_equal(other.calls, 1);
}

int run_slice_tests(const char *driver) {
#define SENTENCE(test) cmocka_unit_test_setup_teardown(test, reset, destroy_loop)
  const struct CMUnitTest tests[] = {
      SENTENCE(test_a_slice_runs_and_the_loop_does_not_sleep_before),
      SENTENCE(test_slices_take_turns_one_in_two_turns_at_most),
      SENTENCE(test_what_else_a_turn_brings_comes_before_its_slice),
      SENTENCE(test_a_slice_taken_back_does_not_run),
  };
#undef SENTENCE
  return cmocka_run_group_tests_name(driver, tests, NULL, NULL);
}
