/* The adaptive limit (engine/realm/limit.c) in a made-up world: requests wait for something that has room, then for the one
 * processor. Its clock is made up, too; the same numbers come each time. */
#include "realm/limit.h"
#include "../contract/cmocka_includes.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 512, SECOND = 1000000 };

typedef struct {
  howdah_limit limit;
  double wait_us, cpu_us;  /* of a request; means */
  double crowding;         /* each one in flight makes the others' work so much longer: a database whose rows they lock */
  double slow, slow_times; /* so many requests of all wait so many times as long */
  double noise;            /* up to so much more or less than the mean */
  uint64_t random;
  double ready_us[MOST]; /* of those in flight: when they have waited */
  unsigned in_flight;
  double now_us, processor_free_us;
  uint64_t finished;
} world;

static double chance(world *w) {
  w->random = w->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(w->random >> 11) / (double)(UINT64_C(1) << 53);
}

static double around(world *w, double mean) {
  return mean * (1 + w->noise * (2 * chance(w) - 1));
}

static void begin(world *w) {
  double wait_us = around(w, w->wait_us);
  if (w->slow > 0 && chance(w) < w->slow) wait_us *= w->slow_times;
  w->ready_us[w->in_flight++] = w->now_us + wait_us;
}

static void finish_one(world *w) {
  unsigned next = 0;
  for (unsigned i = 1; i < w->in_flight; i++)
    if (w->ready_us[i] < w->ready_us[next]) next = i;
  double from_us = w->ready_us[next] > w->processor_free_us ? w->ready_us[next] : w->processor_free_us;
  w->now_us = w->processor_free_us = from_us + around(w, w->cpu_us) * (1 + w->crowding * w->in_flight);
  w->ready_us[next] = w->ready_us[--w->in_flight];
  w->finished++;
  if (howdah_limit_count(&w->limit)) howdah_limit_look(&w->limit, (uint64_t)w->now_us);
}

/* Clients that always want more; so many requests per second are finished. */
static double crowd(world *w, double seconds) {
  double until_us = w->now_us + seconds * SECOND;
  uint64_t before = w->finished;
  howdah_limit_bind(&w->limit, true, (uint64_t)w->now_us);
  while (w->now_us < until_us) {
    while (w->in_flight < w->limit.now)
      begin(w);
    finish_one(w);
    assert_uint_in_range(w->limit.now, w->limit.least, w->limit.most);
  }
  return (double)(w->finished - before) / seconds;
}

/* The same with a limit that somebody chose. */
static double fixed(const world *w, unsigned limit, double seconds) {
  world same = *w;
  howdah_limit_init(&same.limit, limit, limit);
  same.in_flight = 0;
  return crowd(&same, seconds);
}

static world make(unsigned least, unsigned most, double wait_us, double cpu_us) {
  world w = {.wait_us = wait_us, .cpu_us = cpu_us, .noise = 0.5, .random = 42, .now_us = SECOND};
  howdah_limit_init(&w.limit, least, most);
  return w;
}

/* ---- Sentences ---- */

static void test_it_rises_to_the_ceiling_where_requests_only_wait(void **state) {
  (void)state;
  world w = make(1, 200, 10000, 1);
  crowd(&w, 3);
  assert_uint_in_range(w.limit.low, 133, 200);
  assert_true(crowd(&w, 3) > 0.8 * fixed(&w, 200, 2));
}

static void test_it_gets_there_within_a_second(void **state) {
  (void)state;
  world w = make(1, MOST, 10000, 1);
  crowd(&w, 1);
  assert_uint_in_range(w.limit.now, 256, MOST);
}

static void test_it_falls_where_requests_only_compute(void **state) {
  (void)state;
  world w = make(2, 64, 1, 1000);
  crowd(&w, 60);
  assert_uint_in_range(w.limit.now, 2, 4);
}

/* Those that are in flight when it rises finish as slowly as before. */
static void test_a_turn_after_each_move_does_not_count(void **state) {
  (void)state;
  world w = make(1, 48, 10000, 1);
  w.noise = 0;
  while (w.limit.pairs < 2)
    crowd(&w, 0.01);
  assert_uint_in_range(w.limit.mean * 100, 97, 103);
}

/* 100 keep the processor busy: 10 ms / 0.1 ms. */
static void test_it_finds_where_more_in_flight_finish_no_more(void **state) {
  (void)state;
  world w = make(1, MOST, 10000, 100);
  crowd(&w, 10);
  assert_uint_in_range(w.limit.low, 60, 200);
  assert_true(crowd(&w, 5) > 0.9 * fixed(&w, MOST, 1));
}

static void test_it_falls_where_requests_hinder_each_other(void **state) {
  (void)state;
  world w = make(1, 128, 4000, 1000);
  w.crowding = 0.02;
  crowd(&w, 60);
  assert_uint_in_range(w.limit.low, 1, 24);
  double best = 0;
  for (unsigned limit = 1; limit <= 128; limit *= 2) {
    double rate = fixed(&w, limit, 5);
    if (rate > best) best = rate;
  }
  assert_true(crowd(&w, 30) > 0.9 * best);
}

static void test_it_follows_what_changes(void **state) {
  (void)state;
  world w = make(1, 256, 1, 1000);
  crowd(&w, 60);
  assert_uint_in_range(w.limit.now, 1, 6);
  w.wait_us = 20000;
  w.cpu_us = 100;
  crowd(&w, 10);
  assert_uint_in_range(w.limit.now, 120, 256);
  w.wait_us = 1;
  w.cpu_us = 1000;
  crowd(&w, 200);
  assert_uint_in_range(w.limit.now, 1, 12);
}

static void test_a_disturbance_does_not_last(void **state) {
  (void)state;
  world w = make(1, MOST, 10000, 100);
  crowd(&w, 5);
  for (int times = 0; times < 5; times++) {
    w.cpu_us = 2000; /* the machine has something else to do */
    crowd(&w, 0.7);
    w.cpu_us = 100;
    crowd(&w, 0.5);
  }
  crowd(&w, 5);
  assert_true(crowd(&w, 5) > 0.9 * fixed(&w, MOST, 1));
}

/* Requests take 0.6 to 2.4 times as long, for 50 to 650 ms each time: longer than a measurement. */
static void test_a_busy_machine_does_not_drive_it_far(void **state) {
  (void)state;
  enum { SEEDS = 20, PHASES = 100 };
  unsigned sum = 0, largest = 0;
  for (unsigned seed = 1; seed <= SEEDS; seed++) {
    world w = make(4, 64, 3000, 10000);
    w.random = seed * 7919;
    for (int phase = 0; phase < PHASES; phase++) {
      w.cpu_us = 10000 * (0.6 + 1.8 * chance(&w) * chance(&w));
      crowd(&w, 0.05 + 0.6 * chance(&w));
      if (w.limit.now > largest) largest = w.limit.now;
    }
    sum += w.limit.low;
  }
  assert_uint_in_range(sum / SEEDS, 4, 24);
  assert_uint_in_range(largest, 16, 48);
}

/* One in fifty waits fifty times as long: a mean that is twice as long, a minimum that says nothing of it. */
static void test_slow_requests_among_quick_ones_do_not_lower_it(void **state) {
  (void)state;
  world w = make(1, 256, 2000, 1);
  w.slow = 0.02;
  w.slow_times = 50;
  crowd(&w, 10);
  assert_uint_in_range(w.limit.now, 128, 256);
}

static void test_idle_times_teach_nothing(void **state) {
  (void)state;
  world w = make(1, MOST, 10000, 100);
  crowd(&w, 3);
  howdah_limit before = w.limit;
  howdah_limit_bind(&w.limit, false, (uint64_t)w.now_us);
  for (int i = 0; i < 10000; i++) {
    w.now_us += SECOND;
    assert_false(howdah_limit_count(&w.limit)); /* requests come, and none waits */
  }
  assert_int_equal(w.limit.now, before.now);
  assert_int_equal(w.limit.low, before.low);
  assert_int_equal(w.limit.pairs, before.pairs);
}

/* Little's law: 4 that finish in each 10 ms, two or three at a time, stay 5 to 7.5 ms. */
static void test_only_time_in_which_requests_wait_counts(void **state) {
  (void)state;
  howdah_limit limit;
  howdah_limit_init(&limit, 2, 3);
  uint64_t now_us = SECOND;
  for (int times = 0; times < 40; times++) {
    howdah_limit_bind(&limit, true, now_us);
    for (int i = 0; i < 4; i++)
      if (howdah_limit_count(&limit)) howdah_limit_look(&limit, now_us + 5000);
    now_us += 10000;
    howdah_limit_bind(&limit, false, now_us);
    now_us += 3600 * (uint64_t)SECOND;
  }
  assert_uint_in_range(limit.turn_us, 4500, 9000);
}

/* Bursts that are too short to tell anything, an hour apart. */
static void test_what_happens_between_two_bursts_does_not_count(void **state) {
  (void)state;
  world w = make(1, MOST, 10000, 1);
  for (int times = 0; times < 100; times++) {
    crowd(&w, 0.03);
    howdah_limit_bind(&w.limit, false, (uint64_t)w.now_us);
    w.in_flight = 0;
    w.now_us += 3600.0 * SECOND;
  }
  assert_uint_in_range(w.limit.now, 256, MOST);
}

static void test_bounds_that_agree_are_a_fixed_limit(void **state) {
  (void)state;
  world w = make(7, 7, 10000, 1);
  crowd(&w, 5);
  howdah_limit_stalled(&w.limit, (uint64_t)w.now_us);
  assert_int_equal(w.limit.now, 7);
}

static void test_it_begins_within_its_bounds(void **state) {
  (void)state;
  assert_int_equal(make(1, 8, 1, 1).limit.now, 8);
  assert_int_equal(make(1, 100, 1, 1).limit.now, 16);
  assert_int_equal(make(40, 100, 1, 1).limit.now, 40);
}

static void test_it_keeps_narrow_bounds(void **state) {
  (void)state;
  for (unsigned least = 1; least < 5; least++) {
    for (unsigned most = least + 1; most < 8; most++) {
      world waiting = make(least, most, 1000, 1), computing = make(least, most, 1, 100);
      crowd(&waiting, 20);
      crowd(&computing, 20);
      assert_uint_in_range(waiting.limit.low, most * 2 / 3 < least ? least : most * 2 / 3, most);
      assert_uint_in_range(computing.limit.low, least, least + 1);
    }
  }
}

/* Streams have all places. */
static void test_where_nothing_finishes_it_is_doubled(void **state) {
  (void)state;
  howdah_limit limit;
  howdah_limit_init(&limit, 1, 1000);
  howdah_limit_bind(&limit, true, 1);
  howdah_limit_stalled(&limit, SECOND);
  assert_int_equal(limit.now, 32);
  for (int times = 0; times < 10; times++)
    howdah_limit_stalled(&limit, SECOND);
  assert_uint_in_range(limit.now, 600, 1000);
}

/* Little's law: 16 in flight, 10 ms each. */
static void test_it_tells_how_long_a_request_stays(void **state) {
  (void)state;
  world w = make(1, 16, 10000, 1);
  crowd(&w, 5);
  assert_uint_in_range(w.limit.turn_us, 8000, 12500);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_it_rises_to_the_ceiling_where_requests_only_wait),
      cmocka_unit_test(test_it_gets_there_within_a_second),
      cmocka_unit_test(test_it_falls_where_requests_only_compute),
      cmocka_unit_test(test_a_turn_after_each_move_does_not_count),
      cmocka_unit_test(test_it_finds_where_more_in_flight_finish_no_more),
      cmocka_unit_test(test_it_falls_where_requests_hinder_each_other),
      cmocka_unit_test(test_it_follows_what_changes),
      cmocka_unit_test(test_a_disturbance_does_not_last),
      cmocka_unit_test(test_a_busy_machine_does_not_drive_it_far),
      cmocka_unit_test(test_slow_requests_among_quick_ones_do_not_lower_it),
      cmocka_unit_test(test_idle_times_teach_nothing),
      cmocka_unit_test(test_only_time_in_which_requests_wait_counts),
      cmocka_unit_test(test_what_happens_between_two_bursts_does_not_count),
      cmocka_unit_test(test_bounds_that_agree_are_a_fixed_limit),
      cmocka_unit_test(test_it_begins_within_its_bounds),
      cmocka_unit_test(test_it_keeps_narrow_bounds),
      cmocka_unit_test(test_where_nothing_finishes_it_is_doubled),
      cmocka_unit_test(test_it_tells_how_long_a_request_stays),
  };
  return cmocka_run_group_tests_name("the adaptive limit", tests, NULL, NULL);
}
