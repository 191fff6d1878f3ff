/* What a pool does: the acts that policy.c may ask for (policy.h). Each is carried out by the file that knows how; who gets which request is here.
 * Only pool.c begins one. */
#include "alone.h"
#include "cancel.h"
#include "pool.h"
#include "slow.h"
#include "waits.h"
#include "../log.h"

#include <stdio.h>

static void serve(howdah_pool *pool, howdah_realm *realm, howdah_request *request) {
  howdah_assert(pool->mode == HOWDAH_CLASSIC || realm->life == HOWDAH_IDLE,
                "a request is given to a realm whose worker script has not booted");
  howdah_assert(!howdah_coroutine_current(), "a request is given to a realm while another one runs");
  howdah_slots_take(realm);
  realm->assigned = request;
  howdah_realm_move(realm, HOWDAH_SERVING);
  howdah_slow_begin(realm, request);
  howdah_waits_begin(realm, request);
  if (pool->request_timeout_us) howdah_cancel_start(realm, pool->request_timeout_us);
  howdah_coroutine_resume(&realm->coroutine);
}

/* The first in the queue, or who has just come to an empty one. */
static howdah_request *first(const howdah_pool *pool) {
  return pool->counts.queued ? howdah_queue_first(&pool->queue) : pool->arriving;
}

static howdah_request *take_arriving(howdah_pool *pool) {
  howdah_request *request = pool->arriving;
  pool->arriving = NULL;
  pool->counts.arriving = false;
  return request;
}

static howdah_request *take_first(howdah_pool *pool) {
  return pool->counts.queued ? howdah_queue_take(pool) : take_arriving(pool);
}

static void serve_idle(howdah_pool *pool) {
  howdah_realm *realm = howdah_idle_warmest(&pool->idle);
  if (pool->counts.queued && howdah_queue_has_dropped_first(pool)) return;
  if (realm->saved_over && first(pool)->received_us > realm->boot_us) {
    howdah_idle_end(pool, realm, HOWDAH_END_OUTDATED);
    return;
  }
  howdah_request *request = take_first(pool);
  howdah_idle_remove(pool, realm);
  serve(pool, realm, request);
}

/* Those who wait for a realm that boots, or that is there or may boot for them, take no place in the queue. */
static unsigned room(const howdah_pool *pool) {
  const howdah_counts *counts = &pool->counts;
  if (counts->barred) return 0;
  unsigned alive = howdah_counts_alive(counts), more = counts->living[HOWDAH_IDLE];
  bool bears = counts->soon || (howdah_policy_may_bear(counts) &&
                                (!howdah_act_needs_room(counts, HOWDAH_ACT_BOOT) || howdah_ceiling_has_room(pool)));
  if (alive < counts->most && bears) more += counts->most - alive;
  return counts->living[HOWDAH_BOOTING] + (more < counts->places ? more : counts->places);
}

static void queue_arriving(howdah_pool *pool) {
  unsigned more = pool->counts.later ? 0 : room(pool);
  howdah_queue_put(pool, take_arriving(pool), more);
}

static void bear(howdah_pool *pool) {
  char error[512];
  if (pool->counts.queued && howdah_queue_has_dropped_first(pool)) return;
  howdah_request *request = take_first(pool);
  howdah_realm *realm = howdah_births_give(pool, error, sizeof(error));
  if (realm) {
    serve(pool, realm, request);
    return;
  }
  howdah_log(HOWDAH_LOG_ERROR, request, "%s", error);
  if (howdah_pool_alive(pool) > 0)
    howdah_queue_put(pool, request, 0);
  else
    howdah_pool_refuse(pool, request, 503, "Service Unavailable: no memory for a PHP realm\n");
}

static void boot(howdah_pool *pool) {
  if (howdah_births_boot(pool, false) || howdah_pool_alive(pool) > 0) return;
  howdah_queue_refuse_all(pool, 503, "Service Unavailable: no memory for a PHP realm\n");
}

void howdah_pool_carry_out(howdah_pool *pool, howdah_act act) {
  switch (act) {
  case HOWDAH_ACT_REFUSE:
    howdah_births_refuse_all(pool);
    break;
  case HOWDAH_ACT_END_OTHERS:
    howdah_alone_end_others(pool);
    break;
  case HOWDAH_ACT_SERVE:
    serve_idle(pool);
    break;
  case HOWDAH_ACT_BEAR:
    bear(pool);
    break;
  case HOWDAH_ACT_QUEUE:
    queue_arriving(pool);
    break;
  case HOWDAH_ACT_BOOT:
    boot(pool);
    break;
  case HOWDAH_ACT_BOOT_MISSING:
    howdah_births_boot(pool, false);
    break;
  case HOWDAH_ACT_END_SPENT:
    howdah_births_end_spent(pool);
    break;
  case HOWDAH_ACT_BOOT_SUCCESSOR:
    howdah_births_boot(pool, true);
    break;
  case HOWDAH_ACT_END_COLD:
    howdah_idle_end_coldest(pool);
    break;
  case HOWDAH_ACT_END_FOR_MEMORY:
    howdah_ceiling_end_coldest(pool);
    break;
  case HOWDAH_ACT_TIDY:
    howdah_garbage_tidy_coldest(pool);
    break;
  case HOWDAH_ACT_END_BOOT:
    howdah_births_end_needless(pool);
    break;
  case HOWDAH_ACT_END_IDLE:
    howdah_idle_end(pool, howdah_idle_warmest(&pool->idle), HOWDAH_END_DRAIN);
    break;
  case HOWDAH_ACT_TELL_DRAINED:
    howdah_drain_tell(pool);
    break;
  case HOWDAH_ACT_NOTHING:
  case HOWDAH_ACTS:
    break;
  }
}
