/* One request at a time. See alone.h. */
#include "alone.h"

static const atomic_bool *alone;

void howdah_alone_obey(const atomic_bool *flag) {
  alone = flag;
}

bool howdah_is_alone(void) {
  return __builtin_expect(alone != NULL, 0) && atomic_load_explicit(alone, memory_order_relaxed);
}

/* Those that were given up would keep the others waiting for ever. */
static unsigned busy_realms(void) {
  unsigned busy = 0;
  for (const howdah_pool *pool = howdah_pools_first(); pool; pool = pool->next_pool)
    busy += howdah_pool_busy(pool) - pool->counts.fated[HOWDAH_GIVEN_UP];
  return busy;
}

static bool is_not_next(const howdah_realm *realm) {
  return realm != howdah_idle_warmest(&realm->pool->idle);
}

void howdah_alone_count(howdah_pool *pool) {
  unsigned idle = 0, own = pool->counts.living[HOWDAH_IDLE];
  for (const howdah_pool *each = howdah_pools_first(); each; each = each->next_pool)
    idle += each->counts.living[HOWDAH_IDLE];
  pool->counts.alone = howdah_is_alone();
  pool->counts.barred = pool->counts.alone && busy_realms() > 0;
  pool->counts.in_the_way = pool->counts.alone && (own > 1 || idle > own);
}

/* The end of a realm may wait, too. */
void howdah_alone_end_others(howdah_pool *pool) {
  for (howdah_pool *other = howdah_pools_first(); other; other = other->next_pool)
    howdah_idle_end_all(other, other == pool ? is_not_next : NULL, HOWDAH_END_ALONE);
}

void howdah_alone_next(void) {
  if (!howdah_is_alone()) return;
  for (howdah_pool *pool = howdah_pools_first(); pool; pool = pool->next_pool)
    if (pool->counts.queued) howdah_loop_post(howdah_coroutine_loop(), &pool->again);
}
