/* The realms of one application and the queue of requests that wait for one. The public half is in howdah.h.
 *
 * What the files of this folder share. policy.c says what is next, pool.c has it done. The others keep what they know, tell pool.c what happens, and
 * carry out acts: queue.c keeps those who wait, births.c brings realms into the pool, idle.c keeps those that wait and lets them go, slots.c counts
 * requests in flight where their number adapts itself, garbage.c tidies realms, ceiling.c looks at the worker's memory. All on the main stack. */
#ifndef HOWDAH_REALM_POOL_H
#define HOWDAH_REALM_POOL_H

#include "outdated.h"
#include "parts.h"
#include "policy.h"
#include "realm.h"
#include "../check.h"

/* What has happened so far, for stats.c. */
typedef struct {
  uint64_t requests, births, deaths, cancelled;
  uint64_t ends[HOWDAH_ENDS]; /* deaths by reason */
  uint64_t collections, collected;
} howdah_tally;

struct howdah_pool {
  howdah_mode mode;
  const howdah_realm_owner *owner;   /* what realms tell their pool */
  bool (*decide)(howdah_pool *pool); /* howdah_pool_decide(): howdah_pool_happens() */
  howdah_pool *next_pool;
  char *script;
  char *document_root;
  uint64_t requests_max;
  uint64_t request_timeout_us; /* 0: none */
  uint64_t boot_timeout_us;    /* 0: none */
  uint64_t realm_memory;       /* bytes; 0: no mark */
  bool without_opcache;
  bool rewinds; /* worker mode: each request begins where the script first asked for one (sapi/rewind.h) */

  howdah_counts counts; /* what is decided by */
  howdah_realm *all;
  howdah_request *arriving; /* is being decided about; not in the queue */
  howdah_task again;        /* decides once more: some wait only until the timers that are due have run */
  howdah_outdated_look outdated;
  uint32_t saves;       /* of files of the application that this pool knows of */
  uint64_t heap_booted; /* worker mode: bytes of PHP's heap of a realm that has just booted */
  unsigned moves;       /* since the last recount (recount.c) */
  bool rewind_told;     /* why it does not, or not always */
  bool mark_too_low;
  bool stopping; /* requests were cancelled: there is little time */

  /* parts.h */
  howdah_queue queue;
  howdah_slots slots;
  howdah_births births;
  howdah_idle idle;
  howdah_garbage garbage;
  howdah_drain drain;
  howdah_tally tally;
};

/* Those that count: a realm that was given up takes nobody's place. */
static inline unsigned howdah_pool_alive(const howdah_pool *pool) {
  return howdah_counts_alive(&pool->counts);
}
/* All but those that are idle. */
static inline unsigned howdah_pool_busy(const howdah_pool *pool) {
  return pool->counts.realms - pool->counts.living[HOWDAH_IDLE];
}

/* For the files that pool.c calls: something has happened. due: HOWDAH_DUE_...; 0: only what is counted has changed. */
static inline void howdah_pool_happens(howdah_pool *pool, unsigned due) {
  pool->counts.due |= due;
  pool->decide(pool);
}

/* ---- pools.c ---- */

/* All pools of the process, by next_pool. */
howdah_pool *howdah_pools_first(void);
void howdah_pools_join(howdah_pool *pool);
void howdah_pools_leave(howdah_pool *pool);

/* ---- pool.c ---- */

/* Something has happened: does what follows from it (policy.h), act by act, until nothing is left to do. Within an act or an event it is done when that
 * is over; within one of another pool, when the loop turns. True when some wait only for timers that are due. */
bool howdah_pool_decide(howdah_pool *pool);
void howdah_pool_decide_in_turns(howdah_task *task);
/* Around what happens by and by: nothing is decided until it ends. False: it happens within another event, or within an act, and whoever is
 * outside decides. */
bool howdah_pool_event_begins(howdah_pool *pool);
void howdah_pool_event_ends(howdah_pool *pool, bool outermost);
/* Where files were saved: idle realms of before end, and what did not boot may now, and at once. Within an event. */
void howdah_pool_end_saved_over(howdah_pool *pool);
/* What a realm's coroutine did in its last run. */
void howdah_pool_after_run(howdah_coroutine *coroutine);
/* It was told to end, and does not: another one takes its place. */
void howdah_pool_give_up(howdah_realm *realm);

/* ---- acts.c ---- */

/* Only from pool.c: in its loop, or where a request comes within an act, which waits in the queue. */
void howdah_pool_carry_out(howdah_pool *pool, howdah_act act);

/* ---- queue.c ---- */

void howdah_queue_init(howdah_pool *pool, unsigned most, uint64_t timeout_us);
void howdah_queue_fini(howdah_pool *pool);
/* So many calls of front-ends are below us, which tell something or are told that a request is over: nothing is decided before the loop turns. A variable,
 * as each request looks at it several times. */
extern unsigned howdah_pool_in_front;
/* A request is over. */
void howdah_pool_hand_back(howdah_pool *pool, howdah_request *request);
/* Answers a request that no realm serves, and lets it go. */
void howdah_pool_refuse(howdah_pool *pool, howdah_request *request, int status, const char *text);
/* One more may wait, where there are so many places beyond the queue's own. */
bool howdah_queue_has_room(const howdah_pool *pool, unsigned more);
/* Behind the others whose client has not gone; refused with 503 when so many wait already. room: places beyond the queue's own, of those who wait
 * for a boot. */
void howdah_queue_put(howdah_pool *pool, howdah_request *request, unsigned room);
/* The first one, or NULL. */
howdah_request *howdah_queue_take(howdah_pool *pool);
/* Answers one that waits with 503, because somebody on this machine wants it to end. */
void howdah_queue_end(howdah_request *request);
/* The client of one that waits has gone: it is handed back, or waits behind the others. */
void howdah_queue_abandoned(howdah_request *request);
/* A turn of the loop may have been long, and the kernel knows more than the front-end: whether the first one's client has gone, and it is the first one
 * no more. */
bool howdah_queue_has_dropped_first(howdah_pool *pool);
void howdah_queue_refuse_all(howdah_pool *pool, int status, const char *text);

/* ---- slots.c ---- */

/* least: of the limit; 0: it is realms_max. */
void howdah_slots_init(howdah_pool *pool, unsigned least);
void howdah_slots_fini(howdah_pool *pool);
/* A request begins in this realm. */
void howdah_slots_take(howdah_realm *realm);
/* It has finished. */
void howdah_slots_finished(howdah_realm *realm);
/* It has not, but has no place any more. Does nothing when it had none. */
void howdah_slots_leave(howdah_realm *realm);
/* Whether requests wait for a place may have changed. */
void howdah_slots_look(howdah_pool *pool);

/* ---- births.c ---- */

void howdah_births_init(howdah_pool *pool);
void howdah_births_fini(howdah_pool *pool);
/* No boot has failed lately, or the pause after it is over. */
bool howdah_births_is_time(const howdah_pool *pool);
/* None is alive, a boot has failed, and who waits waits for the next one: there is a timer for it. */
bool howdah_births_soon(const howdah_pool *pool);
/* Of a pool of which none is alive: so many boots have failed in a row, or so slowly, that it is no news if the next one fails; or none is tried. */
bool howdah_births_fail(const howdah_pool *pool);
/* What kept realms from booting may have been mended. */
void howdah_births_try_again(howdah_pool *pool);
/* A realm that has not run; NULL with a message. */
howdah_realm *howdah_births_give(howdah_pool *pool, char *error, size_t error_size);
/* Act: a realm begins to boot, for whoever waits when it has; successor: for one that is spent. False when there is none. */
bool howdah_births_boot(howdah_pool *pool, bool successor);
/* Realms may be missing (the warm ones, those that ended, successors): they are due when the loop turns, or when they may be tried. */
void howdah_births_look(howdah_pool *pool);
/* A realm asks for its first request. */
void howdah_births_booted(howdah_pool *pool, howdah_realm *realm);
/* Act: a successor has booted, and one that is spent ends, or does so after its request. */
void howdah_births_end_spent(howdah_pool *pool);
/* A realm has ended: it is still counted. True when it has not booted: howdah_births_failed() once it is buried. */
bool howdah_births_ended(howdah_pool *pool, howdah_realm *realm);
void howdah_births_failed(howdah_pool *pool);
/* What those are told who wait for a boot that fails: text, malloc's and ours from now on. NULL: nothing of its reason. */
void howdah_births_say_why(howdah_pool *pool, char *text);
/* Act: who waited for a boot that failed is told why. */
void howdah_births_refuse_all(howdah_pool *pool);
/* The worker goes. How many realms boot that were not told to end; act: the one that has begun last is told to. */
unsigned howdah_births_going_on(const howdah_pool *pool);
void howdah_births_end_needless(howdah_pool *pool);
/* Worker mode: this one is to end, but serves on until another has booted. */
void howdah_births_spend(howdah_pool *pool, howdah_realm *realm);

/* ---- idle.c ---- */

void howdah_idle_init(howdah_pool *pool, uint64_t timeout_us);
void howdah_idle_fini(howdah_pool *pool);
void howdah_idle_put(howdah_pool *pool, howdah_realm *realm);
void howdah_idle_remove(howdah_pool *pool, howdah_realm *realm);
/* Takes it out of the list and ends it. It may be gone when this returns. */
void howdah_idle_end(howdah_pool *pool, howdah_realm *realm, howdah_end why);
/* Those that which() says so of; NULL: all. */
void howdah_idle_end_all(howdah_pool *pool, bool (*which)(const howdah_realm *), howdah_end why);
/* Act: the coldest one was idle for too long. */
void howdah_idle_end_coldest(howdah_pool *pool);

/* ---- garbage.c ---- */

void howdah_garbage_init(howdah_pool *pool);
void howdah_garbage_fini(howdah_pool *pool);
/* A realm has been listed as idle, or is taken out of the list. */
void howdah_garbage_listed(howdah_pool *pool, howdah_realm *realm);
void howdah_garbage_unlisted(howdah_pool *pool, howdah_realm *realm);
/* Whether its heap has grown so much that it must not serve another request before it has collected. */
bool howdah_garbage_is_urgent(const howdah_realm *realm);
/* Lets a realm tidy up that is not listed: it comes back as one that has become idle. */
void howdah_garbage_tidy(howdah_realm *realm);
/* Act: the coldest of those that are idle and untidy tidies up. */
void howdah_garbage_tidy_coldest(howdah_pool *pool);
/* A realm has collected; for the SAPI, in its coroutine. */
void howdah_garbage_told(howdah_realm *realm, unsigned collected);

/* ---- drain.c ---- */

void howdah_drain_init(howdah_pool *pool);
void howdah_drain_fini(howdah_pool *pool);
/* Act: whoever wants to know is told, when the loop turns. */
void howdah_drain_tell(howdah_pool *pool);

/* ---- recount.c: the invariants, tested where rules are checked (check.h) ---- */

void howdah_pool_recount(howdah_pool *pool);
/* A realm has changed from idle to busy, or the other way, or was born or buried: all that is counted is as the lists say. */
static inline void howdah_pool_check(howdah_pool *pool) {
  if (howdah_is_checked()) howdah_pool_recount(pool);
}

/* ---- ceiling.c ---- */

/* Whether one more realm fits below the ceiling of the worker's memory. Where it does not, the pools are told when it may. */
bool howdah_ceiling_has_room(const howdah_pool *pool);
/* Looks at the worker's memory when it is time to; above the ceiling, births stop, and a timer is set that lets idle realms go. */
void howdah_ceiling_look(void);
/* Whether a realm that has just served should end, because the worker needs the memory. */
bool howdah_ceiling_wants(const howdah_realm *realm);
/* Act: the coldest one that may ends. */
void howdah_ceiling_end_coldest(howdah_pool *pool);

#endif
