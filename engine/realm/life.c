/* Where realms are in their lives, and what becomes of them. See realm.h for the words.
 *
 *   born                        +--> TIDYING --+
 *    |                          |      ^       |
 *    v                          |      |       v
 *   BOOTING ------> IDLE -------+      |    (IDLE, ENDED)
 *    |               | ^               |
 *    |               v |               |
 *    +-----------> SERVING ------------+
 *    | classic       |
 *    |               +---> ENDING <--- IDLE
 *    |               |        |
 *    +---------------+--------+----> ENDED     BOOTING, SERVING, TIDYING: their script ends by itself
 *
 * Whatever is counted of realms is counted here and nowhere else. */
#include "pool.h"

/* A line for each move: what it means. */
static const bool moves[HOWDAH_STATES][HOWDAH_STATES] = {
    [HOWDAH_BOOTING][HOWDAH_IDLE] = true,    /* its script asks for its first request */
    [HOWDAH_BOOTING][HOWDAH_SERVING] = true, /* classic mode: it was born for this request */
    [HOWDAH_BOOTING][HOWDAH_ENDED] = true,   /* its script did not ask, or was told to end */
    [HOWDAH_BOOTING][HOWDAH_ENDING] = true,  /* or it does not end either, and is given up */
    [HOWDAH_IDLE][HOWDAH_SERVING] = true,    /* it is given a request */
    [HOWDAH_IDLE][HOWDAH_TIDYING] = true,    /* it was idle for a moment and has something to give back */
    [HOWDAH_IDLE][HOWDAH_ENDING] = true,     /* nobody needs it, or its memory is needed, or its code is old */
    [HOWDAH_SERVING][HOWDAH_IDLE] = true,    /* it waits for the next request */
    [HOWDAH_SERVING][HOWDAH_TIDYING] = true, /* before it may serve another one: its heap has grown */
    [HOWDAH_SERVING][HOWDAH_ENDING] = true,  /* it has served as much as it may */
    [HOWDAH_SERVING][HOWDAH_ENDED] = true,   /* its script has ended: exit, an error, a request that was cancelled */
    [HOWDAH_TIDYING][HOWDAH_IDLE] = true,    /* it is tidy */
    [HOWDAH_TIDYING][HOWDAH_ENDED] = true,   /* a destructor ended its script */
    [HOWDAH_ENDING][HOWDAH_ENDED] = true,    /* as it was told to */
};

static const bool decisions[HOWDAH_FATES][HOWDAH_FATES] = {
    [HOWDAH_STAYS][HOWDAH_SUCCEEDS] = true,    /* as it begins to boot */
    [HOWDAH_STAYS][HOWDAH_SPENT] = true,       /* requests, memory; worker mode */
    [HOWDAH_STAYS][HOWDAH_RETIRES] = true,     /* it is to end */
    [HOWDAH_STAYS][HOWDAH_GIVEN_UP] = true,    /* its request, or what it collects, does not end */
    [HOWDAH_SUCCEEDS][HOWDAH_STAYS] = true,    /* it has booted */
    [HOWDAH_SUCCEEDS][HOWDAH_RETIRES] = true,  /* the worker stops, or it boots for too long */
    [HOWDAH_SUCCEEDS][HOWDAH_GIVEN_UP] = true, /* its last act takes too long: its script ended while it booted */
    [HOWDAH_SPENT][HOWDAH_RETIRES] = true,     /* its successor has booted, or it is to end at once */
    [HOWDAH_SPENT][HOWDAH_GIVEN_UP] = true,    /* as one that stays */
    [HOWDAH_RETIRES][HOWDAH_GIVEN_UP] = true,  /* its last act takes too long */
};

static void join_list(howdah_pool *pool, howdah_realm *realm) {
  realm->all_next = pool->all;
  if (pool->all) pool->all->all_prev = realm;
  pool->all = realm;
}

static void leave_list(howdah_pool *pool, howdah_realm *realm) {
  if (realm->all_prev)
    realm->all_prev->all_next = realm->all_next;
  else
    pool->all = realm->all_next;
  if (realm->all_next) realm->all_next->all_prev = realm->all_prev;
}

void howdah_realm_is_born(howdah_realm *realm) {
  howdah_pool *pool = realm->pool;
  howdah_assert(realm->life == HOWDAH_BOOTING && realm->fate == HOWDAH_STAYS, "a realm is born that has lived");
  join_list(pool, realm);
  pool->tally.births++;
  pool->counts.realms++;
  pool->counts.living[HOWDAH_BOOTING]++;
  pool->counts.fated[HOWDAH_STAYS]++;
  howdah_pool_check(pool);
}

void howdah_realm_move(howdah_realm *realm, howdah_realm_state to) {
  howdah_pool *pool = realm->pool;
  howdah_assert(moves[realm->life][to], "a realm is moved to where it must not go from where it is");
  pool->counts.living[realm->life]--;
  realm->life = to;
  if (to != HOWDAH_ENDED) {
    pool->counts.living[to]++;
  } else {
    leave_list(pool, realm);
    pool->counts.fated[realm->fate]--;
    pool->counts.realms--;
    pool->tally.deaths++;
    pool->tally.ends[realm->end]++;
  }
  howdah_pool_check(pool);
}

void howdah_realm_decide(howdah_realm *realm, howdah_fate fate) {
  howdah_pool *pool = realm->pool;
  howdah_assert(decisions[realm->fate][fate], "something is decided of a realm that contradicts what was decided before");
  pool->counts.fated[realm->fate]--;
  pool->counts.fated[fate]++;
  realm->fate = fate;
  howdah_pool_check(pool);
}

void howdah_realm_retire(howdah_realm *realm) {
  if (realm->fate < HOWDAH_RETIRES) howdah_realm_decide(realm, HOWDAH_RETIRES);
}
