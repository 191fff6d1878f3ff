/* Tidying up between requests.
 *
 * Worker mode: PHP collects reference cycles when 10,001 possible ones have come together, in the middle of whatever request that
 * is, and until then each may hold megabytes. So a realm that is idle for a moment collects its own. Under constant load, where no realm is
 * idle, it does so between two requests once what it uses has grown by a quarter: a Laravel realm every 100 requests, in 0.4 ms, instead of every
 * 800 in 4 ms, since what it looks at is still in the processor's caches, and with 0.5 MB that nobody needs instead of 4.
 * Classic mode: PHP keeps about half of what its largest request has used for the next one (zend_mm_shutdown(), Zend/zend_alloc.c,
 * 8.2, unchanged in 8.4); a realm that is idle for a while gives that back. */
#include "cancel.h"
#include "pool.h"

enum { CHUNK_BYTES = 2 * 1024 * 1024 };

enum { COLLECT_AFTER_US = 20000, TRIM_AFTER_US = 1000000, BETWEEN_US = 2000, LIMIT_US = 30000000 };

/* As PHP's own threshold, where a collection found nothing: looking costs as much as the application is large. */
enum { ROOTS_MIN = 100, ROOTS_MAX = 10000, FRUITLESS_MAX = 7 };

enum { GROWTH_MIN = 512 * 1024, GROWTH_DOUBLINGS = 3 };

static uint64_t pause_us(const howdah_pool *pool) {
  return pool->mode == HOWDAH_WORKER ? COLLECT_AFTER_US : TRIM_AFTER_US;
}

static bool has_grown(const howdah_realm *realm, uint64_t by) {
  return realm->heap_used >= realm->used_tidy + by;
}

/* Once after each request at most: destructors may leave cycles. */
static bool is_untidy(const howdah_pool *pool, const howdah_realm *realm) {
  if (realm->served == realm->served_tidy) return false;
  if (pool->mode == HOWDAH_CLASSIC) return realm->heap_bytes > CHUNK_BYTES;
  if (realm->roots == 0) return false;
  unsigned enough = ROOTS_MIN << realm->fruitless;
  return realm->roots >= (enough < ROOTS_MAX ? enough : ROOTS_MAX) || has_grown(realm, CHUNK_BYTES);
}

bool howdah_garbage_is_urgent(const howdah_realm *realm) {
  if (realm->pool->mode == HOWDAH_CLASSIC) return false; /* what is left in the collector is of a request that is over */
  unsigned doublings = realm->fruitless < GROWTH_DOUBLINGS ? realm->fruitless : GROWTH_DOUBLINGS;
  uint64_t part = realm->used_tidy / (realm->fruitless ? 2 : 4), least = (uint64_t)GROWTH_MIN << doublings;
  return realm->roots > 0 && has_grown(realm, part > least ? part : least);
}

static void arm(howdah_pool *pool, uint64_t delay_us) {
  pool->garbage.armed = howdah_loop_timer_start(howdah_coroutine_loop(), &pool->garbage.timer, delay_us) == 0;
}

static howdah_realm *coldest_untidy(const howdah_pool *pool) {
  howdah_realm *realm = howdah_idle_coldest(&pool->idle);
  while (realm && !realm->untidy)
    realm = realm->prev;
  return realm;
}

void howdah_garbage_tidy_coldest(howdah_pool *pool) {
  howdah_realm *realm = coldest_untidy(pool);
  pool->counts.due &= ~(unsigned)HOWDAH_DUE_TIDY;
  howdah_idle_remove(pool, realm);
  howdah_garbage_tidy(realm);
}

/* The one that is idle for longest; one at a time, so that many do not stop the worker. */
static void on_time(howdah_timer *timer) {
  howdah_pool *pool = timer->data;
  uint64_t now_us = howdah_loop_now_us();
  pool->garbage.armed = false;
  if (pool->counts.draining) return;
  const howdah_realm *realm = coldest_untidy(pool);
  if (!realm) return;
  uint64_t due_us = realm->idle_since_us + pause_us(pool);
  if (due_us > now_us) {
    arm(pool, due_us - now_us);
    return;
  }
  howdah_pool_happens(pool, HOWDAH_DUE_TIDY);
  if (pool->counts.untidy && !pool->garbage.armed) arm(pool, BETWEEN_US);
}

void howdah_garbage_init(howdah_pool *pool) {
  pool->garbage.timer = (howdah_timer){.fire = on_time, .data = pool};
}

void howdah_garbage_fini(howdah_pool *pool) {
  howdah_loop_timer_stop(howdah_coroutine_loop(), &pool->garbage.timer);
}

void howdah_garbage_listed(howdah_pool *pool, howdah_realm *realm) {
  if (!is_untidy(pool, realm)) return;
  realm->untidy = true;
  pool->counts.untidy++;
  if (!pool->garbage.armed && !pool->counts.draining) arm(pool, pause_us(pool));
}

void howdah_garbage_unlisted(howdah_pool *pool, howdah_realm *realm) {
  if (!realm->untidy) return;
  realm->untidy = false;
  pool->counts.untidy--;
}

void howdah_garbage_tidy(howdah_realm *realm) {
  const howdah_pool *pool = realm->pool;
  realm->tidy = true;
  realm->served_tidy = realm->served;
  howdah_realm_move(realm, HOWDAH_TIDYING);
  howdah_cancel_start(realm, pool->request_timeout_us ? pool->request_timeout_us : LIMIT_US);
  howdah_coroutine_resume(&realm->coroutine);
}

void howdah_garbage_told(howdah_realm *realm, unsigned collected) {
  realm->pool->tally.collections++;
  realm->pool->tally.collected += collected;
  if (collected >= ROOTS_MIN)
    realm->fruitless = 0;
  else if (realm->fruitless < FRUITLESS_MAX)
    realm->fruitless++;
}
