/* All pools of the process. */
#include "pool.h"

static howdah_pool *pools;

howdah_pool *howdah_pools_first(void) {
  return pools;
}

void howdah_pools_join(howdah_pool *pool) {
  pool->next_pool = pools;
  pools = pool;
}

void howdah_pools_leave(howdah_pool *pool) {
  howdah_pool **place = &pools;
  while (*place != pool)
    place = &(*place)->next_pool;
  *place = pool->next_pool;
}
