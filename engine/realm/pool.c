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
 *  5. No act begins within another one, or within an event, of whatever pool.
 *  6. Nor while a front-end is below us on the stack: it tells something, or is told that a request is over. It may be about to free a connection, and
 *     the next one that waits may be a stream of it. The loop turns first. */
#include "pool.h"
#include "alone.h"
#include "cancel.h"
#include "overdue.h"
#include "slow.h"
#include "waits.h"
#include "../log.h"

/* The pool of the act or event that is under way, the outermost one. */
static howdah_pool *under_way;
static unsigned begun; /* events and loops, of all pools: one may be within another */

static bool is_timer_due_at(uint64_t us) {
  return howdah_loop_next_due_us(howdah_coroutine_loop()) <= us;
}

/* What is not counted as it changes. paced: timers are due, and who waits waits for them. */
static void look_around(howdah_pool *pool, bool paced, bool alone) {
  howdah_counts *counts = &pool->counts;
  counts->places = howdah_slots_free(&pool->slots);
  counts->later = paced || (counts->arriving && howdah_queue_has_room(pool, 0) && is_timer_due_at(pool->arriving->received_us));
  counts->pause = !howdah_births_is_time(pool);
  counts->soon = counts->pause && howdah_births_soon(pool);
  counts->no_room = false;
  if (alone) howdah_alone_count(pool);
  if (!counts->closing) return;
  counts->boots = howdah_births_going_on(pool);
  counts->told = howdah_drain_is_told(&pool->drain);
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

/* When all that was begun is done, nothing is left that follows from what is counted: a request that waits though a realm is idle, a boot that nobody
 * needs while the worker goes. It would be left for ever. */
static void check(howdah_pool *pool) {
  howdah_pool_recount(pool);
  if (begun || pool->again.posted || howdah_is_alone()) return;
  howdah_counts counts = pool->counts;
  counts.places = howdah_slots_free(&pool->slots);
  counts.pause = counts.no_room = true; /* when births may be tried again is for others to know */
  counts.soon = howdah_births_soon(pool);
  counts.boots = counts.closing ? howdah_births_going_on(pool) : 0;
  counts.told = true;
  howdah_assert(howdah_policy_next(&counts) == HOWDAH_ACT_NOTHING, "something is left to be done in a pool, and nobody looks");
}

/* Around what may leave requests waiting in between. One may be within another, also of another pool. */
static void begin(void) {
  begun++;
}

static void end(howdah_pool *pool) {
  begun--;
  if (howdah_is_checked()) check(pool);
}

static void forget_due(howdah_pool *pool) {
  if (pool->counts.due & HOWDAH_DUE_BIRTH && !howdah_policy_lacks_realms(&pool->counts)) pool->counts.wanted = 0;
  pool->counts.due = 0;
}

bool howdah_pool_decide(howdah_pool *pool) {
  howdah_act act;
  bool paced = false;
  if (under_way || howdah_pool_in_front) {
    if (under_way != pool) howdah_loop_post(howdah_coroutine_loop(), &pool->again);
    return false;
  }
  bool alone = howdah_is_alone() || pool->counts.alone;
  begin();
  while ((act = next_act(pool, paced, alone)) != HOWDAH_ACT_NOTHING) {
    bool later = pool->counts.later;
    howdah_assert(!under_way && !howdah_pool_in_front && !howdah_coroutine_current(),
                  "an act begins within another one, or a front-end's call");
    under_way = pool;
    howdah_pool_carry_out(pool, act);
    under_way = NULL;
    if (paced || !pool->counts.queued) continue;
    paced = act == HOWDAH_ACT_QUEUE ? later : is_timer_due_at(howdah_loop_now_us());
    if (paced) howdah_loop_post(howdah_coroutine_loop(), &pool->again);
  }
  if (pool->counts.due) forget_due(pool);
  howdah_slots_look(pool);
  end(pool);
  return paced;
}

/* In turns: those whose time has come, then one who waits. */
void howdah_pool_decide_in_turns(howdah_task *task) {
  howdah_pool *pool = task->data;
  do {
    if (pool->counts.queued) howdah_loop_run_timers(howdah_coroutine_loop());
  } while (howdah_pool_decide(pool));
}

/* ---- Events ---- */

/* Nothing is decided until it ends. False: it happens within another one, or within an act, and whoever is outside decides. */
bool howdah_pool_event_begins(howdah_pool *pool) {
  begin();
  if (under_way || howdah_pool_in_front) return false;
  under_way = pool;
  return true;
}

void howdah_pool_event_ends(howdah_pool *pool, bool outermost) {
  if (outermost) under_way = NULL;
  howdah_pool_decide(pool);
  end(pool);
}

/* What did not boot may now, and at once. */
void howdah_pool_end_saved_over(howdah_pool *pool) {
  if (!howdah_outdated_look_for_saves(&pool->saves)) return;
  howdah_births_try_again(pool);
  if (pool->mode == HOWDAH_WORKER) howdah_idle_end_all(pool, howdah_outdated_by_save, HOWDAH_END_OUTDATED);
}

/* Within an act it waits for the next one. */
static void arrive(howdah_pool *pool, howdah_request *request, bool outermost) {
  howdah_request *outer = pool->arriving; /* whose turn is not over: finish() of another one submits this */
  pool->counts.rests = false;
  howdah_pool_end_saved_over(pool);
  pool->arriving = request;
  pool->counts.arriving = true;
  if (outermost) return;
  look_around(pool, false, howdah_is_alone());
  howdah_pool_carry_out(pool, HOWDAH_ACT_QUEUE);
  pool->arriving = outer;
  pool->counts.arriving = outer != NULL;
}

void howdah_pool_submit(howdah_pool *pool, howdah_request *request) {
  if (!request->received_us) request->received_us = howdah_loop_now_us();
  if (request->aborted && !request->outlives_client) {
    howdah_pool_hand_back(pool, request);
    return;
  }
  bool outermost = howdah_pool_event_begins(pool);
  arrive(pool, request, outermost);
  howdah_pool_event_ends(pool, outermost);
}

/* ---- After a run ---- */

static void bury(howdah_realm *realm) {
  howdah_slots_leave(realm);
  howdah_realm_move(realm, HOWDAH_ENDED);
  howdah_cancel_stop(realm);
  howdah_slow_free(realm);
  howdah_realm_death(realm);
}

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

/* One fewer is there. */
static void make_up_for(howdah_pool *pool, bool failed) {
  if (failed)
    howdah_births_failed(pool);
  else
    howdah_births_look(pool);
}

static void has_ended(howdah_pool *pool, howdah_realm *realm, howdah_request *done) {
  howdah_assert(!realm->request && !realm->assigned, "a realm has ended, and its request has not");
  bool failed = howdah_births_ended(pool, realm);
  bury(realm);
  if (done) howdah_pool_hand_back(pool, done);
  make_up_for(pool, failed);
}

void howdah_pool_give_up(howdah_realm *realm) {
  howdah_pool *pool = realm->pool;
  bool failed = realm->life == HOWDAH_BOOTING && howdah_births_ended(pool, realm);
  howdah_slots_leave(realm);
  howdah_realm_decide(realm, HOWDAH_GIVEN_UP);
  if (realm->life == HOWDAH_BOOTING) howdah_realm_move(realm, HOWDAH_ENDING);
  howdah_coroutine_cancel(&realm->coroutine);
  make_up_for(pool, failed);
  howdah_pool_decide(pool);
}

/* A file was saved while it booted, or tidied up. Who has waited since before it began to boot gets it all the same: where a boot itself saves files,
 * nobody would ever be served. It ends after that request. */
static void has_been_saved_over(howdah_pool *pool, howdah_realm *realm) {
  const howdah_request *first = howdah_queue_first(&pool->queue);
  realm->saved_over = first && first->received_us <= realm->boot_us;
  if (!realm->saved_over) howdah_idle_end(pool, realm, HOWDAH_END_OUTDATED);
}

/* It waits for a request. done is NULL where it was handed back before: what a worker script does between two requests may wait. */
static void has_become_idle(howdah_pool *pool, howdah_realm *realm, howdah_request *done) {
  if (realm->life == HOWDAH_BOOTING && pool->mode == HOWDAH_WORKER) howdah_births_booted(pool, realm);
  bool has_served = realm->served != realm->served_judged;
  realm->served_judged = realm->served;
  if (has_served && has_to_end(pool, realm)) {
    if (done) howdah_pool_hand_back(pool, done);
    howdah_realm_move(realm, HOWDAH_ENDING);
    howdah_coroutine_resume(&realm->coroutine);
  } else if (has_served && howdah_garbage_is_urgent(realm)) {
    if (done) howdah_pool_hand_back(pool, done);
    howdah_garbage_tidy(realm);
  } else {
    howdah_idle_put(pool, realm);
    if (howdah_outdated_by_save(realm)) has_been_saved_over(pool, realm);
    if (done) howdah_pool_hand_back(pool, done);
  }
}

void howdah_pool_after_run(howdah_coroutine *coroutine) {
  howdah_realm *realm = (howdah_realm *)coroutine;
  howdah_pool *pool = realm->pool;
  howdah_request *done = realm->finished;
  if (coroutine->before_run) howdah_overdue_ran(realm);
  if (done) {
    howdah_slow_end(realm);
    howdah_waits_end(realm);
  }
  realm->finished = NULL;
  if ((done || realm->asks) && !realm->closing) howdah_cancel_stop(realm);
  if (done) howdah_slots_finished(realm);
  howdah_ceiling_look();
  if (realm->life == HOWDAH_IDLE) return; /* woken for nothing */

  bool outermost = howdah_pool_event_begins(pool);
  if (coroutine->finished)
    has_ended(pool, realm, done);
  else if (realm->asks)
    has_become_idle(pool, realm, done);
  else if (done)
    howdah_pool_hand_back(pool, done);
  howdah_alone_next();
  howdah_pool_event_ends(pool, outermost);
}
