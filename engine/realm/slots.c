/* Places for requests in flight, where the pool's limit adapts itself (limit.h). Where it does not, there is a place for every realm, and
 * all this costs a look at a flag.
 *
 * A request that stays for much longer than others is no measure of what the pool can bear: an event stream, a long poll. Nor may it keep the others
 * waiting: after AGE_TURNS times the usual, a second at least, it has its realm and no place any more. So streams are bounded by the
 * number of realms, as without an adaptive limit. */
#include "pool.h"

enum { AGE_TURNS = 8, AGE_MIN_US = 1000000, AGE_MAX_US = 30000000 };

static uint64_t age_us(const howdah_pool *pool) {
  uint64_t age_us = pool->slots.limit.turn_us * AGE_TURNS;
  return age_us < AGE_MIN_US ? AGE_MIN_US : age_us > AGE_MAX_US ? AGE_MAX_US : age_us;
}

void howdah_slots_take(howdah_realm *realm) {
  howdah_pool *pool = realm->pool;
  if (!pool->slots.adaptive) return;
  realm->has_slot = true;
  realm->slot_since_us = howdah_loop_now_us();
  realm->slot_before = pool->slots.last;
  realm->slot_after = NULL;
  if (pool->slots.last)
    pool->slots.last->slot_after = realm;
  else
    pool->slots.first = realm;
  pool->slots.last = realm;
  pool->slots.in_flight++;
}

void howdah_slots_leave(howdah_realm *realm) {
  howdah_pool *pool = realm->pool;
  if (!realm->has_slot) return;
  realm->has_slot = false;
  if (realm->slot_before)
    realm->slot_before->slot_after = realm->slot_after;
  else
    pool->slots.first = realm->slot_after;
  if (realm->slot_after)
    realm->slot_after->slot_before = realm->slot_before;
  else
    pool->slots.last = realm->slot_before;
  pool->slots.in_flight--;
}

void howdah_slots_finished(howdah_realm *realm) {
  howdah_pool *pool = realm->pool;
  if (!pool->slots.adaptive) return;
  pool->slots.finished++;
  if (howdah_limit_count(&pool->slots.limit)) howdah_limit_look(&pool->slots.limit, howdah_loop_now_us());
  howdah_slots_leave(realm);
}

/* Where there is no memory for the timer, those that stay long keep their places. */
static void arm(howdah_pool *pool) {
  uint64_t now_us = howdah_loop_now_us(), due_us = pool->slots.first->slot_since_us + age_us(pool);
  pool->slots.finished_before = pool->slots.finished;
  pool->slots.armed =
      howdah_loop_timer_start(howdah_coroutine_loop(), &pool->slots.timer, due_us > now_us ? due_us - now_us : 0) == 0;
}

void howdah_slots_look(howdah_pool *pool) {
  if (!pool->slots.adaptive) return;
  bool bound = pool->counts.queued && !howdah_slots_free(&pool->slots);
  if (bound != (pool->slots.limit.bound_since_us != 0)) howdah_limit_bind(&pool->slots.limit, bound, howdah_loop_now_us());
  if (bound && !pool->slots.armed) arm(pool);
}

/* Those that have stayed for long give their places up. Where nothing else has finished meanwhile, there will be more of them. */
static void on_time(howdah_timer *timer) {
  howdah_pool *pool = timer->data;
  uint64_t now_us = howdah_loop_now_us(), long_us = age_us(pool);
  bool any = false;
  pool->slots.armed = false;
  if (!pool->slots.limit.bound_since_us) return;
  while (pool->slots.first && pool->slots.first->slot_since_us + long_us <= now_us) {
    howdah_slots_leave(pool->slots.first);
    any = true;
  }
  if (any && pool->slots.finished == pool->slots.finished_before) howdah_limit_stalled(&pool->slots.limit, now_us);
  howdah_pool_happens(pool, 0);
}

void howdah_slots_init(howdah_pool *pool, unsigned least) {
  pool->slots.adaptive = least > 0;
  if (pool->slots.adaptive) howdah_limit_init(&pool->slots.limit, least, pool->counts.most);
  pool->slots.timer = (howdah_timer){.fire = on_time, .data = pool};
}

void howdah_slots_fini(howdah_pool *pool) {
  howdah_loop_timer_stop(howdah_coroutine_loop(), &pool->slots.timer);
}

unsigned howdah_pool_limit(const howdah_pool *pool) {
  return pool->slots.adaptive ? pool->slots.limit.now : pool->counts.most;
}
