/* Realms that wait for a request. The one that was used last is used next: its state is in place, its memory in the processor's caches.
 * So the last in the list is the coldest, and goes first when realms are let go. */
#include "pool.h"

#include <malloc.h>

/* Ending a realm runs PHP's shutdown, a millisecond or more: many at once must not stop the worker. */
enum { SWEEP_US = 1000, SWEEP_PAUSE_US = 5000 };

static void arm(howdah_pool *pool, uint64_t delay_us) {
  pool->idle.armed = howdah_loop_timer_start(howdah_coroutine_loop(), &pool->idle.timer, delay_us) == 0;
}

static bool has_too_many(const howdah_pool *pool) {
  return pool->idle.timeout_us && howdah_policy_has_too_many(&pool->counts);
}

static void on_time(howdah_timer *timer) {
  howdah_pool *pool = timer->data;
  uint64_t began_us = howdah_loop_now_us(), now_us = began_us;
  bool swept = false;
  pool->idle.armed = false;
  while (has_too_many(pool) && pool->idle.last->idle_since_us + pool->idle.timeout_us <= now_us) {
    if (now_us - began_us > SWEEP_US) {
      arm(pool, SWEEP_PAUSE_US);
      return;
    }
    unsigned before = pool->counts.living[HOWDAH_IDLE];
    howdah_pool_happens(pool, HOWDAH_DUE_COLD);
    if (pool->counts.living[HOWDAH_IDLE] >= before) break; /* others have come meanwhile */
    swept = true;
    now_us = howdah_loop_now_us();
  }
  if (swept) malloc_trim(0);
  if (!has_too_many(pool) || pool->idle.armed) return;
  uint64_t due_us = pool->idle.last->idle_since_us + pool->idle.timeout_us; /* over already, where others have come meanwhile */
  arm(pool, due_us > now_us ? due_us - now_us : SWEEP_PAUSE_US);
}

void howdah_idle_end_coldest(howdah_pool *pool) {
  pool->counts.due &= ~(unsigned)HOWDAH_DUE_COLD;
  pool->counts.wanted = 0; /* it was another time */
  howdah_idle_end(pool, pool->idle.last, HOWDAH_END_IDLE);
}

void howdah_idle_init(howdah_pool *pool, uint64_t timeout_us) {
  pool->idle.timeout_us = timeout_us;
  pool->idle.timer = (howdah_timer){.fire = on_time, .data = pool};
}

void howdah_idle_fini(howdah_pool *pool) {
  howdah_loop_timer_stop(howdah_coroutine_loop(), &pool->idle.timer);
}

void howdah_idle_put(howdah_pool *pool, howdah_realm *realm) {
  bool first = realm->fate != HOWDAH_SPENT;
  realm->idle_since_us = howdah_loop_now_us();
  realm->prev = first ? NULL : pool->idle.last;
  realm->next = first ? pool->idle.first : NULL;
  if (realm->prev)
    realm->prev->next = realm;
  else
    pool->idle.first = realm;
  if (realm->next)
    realm->next->prev = realm;
  else
    pool->idle.last = realm;
  howdah_garbage_listed(pool, realm);
  howdah_realm_move(realm, HOWDAH_IDLE);
  if (!pool->idle.armed && has_too_many(pool)) arm(pool, pool->idle.timeout_us);
}

void howdah_idle_remove(howdah_pool *pool, howdah_realm *realm) {
  howdah_assert(realm->life == HOWDAH_IDLE, "a realm that is not idle is taken for one that is");
  if (realm->prev)
    realm->prev->next = realm->next;
  else
    pool->idle.first = realm->next;
  if (realm->next)
    realm->next->prev = realm->prev;
  else
    pool->idle.last = realm->prev;
  howdah_garbage_unlisted(pool, realm);
}

void howdah_idle_end(howdah_pool *pool, howdah_realm *realm, howdah_end why) {
  howdah_idle_remove(pool, realm);
  realm->end = why;
  howdah_realm_move(realm, HOWDAH_ENDING);
  howdah_realm_retire(realm);
  howdah_coroutine_resume(&realm->coroutine);
}

/* From the beginning each time: what PHP code does at its end may change the list. */
void howdah_idle_end_all(howdah_pool *pool, bool (*which)(const howdah_realm *), howdah_end why) {
  howdah_realm *realm = pool->idle.first;
  while (realm) {
    if (which && !which(realm)) {
      realm = realm->next;
      continue;
    }
    howdah_idle_end(pool, realm, why);
    realm = pool->idle.first;
  }
}
