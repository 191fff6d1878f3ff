/* Whether a pool can serve: has its worker script booted, and does it boot at all. */
#include "alone.h"
#include "pool.h"

#include <stdio.h>

enum { END_US = 1000000 };

static unsigned booted(const howdah_pool *pool) {
  return howdah_pool_alive(pool) - pool->counts.living[HOWDAH_BOOTING];
}

/* Of one pool, which is in the way of the others: they boot when somebody asks for them, and then it is no news that they can. */
static bool has_one_booted(void) {
  for (const howdah_pool *pool = howdah_pools_first(); pool; pool = pool->next_pool)
    if (pool->heap_booted > 0 || booted(pool) > 0) return true;
  return false;
}

howdah_pool_readiness howdah_pool_get_readiness(const howdah_pool *pool) {
  if (pool->mode == HOWDAH_CLASSIC || booted(pool) > 0) return HOWDAH_POOL_READY;
  if (howdah_births_fail(pool)) return HOWDAH_POOL_FAILING;
  if (howdah_is_alone() && has_one_booted()) return HOWDAH_POOL_READY;
  bool boots = pool->counts.warm > 0 && !pool->counts.rests;
  return boots || pool->counts.living[HOWDAH_BOOTING] > 0 ? HOWDAH_POOL_BOOTING : HOWDAH_POOL_READY;
}

/* Turns the loop while it is so, and until then. False when the loop fails. */
static bool turn_while(howdah_loop *loop, bool (*is_so)(const howdah_pool *), const howdah_pool *pool, uint64_t until_us) {
  enum { LOOK_MS = 50 };
  while (is_so(pool) && howdah_loop_now_us() < until_us)
    if (howdah_epoll_loop_turn(loop, LOOK_MS) < 0) return false;
  return true;
}

/* For the first time: whoever waits for the trial may try again himself. */
static bool is_booting(const howdah_pool *pool) {
  return !howdah_births_last_failed(&pool->births) && howdah_pool_get_readiness(pool) == HOWDAH_POOL_BOOTING;
}

static bool is_alive(const howdah_pool *pool) {
  return pool->counts.realms > 0;
}

int howdah_pool_try(const howdah_pool_options *options, howdah_loop *loop, char *error, size_t error_size) {
  howdah_pool_options one = *options;
  one.realms_max = one.realms_warm = 1;
  one.adaptive_least = 0;
  one.without_opcache = true;
  howdah_pool *pool = howdah_pool_new(&one, error, error_size);
  if (!pool) return -1;
  bool turned = turn_while(loop, is_booting, pool, UINT64_MAX);
  howdah_pool_readiness readiness = howdah_pool_get_readiness(pool);
  howdah_pool_drain(pool, NULL, NULL);
  if (turned) turn_while(loop, is_alive, pool, howdah_loop_now_us() + END_US);
  if (readiness == HOWDAH_POOL_READY) return 0;
  snprintf(error, error_size, "howdah: %s does not boot: see the log lines above", options->script);
  return -1;
}
