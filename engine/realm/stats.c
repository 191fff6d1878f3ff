/* What a pool counts, and what each of its realms does, for those who ask (howdah.h). */
#include "pool.h"

#include <string.h>

void howdah_pool_each_realm(const howdah_pool *pool, void (*tell)(void *to, const howdah_realm_info *realm), void *to) {
  for (const howdah_realm *realm = pool->all; realm; realm = realm->all_next) {
    const howdah_request *request = realm->request ? realm->request : realm->assigned;
    howdah_realm_info info = {.busy = realm->life != HOWDAH_IDLE,
                              .born_us = realm->born_us,
                              .served = realm->served,
                              .request = request && howdah_request_is_real(request) ? request : NULL,
                              .last_cpu_us = realm->last_cpu_us,
                              .last_memory = realm->last_memory};
    bool rests = realm->life == HOWDAH_IDLE && realm->last_began_us && realm->idle_since_us > realm->last_began_us;
    if (rests) info.last_us = realm->idle_since_us - realm->last_began_us;
    tell(to, &info);
  }
}

void howdah_pool_get_stats(const howdah_pool *pool, howdah_pool_stats *stats) {
  memset(stats, 0, sizeof(*stats));
  stats->realms = pool->counts.realms;
  stats->busy = howdah_pool_busy(pool);
  for (const howdah_realm *realm = pool->all; realm; realm = realm->all_next) {
    bool parked = realm->coroutine.parked;
    if (!realm->asks && parked) stats->waiting++;
    if (!realm->asks && realm->life != HOWDAH_BOOTING && (!parked || realm->coroutine.yielding)) stats->computing++;
  }
  stats->queued = pool->counts.queued;
  stats->limit = howdah_pool_limit(pool);
  stats->requests = pool->tally.requests;
  stats->births = pool->tally.births;
  stats->deaths = pool->tally.deaths;
  stats->booting = pool->counts.living[HOWDAH_BOOTING];
  stats->why = (howdah_pool_deaths){.script = pool->tally.ends[HOWDAH_END_SCRIPT],
                                    .boot = pool->tally.ends[HOWDAH_END_BOOT],
                                    .requests = pool->tally.ends[HOWDAH_END_REQUESTS],
                                    .memory = pool->tally.ends[HOWDAH_END_MEMORY],
                                    .outdated = pool->tally.ends[HOWDAH_END_OUTDATED],
                                    .idle = pool->tally.ends[HOWDAH_END_IDLE],
                                    .ceiling = pool->tally.ends[HOWDAH_END_CEILING]};
  stats->collections = pool->tally.collections;
  stats->collected = pool->tally.collected;
  stats->cancelled = pool->tally.cancelled;
  stats->switches = howdah_coroutine_switches();
  stats->loads = howdah_state_loads();
}
