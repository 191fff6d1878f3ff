/* How realms come into a pool.
 *
 * Classic mode: born for the request that needs one. Worker mode: a realm boots for whoever waits when it has, so a request never waits
 * for a boot when another realm becomes free before. In the background boot: the warm ones, those that replace a realm whose script has
 * ended, and the successors of realms that are spent (number of requests, memory). A spent realm serves until its successor has booted:
 * nobody waits because a realm is replaced. One successor boots at a time, and it may be one realm more than realms_max.
 *
 * A boot that fails changes nothing for those who are alive; the next one is tried after a pause that grows. Where none is alive, who waits
 * waits for it, and is refused when the third in a row has failed: a database that is about to start fails one. Not where pages tell errors:
 * whoever develops shall see this one.
 *
 * Where files of the application are saved (outdated.h), a realm that has served nobody is replaced only when a request comes: a boot that itself saves
 * files would otherwise be followed by another one for ever. */
#include "cancel.h"
#include "overdue.h"
#include "pool.h"
#include "../log.h"

#include <stdlib.h>

enum { AGAIN_US = 200000, AGAIN_MAX_US = 60000000, DOUBLINGS_MAX = 9, TRIES = 3, SPREAD = 8 };

static uint64_t pause_us(const howdah_pool *pool) {
  uint64_t now_us = pool->births.again_us ? howdah_loop_now_us() : 0;
  return pool->births.again_us > now_us ? pool->births.again_us - now_us : 0;
}

bool howdah_births_is_time(const howdah_pool *pool) {
  return pause_us(pool) == 0;
}

bool howdah_births_soon(const howdah_pool *pool) {
  bool may_wait = pool->mode == HOWDAH_WORKER && howdah_pool_alive(pool) == 0 && !pool->births.error;
  return may_wait && pool->births.failures < TRIES && pool->births.again_us && pool->births.armed;
}

/* A boot that hung until its time limit has taken long enough to say so. */
bool howdah_births_fail(const howdah_pool *pool) {
  bool again = pool->counts.warm > 0 && (pool->births.armed || pool->counts.living[HOWDAH_BOOTING] > 0);
  return pool->births.failures > 0 && !(again && pool->births.failures < TRIES && !pool->births.hung);
}

void howdah_pool_when_booted(howdah_pool *pool, void (*over)(void *data), void *data) {
  pool->births.over = over;
  pool->births.over_data = data;
}

static void boot_is_over(howdah_pool *pool) {
  void (*over)(void *data) = pool->births.over;
  pool->births.over = NULL;
  if (over) over(pool->births.over_data);
}

static void start_timer(howdah_pool *pool) {
  pool->births.armed = howdah_loop_timer_start(howdah_coroutine_loop(), &pool->births.timer, pause_us(pool)) == 0;
  if (!pool->births.armed)
    howdah_log(HOWDAH_LOG_WARNING, NULL,
               "howdah: out of memory for a timer: realms that are missing boot when they are needed");
}

/* Boots that failed together have failed once. The timer is also for those who come meanwhile. */
static void try_later(howdah_pool *pool) {
  boot_is_over(pool);
  if (!howdah_births_is_time(pool)) return;
  unsigned doublings = pool->births.failures < DOUBLINGS_MAX ? pool->births.failures : DOUBLINGS_MAX;
  uint64_t again_us = (uint64_t)AGAIN_US << doublings;
  pool->births.failures++;
  pool->births.again_us = howdah_loop_now_us() + (again_us < AGAIN_MAX_US ? again_us : AGAIN_MAX_US);
  start_timer(pool);
}

/* Not all at once: realms that were born together have up to an eighth fewer requests each. */
static uint64_t spread(uint64_t requests_max, uint32_t id) {
  return requests_max - (id * UINT64_C(2654435761) >> 7) % (requests_max / SPREAD + 1);
}

void howdah_births_try_again(howdah_pool *pool) {
  pool->births.failures = 0;
  pool->births.again_us = 0;
  howdah_births_look(pool);
}

howdah_realm *howdah_births_give(howdah_pool *pool, char *error, size_t error_size) {
  const howdah_realm_code *code = howdah_realms_code();
  howdah_realm *realm =
      howdah_realm_birth(pool, pool->mode == HOWDAH_WORKER ? code->worker : code->classic, pool->owner, error, error_size);
  if (!realm) {
    try_later(pool);
    howdah_births_look(pool);
    return NULL;
  }
  howdah_cancel_init(realm);
  realm->requests_max = spread(pool->requests_max, realm->id);
  if (pool->mode == HOWDAH_CLASSIC) pool->births.failures = 0;
  howdah_realm_is_born(realm);
  return realm;
}

bool howdah_births_boot(howdah_pool *pool, bool successor) {
  char error[512];
  howdah_realm *realm = howdah_births_give(pool, error, sizeof(error));
  if (!realm) {
    howdah_log(HOWDAH_LOG_ERROR, NULL, "%s", error);
    return false;
  }
  if (successor) howdah_realm_decide(realm, HOWDAH_SUCCEEDS);
  howdah_cancel_boot_begins(realm);
  howdah_overdue_watch(realm, pool->boot_timeout_us);
  howdah_coroutine_resume(&realm->coroutine);
  return true;
}

/* Whether there is room below the ceiling is asked when they are due (pool.c); ceiling.c tells when there may be again. */
void howdah_births_look(howdah_pool *pool) {
  if (!howdah_policy_lacks(&pool->counts)) return;
  if (howdah_births_is_time(pool))
    howdah_loop_post(howdah_coroutine_loop(), &pool->births.task);
  else
    start_timer(pool);
}

static void run_task(howdah_task *task) {
  howdah_pool_happens(task->data, HOWDAH_DUE_BIRTH);
}

static void on_time(howdah_timer *timer) {
  howdah_pool *pool = timer->data;
  pool->births.armed = false;
  howdah_pool_happens(pool, HOWDAH_DUE_BIRTH);
}

void howdah_births_init(howdah_pool *pool) {
  pool->births.timer = (howdah_timer){.fire = on_time, .data = pool};
  pool->births.task = (howdah_task){.run = run_task, .data = pool};
  howdah_births_look(pool);
}

void howdah_births_fini(howdah_pool *pool) {
  howdah_loop_timer_stop(howdah_coroutine_loop(), &pool->births.timer);
  howdah_loop_unpost(howdah_coroutine_loop(), &pool->births.task);
  free(pool->births.error);
}

/* ---- Worker mode ---- */

void howdah_births_booted(howdah_pool *pool, howdah_realm *realm) {
  if (realm->fate == HOWDAH_SUCCEEDS) {
    howdah_realm_decide(realm, HOWDAH_STAYS);
    pool->counts.due |= HOWDAH_DUE_SPENT;
  }
  realm->heap_booted = realm->heap_tidy = pool->heap_booted = realm->heap_bytes;
  realm->used_tidy = realm->heap_used;
  if (pool->births.failures > 1) howdah_log(HOWDAH_LOG_NOTICE, NULL, "howdah: %s boots again", pool->script);
  pool->births.failures = 0;
  pool->births.again_us = 0;
  boot_is_over(pool);
}

void howdah_births_spend(howdah_pool *pool, howdah_realm *realm) {
  howdah_realm_decide(realm, HOWDAH_SPENT);
  howdah_births_look(pool);
}

void howdah_births_end_spent(howdah_pool *pool) {
  pool->counts.due &= ~(unsigned)HOWDAH_DUE_SPENT;
  howdah_realm *realm = howdah_idle_coldest(&pool->idle);
  while (realm && realm->fate != HOWDAH_SPENT)
    realm = realm->prev;
  if (realm) {
    howdah_idle_end(pool, realm, realm->end);
  } else if (pool->counts.fated[HOWDAH_SPENT] > 0) {
    for (realm = pool->all; realm->fate != HOWDAH_SPENT;)
      realm = realm->all_next;
    howdah_realm_retire(realm); /* after its request */
  } else if (howdah_pool_alive(pool) > pool->counts.most && howdah_idle_coldest(&pool->idle)) {
    howdah_idle_end(pool, howdah_idle_coldest(&pool->idle), HOWDAH_END_IDLE); /* the spent one has ended by itself */
  }
  howdah_births_look(pool);
}

bool howdah_births_ended(howdah_pool *pool, howdah_realm *realm) {
  if (realm->life == HOWDAH_BOOTING) {
    bool failed = !howdah_realm_retires(realm) || realm->end == HOWDAH_END_BOOT;
    if (!failed) return false;
    pool->births.hung = realm->end == HOWDAH_END_BOOT; /* cancel.c, at its time limit */
    realm->end = HOWDAH_END_BOOT;
    return true;
  }
  if (realm->end == HOWDAH_END_OUTDATED && !realm->served && howdah_outdated_by_save(realm)) pool->counts.rests = true;
  bool replaced = realm->end == HOWDAH_END_SCRIPT || realm->end == HOWDAH_END_OUTDATED || pool->requests_max == 1;
  if (pool->mode == HOWDAH_WORKER && replaced && !pool->counts.draining) {
    unsigned alive = howdah_pool_alive(pool);
    if (alive > pool->counts.most) alive = pool->counts.most;
    /* While opcache waits for its restart, boots compile everything: one is kept for those who come first. */
    if (howdah_outdated(realm)) alive = 1;
    if (pool->counts.wanted < alive) pool->counts.wanted = alive;
  }
  return false;
}

static bool boots_on(const howdah_realm *realm) {
  return realm->life == HOWDAH_BOOTING && realm->fate != HOWDAH_GIVEN_UP && realm->cancelled == HOWDAH_NOT_CANCELLED;
}

unsigned howdah_births_going_on(const howdah_pool *pool) {
  unsigned boots = 0;
  for (const howdah_realm *each = pool->all; each; each = each->all_next)
    if (boots_on(each)) boots++;
  return boots;
}

/* The oldest go on: they have got farthest. */
void howdah_births_end_needless(howdah_pool *pool) {
  howdah_realm *realm = pool->all;
  while (realm && !boots_on(realm))
    realm = realm->all_next;
  if (realm) howdah_cancel_ends(realm);
}

void howdah_births_say_why(howdah_pool *pool, char *text) {
  free(pool->births.error);
  pool->births.error = text;
}

void howdah_births_refuse_all(howdah_pool *pool) {
  char *error = pool->births.error;
  pool->births.error = NULL; /* whoever is told may have another one boot */
  pool->counts.due &= ~(unsigned)HOWDAH_DUE_HOPELESS;
  howdah_queue_refuse_all(pool, 500,
                          error ? error : "Internal Server Error: the worker script did not start; see the error log\n");
  free(error);
}

void howdah_births_failed(howdah_pool *pool) {
  try_later(pool);
  unsigned alive = howdah_pool_alive(pool);
  double pause_s = (double)pause_us(pool) / 1e6;
  if (alive > 0)
    howdah_log(HOWDAH_LOG_ERROR, NULL, "howdah: a realm did not boot: the %u that there are go on; tried again in %.1f s",
               alive, pause_s);
  else if (!howdah_births_soon(pool))
    pool->counts.due |= HOWDAH_DUE_HOPELESS;
  else if (pool->counts.queued)
    howdah_log(HOWDAH_LOG_ERROR, NULL,
               "howdah: a realm did not boot, and no other one is there: %u requests wait for try %u of %d, in %.1f s",
               pool->counts.queued, pool->births.failures + 1, TRIES, pause_s);
  howdah_births_look(pool);
}
