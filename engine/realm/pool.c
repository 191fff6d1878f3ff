/* The pool: realms are reused last-in first-out, replaced when they must be, and let go when there is nothing to do; requests that
 * find none wait in a bounded queue. All of it on the main stack.
 *
 * What happens next is decided in one place: whatever happens is an event, which changes what is counted, or says what is due; when it is over, the loop
 * in howdah_pool_decide() asks policy.c what to do and does it, until there is nothing. In an act other things happen (a realm runs, and parks or
 * ends): they are events within it, and the loop goes on with what they left.
 *
 * Invariants:
 *  1. A request waits in the queue only while no realm is idle and none may be born, or while one boots for it, or until the loop's tasks
 *     run: while timers are due, whose realms may be about to finish. A realm that has just finished has its state in place and its memory
 *     in the processor's caches; among many realms that is worth more than half of what a request costs.
 *  2. howdah_pool_after_run() is the only place where a realm goes from busy to idle, or dies.
 *  3. Worker mode: no request is given to a realm that has not booted.
 *  4. Where the limit on requests in flight adapts itself, a request waits also while there is no place (slots.c), and then realms may be
 *     idle.
 *  5. No act begins within another one, or within an event, of whatever pool. */
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

/* ---- Acts ---- */

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
  return pool->queue_first ? pool->queue_first : pool->arriving;
}

static howdah_request *take_arriving(howdah_pool *pool) {
  howdah_request *request = pool->arriving;
  pool->arriving = NULL;
  pool->counts.arriving = false;
  return request;
}

static howdah_request *take_first(howdah_pool *pool) {
  return pool->queue_first ? howdah_queue_take(pool) : take_arriving(pool);
}

static void drop_abandoned(howdah_pool *pool, howdah_request *request) {
  if (request->outlives_client) {
    howdah_queue_put_back(request);
    return;
  }
  howdah_queue_remove(request);
  hand_back(pool, request);
}

/* A turn of the loop may have been long, and the kernel knows more than the front-end. */
static bool has_dropped_abandoned(howdah_pool *pool) {
  howdah_request *request = pool->queue_first;
  if (request->aborted || !request->ops->is_gone) return false;
  request->aborted = request->ops->is_gone(request);
  if (request->aborted) drop_abandoned(pool, request);
  return request->aborted;
}

static void serve_idle(howdah_pool *pool) {
  howdah_realm *realm = pool->idle;
  if (pool->queue_first && has_dropped_abandoned(pool)) return;
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
  if (alive < counts->most && howdah_policy_may_bear(counts) && (alive == 0 || howdah_ceiling_has_room(pool)))
    more += counts->most - alive;
  return counts->living[HOWDAH_BOOTING] + (more < counts->places ? more : counts->places);
}

static void queue_arriving(howdah_pool *pool) {
  unsigned more = pool->counts.later ? 0 : room(pool);
  howdah_queue_put(pool, take_arriving(pool), more);
}

static void bear(howdah_pool *pool) {
  char error[512];
  if (pool->queue_first && has_dropped_abandoned(pool)) return;
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

static void carry_out(howdah_pool *pool, howdah_act act) {
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
    howdah_idle_end(pool, pool->idle, HOWDAH_END_DRAIN);
    break;
  case HOWDAH_ACT_TELL_DRAINED:
    howdah_loop_post(howdah_coroutine_loop(), &pool->drained_task);
    break;
  case HOWDAH_ACT_NOTHING:
  case HOWDAH_ACTS:
    break;
  }
}

/* ---- The loop ---- */

/* The pool of the act or event that is under way, the outermost one. */
static howdah_pool *under_way;

static bool is_timer_due_at(uint64_t us) {
  return howdah_loop_next_due_us(howdah_coroutine_loop()) <= us;
}

/* What is not counted as it changes. paced: timers are due, and who waits waits for them. */
static void look_around(howdah_pool *pool, bool paced, bool alone) {
  howdah_counts *counts = &pool->counts;
  counts->places = howdah_slots_free(pool);
  counts->later =
      paced || (counts->arriving && counts->queued < pool->queue_max && is_timer_due_at(pool->arriving->received_us));
  counts->pause = pool->births_again_us && howdah_loop_now_us() < pool->births_again_us;
  counts->no_room = false;
  if (alone) howdah_alone_count(pool);
  if (!counts->closing) return;
  counts->boots = howdah_births_going_on(pool);
  counts->told = pool->drained_task.posted;
}

/* Whether there is room below the ceiling is asked last: it costs a call of the kernel, and where there is none, somebody looks again later. */
static howdah_act next_act(howdah_pool *pool, bool paced, bool alone) {
  if (howdah_policy_rests(&pool->counts)) return HOWDAH_ACT_NOTHING;
  look_around(pool, paced, alone);
  howdah_act act = howdah_policy_next(&pool->counts);
  if (!howdah_act_needs_room(&pool->counts, act) || howdah_ceiling_has_room(pool)) return act;
  pool->counts.no_room = true;
  return howdah_policy_next(&pool->counts);
}

static void forget_due(howdah_pool *pool) {
  if (pool->counts.due & HOWDAH_DUE_BIRTH && !howdah_policy_lacks_realms(&pool->counts)) pool->counts.wanted = 0;
  pool->counts.due = 0;
}

bool howdah_pool_decide(howdah_pool *pool) {
  howdah_act act;
  bool paced = false;
  if (under_way) {
    if (under_way != pool) howdah_loop_post(howdah_coroutine_loop(), &pool->queue_task);
    return false;
  }
  bool alone = howdah_is_alone() || pool->counts.alone;
  howdah_pool_begin();
  while ((act = next_act(pool, paced, alone)) != HOWDAH_ACT_NOTHING) {
    bool later = pool->counts.later;
    howdah_assert(!under_way && !howdah_coroutine_current(), "an act begins within another one");
    under_way = pool;
    carry_out(pool, act);
    under_way = NULL;
    if (paced || !pool->queue_first) continue;
    paced = act == HOWDAH_ACT_QUEUE ? later : is_timer_due_at(howdah_loop_now_us());
    if (paced) howdah_loop_post(howdah_coroutine_loop(), &pool->queue_task);
  }
  if (pool->counts.due) forget_due(pool);
  if (pool->adaptive) howdah_slots_look(pool);
  howdah_pool_end(pool);
  return paced;
}

/* In turns: those whose time has come, then one who waits. */
static void decide_in_turns(howdah_task *task) {
  howdah_pool *pool = task->data;
  do {
    if (pool->queue_first) howdah_loop_run_timers(howdah_coroutine_loop());
  } while (howdah_pool_decide(pool));
}

/* ---- Events ---- */

/* Nothing is decided until it ends. False: it happens within another one, or within an act, and whoever is outside decides. */
static bool event_begins(howdah_pool *pool) {
  howdah_pool_begin();
  if (under_way) return false;
  under_way = pool;
  return true;
}

static void event_ends(howdah_pool *pool, bool outermost) {
  if (outermost) under_way = NULL;
  howdah_pool_decide(pool);
  howdah_pool_end(pool);
}

void howdah_pool_happens(howdah_pool *pool, unsigned due) {
  pool->counts.due |= due;
  howdah_pool_decide(pool);
}

void howdah_pool_abandoned(howdah_request *request) {
  howdah_pool *pool = request->waits_in;
  bool outermost = event_begins(pool);
  drop_abandoned(pool, request);
  event_ends(pool, outermost);
}

/* What did not boot may now, and at once. */
static void end_saved_over(howdah_pool *pool) {
  if (!howdah_outdated_look_for_saves(&pool->saves)) return;
  howdah_births_try_again(pool);
  if (pool->mode == HOWDAH_WORKER) howdah_pool_retire_idle(pool, howdah_outdated_by_save, HOWDAH_END_OUTDATED);
}

/* Within an act it waits for the next one. */
static void arrive(howdah_pool *pool, howdah_request *request, bool outermost) {
  pool->counts.rests = false;
  end_saved_over(pool);
  pool->arriving = request;
  pool->counts.arriving = true;
  if (outermost) return;
  look_around(pool, false, howdah_is_alone());
  queue_arriving(pool);
}

void howdah_pool_submit(howdah_pool *pool, howdah_request *request) {
  if (!request->received_us) request->received_us = howdah_loop_now_us();
  if (request->aborted && !request->outlives_client) {
    hand_back(pool, request);
    return;
  }
  bool outermost = event_begins(pool);
  arrive(pool, request, outermost);
  event_ends(pool, outermost);
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
  realm->saved_over = pool->queue_first && pool->queue_first->received_us <= realm->boot_us;
  if (!realm->saved_over) howdah_idle_end(pool, realm, HOWDAH_END_OUTDATED);
}

/* It waits for a request. done is NULL where it was handed back before: what a worker script does between two requests may wait. */
static void has_become_idle(howdah_pool *pool, howdah_realm *realm, howdah_request *done) {
  if (realm->life == HOWDAH_BOOTING && pool->mode == HOWDAH_WORKER) howdah_births_booted(pool, realm);
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
    if (done) hand_back(pool, done);
  }
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

  bool outermost = event_begins(pool);
  if (coroutine->finished)
    has_ended(pool, realm, done);
  else if (realm->asks)
    has_become_idle(pool, realm, done);
  else if (done)
    hand_back(pool, done);
  howdah_alone_next();
  event_ends(pool, outermost);
}

/* ---- The pool ---- */

/* A longer time is as good as this one, which can be added to any clock. */
static uint64_t us_of(uint64_t ms) {
  static const uint64_t century_ms = 100ull * 366 * 24 * 3600 * 1000;
  return (ms < century_ms ? ms : century_ms) * 1000;
}

static void retire_outdated(void *data) {
  howdah_pool *pool = data;
  bool outermost = event_begins(pool);
  end_saved_over(pool);
  howdah_pool_retire_idle(pool, howdah_outdated, HOWDAH_END_OUTDATED);
  event_ends(pool, outermost);
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
  pool->counts.worker = options->mode == HOWDAH_WORKER;
  pool->rewinds = options->rewinds;
  pool->script = options->script ? strdup(options->script) : NULL;
  pool->document_root = options->document_root ? strdup(options->document_root) : NULL;
  if ((options->script && !pool->script) || (options->document_root && !pool->document_root)) goto no_memory;
  pool->counts.most = options->realms_max;
  pool->counts.warm = options->realms_warm;
  pool->queue_max = options->queue_max;
  pool->queue_timeout_us = us_of(options->queue_timeout_ms);
  pool->requests_max = options->requests_max;
  pool->request_timeout_us = us_of(options->request_timeout_ms);
  pool->idle_timeout_us = us_of(options->idle_timeout_ms);
  pool->realm_memory = options->realm_memory;
  pool->without_opcache = options->without_opcache;
  pool->queue_task = (howdah_task){.run = decide_in_turns, .data = pool};
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
  pool->counts.closing = true;
  howdah_pool_decide(pool);
}

void howdah_pool_drain(howdah_pool *pool, void (*done)(void *data), void *data) {
  pool->counts.closing = pool->counts.draining = true;
  pool->drained = done;
  pool->drained_data = data;
  howdah_outdated_stop(&pool->outdated);
  howdah_pool_decide(pool);
}

void howdah_pool_cancel(howdah_pool *pool) {
  bool outermost = event_begins(pool);
  pool->stopping = true;
  howdah_queue_refuse_all(pool, 503, "Service Unavailable: the server is stopping\n");
  cancel_all(pool, cancel_request);
  cancel_all(pool, howdah_cancel_ends);
  event_ends(pool, outermost);
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
  stats->realms = pool->counts.realms;
  stats->busy = howdah_pool_busy(pool);
  for (const howdah_realm *realm = pool->all; realm; realm = realm->all_next) {
    bool parked = realm->coroutine.parked;
    if (!realm->asks && parked) stats->waiting++;
    if (!realm->asks && realm->life != HOWDAH_BOOTING && (!parked || realm->coroutine.yielding)) stats->computing++;
  }
  stats->queued = pool->counts.queued;
  stats->limit = howdah_pool_limit(pool);
  stats->requests = pool->requests;
  stats->births = pool->births;
  stats->deaths = pool->deaths;
  stats->booting = pool->counts.living[HOWDAH_BOOTING];
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
