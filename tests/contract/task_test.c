/* Posted tasks, also from other threads. */
#include "suite.h"
#include "cmocka_includes.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int ran;
static int order[64];

typedef struct {
  howdah_task task;
  int name;
  int calls;
  howdah_task *posts, *takes_back;
} job;

static void job_run(howdah_task *task) {
  job *self = task->data;
  self->calls++;
  if (ran < 64) order[ran] = self->name;
  ran++;
  if (self->posts) howdah_loop_post(loop, self->posts);
  if (self->takes_back) howdah_loop_unpost(loop, self->takes_back);
}

static void job_init(job *self, int name) {
  memset(self, 0, sizeof *self);
  self->task.run = job_run;
  self->task.data = self;
  self->name = name;
}

static int reset(void **state) {
  ran = 0;
  return make_loop(state);
}

static void test_tasks_run_in_the_order_posted_and_not_at_once(void **state) {
  (void)state;
  job jobs[10];
  for (int i = 0; i < 10; i++) {
    job_init(&jobs[i], i);
    howdah_loop_post(loop, &jobs[i].task);
  }
  assert_int_equal(ran, 0);
  turn_until(&ran, 10);
  for (int i = 0; i < 10; i++)
    assert_int_equal(order[i], i);
}

static void test_a_posted_task_keeps_the_loop_from_sleeping(void **state) {
  (void)state;
  job one;
  job_init(&one, 1);
  howdah_loop_post(loop, &one.task);
  uint64_t limit_us = howdah_loop_now_us() + (uint64_t)PATIENCE_MS * 1000;
  turn(PATIENCE_MS);
  assert_int_equal(ran, 1);
  assert_true(howdah_loop_now_us() < limit_us);
}

static void test_a_task_posted_twice_runs_once(void **state) {
  (void)state;
  job one;
  job_init(&one, 1);
  howdah_loop_post(loop, &one.task);
  howdah_loop_post(loop, &one.task);
  turn_until(&ran, 1);
  turn(0);
  assert_int_equal(ran, 1);
  howdah_loop_post(loop, &one.task);
  turn_until(&ran, 2);
}

static void test_a_task_posted_by_a_running_task_runs_in_the_next_turn(void **state) {
  (void)state;
  job one, other;
  job_init(&one, 1);
  job_init(&other, 2);
  one.posts = &other.task;
  other.posts = &one.task;
  howdah_loop_post(loop, &one.task);
  turn(0);
  assert_int_equal(ran, 1);
  turn(1000);
  assert_int_equal(ran, 2);
  turn(1000);
  assert_int_equal(ran, 3);
  howdah_loop_unpost(loop, &other.task);
  turn(0);
  assert_int_equal(ran, 3);
}

static void test_a_task_taken_back_does_not_run(void **state) {
  (void)state;
  job first, middle, last;
  job_init(&first, 1);
  job_init(&middle, 2);
  job_init(&last, 3);
  howdah_loop_unpost(loop, &first.task);
  howdah_loop_post(loop, &first.task);
  howdah_loop_post(loop, &middle.task);
  howdah_loop_post(loop, &last.task);
  howdah_loop_unpost(loop, &middle.task);
  howdah_loop_unpost(loop, &last.task);
  howdah_loop_post(loop, &middle.task);
  turn_until(&ran, 2);
  assert_int_equal(order[0], 1);
  assert_int_equal(order[1], 2);
  turn(0);
  assert_int_equal(last.calls, 0);
}

static void test_a_task_taken_back_by_the_one_before_it_does_not_run(void **state) {
  (void)state;
  job one, other;
  job_init(&one, 1);
  job_init(&other, 2);
  one.takes_back = &other.task;
  howdah_loop_post(loop, &one.task);
  howdah_loop_post(loop, &other.task);
  turn(0);
  turn(0);
  assert_int_equal(one.calls, 1);
  assert_int_equal(other.calls, 0);
  assert_false(other.task.posted);
}

static int freed;

static void free_run(howdah_task *task) {
  freed++;
  free(task);
}

static void test_a_task_may_free_itself(void **state) {
  (void)state;
  freed = 0;
  for (int i = 0; i < 5; i++) {
    howdah_task *task = calloc(1, sizeof *task);
    assert_non_null(task);
    task->run = free_run;
    howdah_loop_post(loop, task);
  }
  turn_until(&freed, 5);
}

static void *post_later(void *data) {
  job *self = data;
  usleep(20000);
  howdah_loop_post_from_thread(loop, &self->task);
  return NULL;
}

static void test_a_task_from_another_thread_wakes_the_loop(void **state) {
  (void)state;
  job one;
  job_init(&one, 1);
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, post_later, &one), 0);
  turn_without_sleep_until(&ran, 1);
  pthread_join(thread, NULL);
}

enum { THREADS = 4, JOBS_EACH = 500 };
static job thread_jobs[THREADS][JOBS_EACH];

static void *post_many(void *data) {
  job *jobs = data;
  for (int i = 0; i < JOBS_EACH; i++)
    howdah_loop_post_from_thread(loop, &jobs[i].task);
  return NULL;
}

static void test_no_task_of_many_threads_is_lost(void **state) {
  (void)state;
  pthread_t threads[THREADS];
  for (int t = 0; t < THREADS; t++) {
    for (int i = 0; i < JOBS_EACH; i++)
      job_init(&thread_jobs[t][i], i);
    assert_int_equal(pthread_create(&threads[t], NULL, post_many, thread_jobs[t]), 0);
  }
  turn_until(&ran, THREADS * JOBS_EACH);
  for (int t = 0; t < THREADS; t++)
    pthread_join(threads[t], NULL);
  for (int t = 0; t < THREADS; t++)
    for (int i = 0; i < JOBS_EACH; i++)
      assert_int_equal(thread_jobs[t][i].calls, 1);
}

int run_task_tests(const char *driver) {
#define SENTENCE(test) cmocka_unit_test_setup_teardown(test, reset, destroy_loop)
  const struct CMUnitTest tests[] = {
      SENTENCE(test_tasks_run_in_the_order_posted_and_not_at_once),
      SENTENCE(test_a_posted_task_keeps_the_loop_from_sleeping),
      SENTENCE(test_a_task_posted_twice_runs_once),
      SENTENCE(test_a_task_posted_by_a_running_task_runs_in_the_next_turn),
      SENTENCE(test_a_task_taken_back_does_not_run),
      SENTENCE(test_a_task_taken_back_by_the_one_before_it_does_not_run),
      SENTENCE(test_a_task_may_free_itself),
      SENTENCE(test_a_task_from_another_thread_wakes_the_loop),
      SENTENCE(test_no_task_of_many_threads_is_lost),
  };
#undef SENTENCE
  return cmocka_run_group_tests_name(driver, tests, NULL, NULL);
}
