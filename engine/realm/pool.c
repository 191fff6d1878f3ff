/* The pool: realms are reused last-in first-out, replaced when they must be, and let go when there is nothing to do; requests that
 * find none wait in a bounded queue. All of it on the main stack.
 *
 * Invariants:
 *  1. A request waits in the queue only while no realm is idle and none may be born, or while one boots for it, or until the loop's tasks
 *     run: while timers are due, whose realms may be about to finish. A realm that has just finished has its state in place and its memory
 *     in the processor's caches; among many realms that is worth more than half of what a request costs.
 *  2. howdah_pool_after_run() is the only place where a realm goes from busy to idle, or dies.
 *  3. Worker mode: no request is given to a realm that has not booted.
 *  4. Where the limit on requests in flight adapts itself, a request waits also while there is no place (slots.c), and then realms may be
 *     idle. */
#include "pool.h"
#include "alone.h"
#include "cancel.h"
#include "slow.h"
#include "waits.h"
#include "../log.h"
#include "../state/snapshot_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static howdah_pool *pools;

howdah_pool *howdah_pools_first(void) {
  return pools;
}

/* ---- Realms ---- */

static void tell_drained(howdah_task *task) {
  howdah_pool *pool = task->data;
  if (pool->drained) pool->drained(pool->drained_data);
}

static void bury(howdah_realm *realm) {
  howdah_slots_leave(realm);
  howdah_realm_move(realm, HOWDAH_ENDED);
  howdah_cancel_stop(realm);
  howdah_realm_death(realm);
}

static void hand_back(howdah_pool *pool, howdah_request *request) {
  pool->requests++;
  request->ops->finish(request);
}

/* From the beginning each time: what PHP code does at its end may change the list. */
void howdah_pool_retire_idle(howdah_pool *pool, bool (*which)(const howdah_realm *), howdah_end why) {
  howdah_realm *realm = pool->idle;
  while (realm) {
    if (which && !which(realm)) {
      realm = realm->next;
      continue;
    }
    howdah_idle_end(pool, realm, why);
    realm = pool->idle;
  }
}

/* While requests wait, who has just booted is there for them: ended here, it would be followed by another one, and so on for ever. */
static void check_drained(howdah_pool *pool) {
  if (!pool->draining || pool->queue_first) return;
  howdah_pool_retire_idle(pool, NULL, HOWDAH_END_DRAIN);
  if (pool->realms == 0) howdah_loop_post(howdah_coroutine_loop(), &pool->drained_task);
}

/* ---- Requests ---- */

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

static void serve_idle(howdah_pool *pool, howdah_request *request) {
  howdah_realm *realm = pool->idle;
  howdah_idle_remove(pool, realm);
  serve(pool, realm, request);
}

/* Those who wait for a realm that boots, or that may boot for them, take no place in the queue. */
static unsigned room(const howdah_pool *pool) {
  if (pool->mode == HOWDAH_CLASSIC) return 0;
  unsigned alive = howdah_pool_alive(pool), slots = howdah_slots_free(pool), more = 0;
  if (alive < pool->realms_max && howdah_births_allowed(pool)) more = pool->realms_max - alive;
  return pool->living[HOWDAH_BOOTING] + (more < slots ? more : slots);
}

/* Classic mode: born for this request. */
static void serve_newborn(howdah_pool *pool, howdah_request *request) {
  char error[512];
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

static bool needs_boot(const howdah_pool *pool) {
  unsigned booting = pool->living[HOWDAH_BOOTING];
  return booting < pool->queued && booting < howdah_slots_free(pool) && howdah_births_allowed(pool);
}

static bool may_serve_queue(howdah_pool *pool) {
  if (!pool->queue_first || !howdah_slots_free(pool) || !howdah_alone_may_serve(pool)) return false;
  return pool->idle || (pool->mode == HOWDAH_CLASSIC ? howdah_births_allowed(pool) : needs_boot(pool));
}

/* A turn of the loop may have been long, and the kernel knows more than the front-end. */
static bool has_been_abandoned(howdah_request *request) {
  if (request->aborted || !request->ops->is_gone) return false;
  request->aborted = request->ops->is_gone(request);
  return request->aborted;
}

static void serve_first(howdah_pool *pool) {
  if (has_been_abandoned(pool->queue_first)) {
    howdah_pool_abandoned(pool->queue_first);
    return;
  }
  howdah_request *request = howdah_queue_take(pool);
  if (pool->idle)
    serve_idle(pool, request);
  else
    serve_newborn(pool, request);
}

void howdah_pool_abandoned(howdah_request *request) {
  howdah_pool *pool = request->waits_in;
  if (request->outlives_client) {
    howdah_queue_put_back(request);
    return;
  }
  howdah_queue_remove(request);
  hand_back(pool, request);
  check_drained(pool);
}

static bool boot_one(howdah_pool *pool) {
  if (howdah_births_boot(pool)) return true;
  if (howdah_pool_alive(pool) == 0) howdah_queue_refuse_all(pool, 503, "Service Unavailable: no memory for a PHP realm\n");
  return false;
}

static bool is_timer_due(void) {
  return howdah_loop_next_due_us(howdah_coroutine_loop()) <= howdah_loop_now_us();
}

/* Not again from within: a long queue of quick requests must not become a deep stack. */
void howdah_pool_serve_queue(howdah_pool *pool) {
  if (pool->serving_queue) return;
  pool->serving_queue = true;
  while (may_serve_queue(pool)) {
    if (pool->idle || pool->mode == HOWDAH_CLASSIC)
      serve_first(pool);
    else if (!boot_one(pool))
      break;
    if (pool->queue_first && is_timer_due()) {
      howdah_loop_post(howdah_coroutine_loop(), &pool->queue_task);
      break;
    }
  }
  pool->serving_queue = false;
  howdah_slots_look(pool);
}

/* In turns: those whose time has come, then one who waits. */
static void serve_queue_in_turns(howdah_task *task) {
  howdah_pool *pool = task->data;
  while (may_serve_queue(pool)) {
    howdah_loop_run_timers(howdah_coroutine_loop());
    howdah_pool_serve_queue(pool);
  }
  check_drained(pool); /* who waited may have gone before */
}

/* What did not boot may now, and at once. */
static void end_saved_over(howdah_pool *pool) {
  if (!howdah_outdated_look_for_saves(&pool->saves)) return;
  howdah_births_try_again(pool);
  if (pool->mode == HOWDAH_WORKER) howdah_pool_retire_idle(pool, howdah_outdated_by_save, HOWDAH_END_OUTDATED);
}

static void find_realm(howdah_pool *pool, howdah_request *request) {
  if (pool->queued < pool->queue_max && howdah_loop_next_due_us(howdah_coroutine_loop()) <= request->received_us) {
    howdah_queue_put(pool, request, 0);
    howdah_loop_post(howdah_coroutine_loop(), &pool->queue_task);
  } else if (!howdah_alone_may_serve(pool)) {
    howdah_queue_put(pool, request, 0);
  } else if (pool->idle && howdah_slots_may_begin(pool)) {
    serve_idle(pool, request);
  } else if (pool->mode == HOWDAH_CLASSIC && howdah_slots_may_begin(pool) && howdah_births_allowed(pool)) {
    serve_newborn(pool, request);
  } else {
    howdah_queue_put(pool, request, room(pool));
    howdah_pool_serve_queue(pool);
  }
}

void howdah_pool_submit(howdah_pool *pool, howdah_request *request) {
  if (!request->received_us) request->received_us = howdah_loop_now_us();
  if (request->aborted && !request->outlives_client) {
    hand_back(pool, request);
    return;
  }
  howdah_pool_begin();
  pool->births_rest = false;
  end_saved_over(pool);
  find_realm(pool, request);
  howdah_pool_end(pool);
}

/* ---- After a run ---- */

static bool is_above_mark(howdah_pool *pool, const howdah_realm *realm) {
  if (!pool->realm_memory || realm->heap_bytes <= pool->realm_memory || pool->mark_too_low) return false;
  if (pool->mode == HOWDAH_WORKER && realm->heap_booted > pool->realm_memory) {
    pool->mark_too_low = true;
    howdah_log(HOWDAH_LOG_WARNING, NULL,
               "howdah: %s needs %llu MB when it has booted, more than howdah_realm_memory: realms are not replaced for their "
               "memory; raise howdah_realm_memory",
               pool->script, (unsigned long long)(realm->heap_booted >> 20));
    return false;
  }
  howdah_log(realm->served > 1 ? HOWDAH_LOG_NOTICE : HOWDAH_LOG_WARNING, realm->finished,
             "howdah: realm %u holds %llu MB after %llu requests, more than howdah_realm_memory: it is replaced", realm->id,
             (unsigned long long)(realm->heap_bytes >> 20), (unsigned long long)realm->served);
  return true;
}

/* Whether a realm that has served has to end now. In worker mode it serves on until another has booted: but for one request each,
 * where the worker needs the memory, and where opcache waits for it. */
static bool has_to_end(howdah_pool *pool, howdah_realm *realm) {
  if (howdah_realm_retires(realm)) return true;
  if (howdah_outdated(realm))
    realm->end = HOWDAH_END_OUTDATED;
  else if (howdah_ceiling_wants(realm))
    realm->end = HOWDAH_END_CEILING;
  else if (realm->fate == HOWDAH_SPENT)
    return false;
  else if (realm->requests_max && realm->served >= realm->requests_max)
    realm->end = HOWDAH_END_REQUESTS;
  else if (is_above_mark(pool, realm))
    realm->end = HOWDAH_END_MEMORY;
  else
    return false;
  bool soon = realm->end == HOWDAH_END_REQUESTS || realm->end == HOWDAH_END_MEMORY;
  if (soon && pool->mode == HOWDAH_WORKER && pool->requests_max != 1 && !howdah_is_alone()) {
    howdah_births_spend(pool, realm);
    return false;
  }
  howdah_realm_retire(realm);
  return true;
}

static void has_ended(howdah_pool *pool, howdah_realm *realm, howdah_request *done) {
  howdah_assert(!realm->request && !realm->assigned, "a realm has ended, and its request has not");
  bool failed = howdah_births_ended(pool, realm);
  bury(realm);
  if (done) hand_back(pool, done);
  if (failed)
    howdah_births_failed(pool);
  else
    howdah_births_look(pool);
}

/* A file was saved while it booted, or tidied up. Who has waited since before it began to boot gets it all the same: where a boot itself saves files,
 * nobody would ever be served. It ends after that request. */
static void has_been_saved_over(howdah_pool *pool, howdah_realm *realm) {
  if (!may_serve_queue(pool) || pool->queue_first->received_us > realm->boot_us) {
    howdah_idle_end(pool, realm, HOWDAH_END_OUTDATED);
    return;
  }
  howdah_request *request = howdah_queue_take(pool);
  howdah_idle_remove(pool, realm);
  serve(pool, realm, request);
}

/* It waits for a request. done is NULL where it was handed back before: what a worker script does between two requests may wait. */
static void has_become_idle(howdah_pool *pool, howdah_realm *realm, howdah_request *done) {
  bool has_booted = realm->life == HOWDAH_BOOTING && pool->mode == HOWDAH_WORKER;
  bool successor = has_booted && howdah_births_booted(pool, realm);
  bool has_served = realm->served != realm->served_judged;
  realm->served_judged = realm->served;
  if (has_served && has_to_end(pool, realm)) {
    if (done) hand_back(pool, done);
    howdah_realm_move(realm, HOWDAH_ENDING);
    howdah_coroutine_resume(&realm->coroutine);
  } else if (has_served && howdah_garbage_is_urgent(realm)) {
    if (done) hand_back(pool, done);
    howdah_garbage_tidy(realm);
  } else {
    howdah_idle_put(pool, realm);
    if (howdah_outdated_by_save(realm)) has_been_saved_over(pool, realm);
    /* finish() may submit a request that takes the realm. */
    if (done) hand_back(pool, done);
  }
  if (!successor) return;
  howdah_pool_serve_queue(pool);
  howdah_births_end_spent(pool);
}

void howdah_pool_after_run(howdah_coroutine *coroutine) {
  howdah_realm *realm = (howdah_realm *)coroutine;
  howdah_pool *pool = realm->pool;
  howdah_request *done = realm->finished;
  if (done) {
    howdah_slow_end(realm);
    howdah_waits_end(realm);
  }
  realm->finished = NULL;
  if ((done || realm->asks) && !realm->closing) howdah_cancel_stop(realm);
  if (done) howdah_slots_finished(realm);
  howdah_ceiling_look();
  if (realm->life == HOWDAH_IDLE) return; /* woken for nothing */

  howdah_pool_begin();
  if (coroutine->finished)
    has_ended(pool, realm, done);
  else if (realm->asks)
    has_become_idle(pool, realm, done);
  else if (done)
    hand_back(pool, done);
  howdah_pool_serve_queue(pool);
  if (pool->closing) howdah_births_end_needless(pool);
  howdah_alone_next();
  check_drained(pool);
  howdah_pool_end(pool);
}

/* ---- The pool ---- */

/* A longer time is as good as this one, which can be added to any clock. */
static uint64_t us_of(uint64_t ms) {
  static const uint64_t century_ms = 100ull * 366 * 24 * 3600 * 1000;
  return (ms < century_ms ? ms : century_ms) * 1000;
}

static void retire_outdated(void *data) {
  end_saved_over(data);
  howdah_pool_retire_idle(data, howdah_outdated, HOWDAH_END_OUTDATED);
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
  pool->rewinds = options->rewinds;
  pool->script = options->script ? strdup(options->script) : NULL;
  pool->document_root = options->document_root ? strdup(options->document_root) : NULL;
  if ((options->script && !pool->script) || (options->document_root && !pool->document_root)) goto no_memory;
  pool->realms_max = options->realms_max;
  pool->realms_warm = options->realms_warm;
  pool->queue_max = options->queue_max;
  pool->queue_timeout_us = us_of(options->queue_timeout_ms);
  pool->requests_max = options->requests_max;
  pool->request_timeout_us = us_of(options->request_timeout_ms);
  pool->idle_timeout_us = us_of(options->idle_timeout_ms);
  pool->realm_memory = options->realm_memory;
  pool->without_opcache = options->without_opcache;
  pool->queue_task = (howdah_task){.run = serve_queue_in_turns, .data = pool};
  pool->drained_task = (howdah_task){.run = tell_drained, .data = pool};
  howdah_queue_init(pool);
  howdah_slots_init(pool, options->adaptive_least);
  howdah_idle_init(pool);
  howdah_garbage_init(pool);
  howdah_births_init(pool);
  if (pool->mode == HOWDAH_WORKER) howdah_outdated_start(&pool->outdated, retire_outdated, pool);
  pool->next_pool = pools;
  pools = pool;
  return pool;

no_memory:
  snprintf(error, error_size, "howdah: out of memory for a pool of realms");
  if (pool) {
    free(pool->boot_error);
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

void howdah_pool_close(howdah_pool *pool) {
  pool->closing = true;
  howdah_births_end_needless(pool);
}

void howdah_pool_drain(howdah_pool *pool, void (*done)(void *data), void *data) {
  pool->closing = pool->draining = true;
  pool->drained = done;
  pool->drained_data = data;
  howdah_pool_retire_idle(pool, NULL, HOWDAH_END_DRAIN);
  howdah_births_end_needless(pool);
  howdah_outdated_stop(&pool->outdated);
  check_drained(pool);
}

void howdah_pool_cancel(howdah_pool *pool) {
  pool->stopping = true;
  howdah_queue_refuse_all(pool, 503, "Service Unavailable: the server is stopping\n");
  cancel_all(pool, cancel_request);
  cancel_all(pool, howdah_cancel_ends);
}

void howdah_pool_free(howdah_pool *pool) {
  howdah_assert(!pool->all && !pool->queue_first, "a pool is freed that has realms or requests");
  howdah_loop *loop = howdah_coroutine_loop();
  howdah_timer *timers[] = {&pool->queue_timer, &pool->slots_timer, &pool->births_timer, &pool->idle_timer, &pool->tidy_timer};
  for (size_t i = 0; i < sizeof(timers) / sizeof(*timers); i++)
    howdah_loop_timer_stop(loop, timers[i]);
  howdah_loop_unpost(loop, &pool->queue_task);
  howdah_loop_unpost(loop, &pool->births_task);
  howdah_loop_unpost(loop, &pool->drained_task);
  howdah_pool **place = &pools;
  while (*place != pool)
    place = &(*place)->next_pool;
  *place = pool->next_pool;
  free(pool->boot_error);
  free(pool->script);
  free(pool->document_root);
  free(pool);
}

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
  stats->realms = pool->realms;
  stats->busy = howdah_pool_busy(pool);
  for (const howdah_realm *realm = pool->all; realm; realm = realm->all_next) {
    bool parked = realm->coroutine.parked;
    if (!realm->asks && parked) stats->waiting++;
    if (!realm->asks && realm->life != HOWDAH_BOOTING && (!parked || realm->coroutine.yielding)) stats->computing++;
  }
  stats->queued = pool->queued;
  stats->limit = howdah_pool_limit(pool);
  stats->requests = pool->requests;
  stats->births = pool->births;
  stats->deaths = pool->deaths;
  stats->booting = pool->living[HOWDAH_BOOTING];
  stats->why = (howdah_pool_deaths){.script = pool->ends[HOWDAH_END_SCRIPT],
                                    .boot = pool->ends[HOWDAH_END_BOOT],
                                    .requests = pool->ends[HOWDAH_END_REQUESTS],
                                    .memory = pool->ends[HOWDAH_END_MEMORY],
                                    .outdated = pool->ends[HOWDAH_END_OUTDATED],
                                    .idle = pool->ends[HOWDAH_END_IDLE],
                                    .ceiling = pool->ends[HOWDAH_END_CEILING]};
  stats->collections = pool->collections;
  stats->collected = pool->collected;
  stats->cancelled = pool->cancelled;
  stats->switches = howdah_coroutine_switches();
  stats->loads = howdah_state_loads();
}
