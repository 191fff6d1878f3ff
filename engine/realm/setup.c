/* Pools are made, stopped and freed. */
#include "cancel.h"
#include "pool.h"
#include "../log.h"
#include "../state/snapshot_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const howdah_realm_owner owner = {
    .closes = howdah_cancel_closing_begins,
    .after_run = howdah_pool_after_run,
    .gives_up = howdah_pool_give_up,
};

/* A longer time is as good as this one, which can be added to any clock. */
static uint64_t us_of(uint64_t ms) {
  static const uint64_t century_ms = 100ull * 366 * 24 * 3600 * 1000;
  return (ms < century_ms ? ms : century_ms) * 1000;
}

static void retire_outdated(void *data) {
  howdah_pool *pool = data;
  bool outermost = howdah_pool_event_begins(pool);
  howdah_pool_end_saved_over(pool);
  howdah_idle_end_all(pool, howdah_outdated, HOWDAH_END_OUTDATED);
  howdah_pool_event_ends(pool, outermost);
}

howdah_pool *howdah_pool_new(const howdah_pool_options *options, char *error, size_t error_size) {
  if (options->realms_max < 1 || options->realms_max > 10000 || options->realms_warm > options->realms_max) {
    snprintf(error, error_size,
             "howdah: a pool of %u realms, %u of them warm, is out of range: 1 to 10000, and not more warm ones",
             options->realms_max, options->realms_warm);
    return NULL;
  }
  if (options->adaptive_least > options->realms_max) {
    snprintf(error, error_size,
             "howdah: a limit that adapts itself between %u and %u is out of range: not more than the latter",
             options->adaptive_least, options->realms_max);
    return NULL;
  }
  if (options->rewinds && options->mode != HOWDAH_WORKER) {
    snprintf(error, error_size,
             "howdah: rewind is for worker mode: in classic mode each request begins from nothing anyway; leave it out");
    return NULL;
  }
  if (options->rewinds && howdah_rewind_refusal()) {
    snprintf(error, error_size, "howdah: %s", howdah_rewind_refusal());
    return NULL;
  }
  if (options->rewind_without && !howdah_snapshot_leave_out(options->rewind_without, error, error_size)) return NULL;
  howdah_pool *pool = calloc(1, sizeof(*pool));
  if (!pool) goto no_memory;
  pool->mode = options->mode;
  pool->owner = &owner;
  pool->decide = howdah_pool_decide;
  pool->counts.worker = options->mode == HOWDAH_WORKER;
  pool->rewinds = options->rewinds;
  pool->script = options->script ? strdup(options->script) : NULL;
  pool->document_root = options->document_root ? strdup(options->document_root) : NULL;
  if ((options->script && !pool->script) || (options->document_root && !pool->document_root)) goto no_memory;
  pool->counts.most = options->realms_max;
  pool->counts.warm = options->realms_warm;
  pool->requests_max = options->requests_max;
  pool->request_timeout_us = us_of(options->request_timeout_ms);
  pool->boot_timeout_us = us_of(options->boot_timeout_ms);
  pool->realm_memory = options->realm_memory;
  pool->without_opcache = options->without_opcache;
  pool->again = (howdah_task){.run = howdah_pool_decide_in_turns, .data = pool};
  howdah_queue_init(pool, options->queue_max, us_of(options->queue_timeout_ms));
  howdah_slots_init(pool, options->adaptive_least);
  howdah_idle_init(pool, us_of(options->idle_timeout_ms));
  howdah_garbage_init(pool);
  howdah_drain_init(pool);
  howdah_births_init(pool);
  if (pool->mode == HOWDAH_WORKER) howdah_outdated_start(&pool->outdated, retire_outdated, pool);
  howdah_pools_join(pool);
  return pool;

no_memory:
  snprintf(error, error_size, "howdah: out of memory for a pool of realms");
  if (pool) {
    free(pool->script);
    free(pool->document_root);
    free(pool);
  }
  return NULL;
}

static bool cancel_request(howdah_realm *realm) {
  return howdah_cancel(realm, HOWDAH_SHUTDOWN);
}

/* From the beginning each time: realms may end, and leave the list, while they are cancelled. */
static void cancel_all(howdah_pool *pool, bool (*cancel)(howdah_realm *)) {
  howdah_realm *realm = pool->all;
  while (realm)
    realm = cancel(realm) ? pool->all : realm->all_next;
}

void howdah_pool_cancel(howdah_pool *pool) {
  bool outermost = howdah_pool_event_begins(pool);
  pool->stopping = true;
  howdah_queue_refuse_all(pool, 503, "Service Unavailable: the server is stopping\n");
  cancel_all(pool, cancel_request);
  cancel_all(pool, howdah_cancel_ends);
  howdah_pool_event_ends(pool, outermost);
}

void howdah_pool_free(howdah_pool *pool) {
  howdah_assert(!pool->all && !pool->counts.queued, "a pool is freed that has realms or requests");
  howdah_loop_unpost(howdah_coroutine_loop(), &pool->again);
  howdah_queue_fini(pool);
  howdah_slots_fini(pool);
  howdah_idle_fini(pool);
  howdah_garbage_fini(pool);
  howdah_drain_fini(pool);
  howdah_births_fini(pool);
  howdah_pools_leave(pool);
  free(pool->script);
  free(pool->document_root);
  free(pool);
}
