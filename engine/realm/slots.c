/* Places for requests in flight, where the pool's limit adapts itself (limit.h). Where it does not, there is a place for every realm, and
 * all this costs a look at a flag.
 *
 * A request that stays for much longer than others is no measure of what the pool can bear: an event stream, a long poll. Nor may it keep the others
 * waiting: after AGE_TURNS times the usual, a second at least, it has its realm and no place any more. So streams are bounded by the
 * number of realms, as without an adaptive limit. */
#include "pool.h"

enum { AGE_TURNS = 8, AGE_MIN_US = 1000000, AGE_MAX_US = 30000000 };

static uint64_t age_us(const howdah_pool *pool) {
  uint64_t age_us = pool->limit.turn_us * AGE_TURNS;
  return age_us < AGE_MIN_US ? AGE_MIN_US : age_us > AGE_MAX_US ? AGE_MAX_US : age_us;
}

void howdah_slots_take(howdah_realm *realm) {
  howdah_pool *pool = realm->pool;
  if (!pool->adaptive) return;
  realm->has_slot = true;
  realm->slot_since_us = howdah_loop_now_us();
  realm->slot_before = pool->slots_last;
  realm->slot_after = NULL;
  if (pool->slots_last)
    pool->slots_last->slot_after = realm;
  else
    pool->slots_first = realm;
  pool->slots_last = realm;
  pool->in_flight++;
}

void howdah_slots_leave(howdah_realm *realm) {
  howdah_pool *pool = realm->pool;
  if (!realm->has_slot) return;
  realm->has_slot = false;
  if (realm->slot_before)
    realm->slot_before->slot_after = realm->slot_after;
  else
    pool->slots_first = realm->slot_after;
  if (realm->slot_after)
    realm->slot_after->slot_before = realm->slot_before;
  else
    pool->slots_last = realm->slot_before;
  pool->in_flight--;
}

void howdah_slots_finished(howdah_realm *realm) {
  howdah_pool *pool = realm->pool;
  if (!pool->adaptive) return;
  pool->slots_finished++;
  if (howdah_limit_count(&pool->limit)) howdah_limit_look(&pool->limit, howdah_loop_now_us());
  howdah_slots_leave(realm);
}

/* Where there is no memory for the timer, those that stay long keep their places. */
static void arm(howdah_pool *pool) {
  uint64_t now_us = howdah_loop_now_us(), due_us = pool->slots_first->slot_since_us + age_us(pool);
  pool->slots_finished_before = pool->slots_finished;
  pool->slots_armed =
      howdah_loop_timer_start(howdah_coroutine_loop(), &pool->slots_timer, due_us > now_us ? due_us - now_us : 0) == 0;
}

void howdah_slots_look(howdah_pool *pool) {
  if (!pool->adaptive) return;
  bool bound = pool->queue_first && !howdah_slots_free(pool);
  if (bound != (pool->limit.bound_since_us != 0)) howdah_limit_bind(&pool->limit, bound, howdah_loop_now_us());
  if (bound && !pool->slots_armed) arm(pool);
}

/* Those that have stayed for long give their places up. Where nothing else has finished meanwhile, there will be more of them. */
static void on_time(howdah_timer *timer) {
  howdah_pool *pool = timer->data;
  uint64_t now_us = howdah_loop_now_us(), long_us = age_us(pool);
  bool any = false;
  pool->slots_armed = false;
  if (!pool->limit.bound_since_us) return;
  while (pool->slots_first && pool->slots_first->slot_since_us + long_us <= now_us) {
    howdah_slots_leave(pool->slots_first);
    any = true;
  }
  if (any && pool->slots_finished == pool->slots_finished_before) howdah_limit_stalled(&pool->limit, now_us);
  howdah_pool_happens(pool, 0);
}

void howdah_slots_init(howdah_pool *pool, unsigned least) {
  pool->adaptive = least > 0;
  if (pool->adaptive) howdah_limit_init(&pool->limit, least, pool->counts.most);
  pool->slots_timer = (howdah_timer){.fire = on_time, .data = pool};
}

unsigned howdah_pool_limit(const howdah_pool *pool) {
  return pool->adaptive ? pool->limit.now : pool->counts.most;
}
