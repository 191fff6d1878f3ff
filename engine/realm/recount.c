/* The pool's invariants, tested: everything that it counts is counted again from its lists. See pool.h, pool.c and realm.h for the rules. */
#include "pool.h"
#include "../check.h"

/* A whole recount for each move of a small pool. In a large one it comes once in so many moves that a move costs about as much as here. */
enum { SMALL = 64 };

typedef struct {
  unsigned realms, living[HOWDAH_STATES], fated[HOWDAH_FATES], untidy, slots;
} counts;

static bool has_work(const howdah_realm *realm) {
  return realm->assigned || realm->request || realm->finished;
}

/* A realm by itself. */
static void check_realm(const howdah_pool *pool, const howdah_realm *realm) {
  howdah_assert(realm->pool == pool, "a realm is in the list of another pool");
  howdah_assert(realm->coroutine.state == &realm->state, "a realm's coroutine runs in the state of another realm");
  howdah_assert(!realm->assigned || !realm->assigned->waits_in,
                "a request that was given to a realm waits in the queue all the same");
  howdah_assert(!realm->assigned || realm->assigned != realm->finished,
                "a realm was given the request that it has just served");
  howdah_assert(!realm->request || realm->request != realm->finished, "a request was served, and is served still");
  howdah_assert(!realm->assigned || realm->life == HOWDAH_SERVING, "a request was given to a realm that does something else");
  howdah_assert(pool->mode == HOWDAH_WORKER || (realm->fate != HOWDAH_SPENT && realm->fate != HOWDAH_SUCCEEDS),
                "a realm of classic mode waits for a successor, or is one");
  howdah_assert(realm->fate != HOWDAH_SUCCEEDS || realm->life == HOWDAH_BOOTING,
                "a realm has booted, and is a successor still");
  howdah_assert(realm->fate != HOWDAH_SPENT || realm->booted, "a realm is to be replaced that has not booted");
  howdah_assert(!realm->has_slot || pool->slots.adaptive, "a realm has a place, and the pool's limit is fixed");
  if (realm->life != HOWDAH_IDLE) {
    howdah_assert(!realm->untidy, "a realm that is not idle waits to be tidied up");
    return;
  }
  howdah_assert(realm->asks && realm->coroutine.parked && !realm->coroutine.finished,
                "a realm is in the list of those that are idle, and its coroutine does not wait for a request");
  howdah_assert(!has_work(realm), "a realm is in the list of those that are idle, and has a request");
  howdah_assert(!howdah_realm_retires(realm) && !realm->tidy && !realm->closing,
                "a realm is in the list of those that are idle, and is to end or to tidy up");
  howdah_assert(!realm->has_slot, "a realm is in the list of those that are idle, and has a place");
}

static void count_realms(const howdah_pool *pool, counts *found) {
  const howdah_realm *before = NULL;
  for (const howdah_realm *realm = pool->all; realm; before = realm, realm = realm->all_next) {
    howdah_assert(realm->all_prev == before, "the list of a pool's realms is broken");
    check_realm(pool, realm);
    found->realms++;
    found->living[realm->life]++;
    found->fated[realm->fate]++;
    if (realm->untidy) found->untidy++;
    if (realm->has_slot) found->slots++;
  }
}

static unsigned count_idle(const howdah_pool *pool) {
  unsigned found = 0;
  const howdah_realm *before = NULL;
  for (const howdah_realm *realm = pool->idle.first; realm; before = realm, realm = realm->next) {
    howdah_assert(realm->prev == before, "the list of idle realms is broken");
    howdah_assert(realm->life == HOWDAH_IDLE, "a realm is in the list of those that are idle, and is not idle");
    howdah_assert(!before || before->fate != HOWDAH_SPENT || realm->fate == HOWDAH_SPENT,
                  "a realm that is to be replaced is to serve before others");
    found++;
  }
  howdah_assert(pool->idle.last == before, "the list of idle realms has another end");
  return found;
}

static unsigned count_slots(const howdah_pool *pool) {
  unsigned found = 0;
  const howdah_realm *before = NULL;
  for (const howdah_realm *realm = pool->slots.first; realm; before = realm, realm = realm->slot_after) {
    howdah_assert(realm->slot_before == before, "the list of realms with places is broken");
    howdah_assert(realm->has_slot, "a realm is in the list of those with places, and has none");
    howdah_assert(!before || before->slot_since_us <= realm->slot_since_us,
                  "a realm has its place before one that had it earlier");
    found++;
  }
  howdah_assert(pool->slots.last == before, "the list of realms with places has another end");
  return found;
}

static unsigned count_queue(const howdah_pool *pool) {
  unsigned found = 0;
  bool behind = !pool->queue.live;
  const howdah_request *before = NULL;
  for (const howdah_request *request = pool->queue.first; request; before = request, request = request->next) {
    howdah_assert(request->before == before, "the queue is broken");
    howdah_assert(request->waits_in == pool, "a request is in the queue of another pool");
    howdah_assert(!request->engine, "a request waits in the queue, and a realm serves it");
    howdah_assert(request->aborted == behind, "a request whose client has gone waits before one whose client has not");
    if (request == pool->queue.live) behind = true;
    found++;
  }
  howdah_assert(pool->queue.last == before, "the queue has another end");
  howdah_assert(behind, "the last request whose client has not gone is not in the queue");
  return found;
}

static uint64_t sum_of_ends(const howdah_pool *pool) {
  uint64_t sum = 0;
  for (int why = 0; why < HOWDAH_ENDS; why++)
    sum += pool->tally.ends[why];
  return sum;
}

static void recount(const howdah_pool *pool) {
  counts found = {0};
  count_realms(pool, &found);
  unsigned idle = count_idle(pool), slots = count_slots(pool), queued = count_queue(pool);
  howdah_assert(pool->counts.realms == found.realms, "the pool's realms are counted wrongly");
  for (int life = 0; life < HOWDAH_STATES; life++)
    howdah_assert(pool->counts.living[life] == found.living[life],
                  "the realms in one state of their lives are counted wrongly");
  for (int fate = 0; fate < HOWDAH_FATES; fate++)
    howdah_assert(pool->counts.fated[fate] == found.fated[fate], "the realms with one fate are counted wrongly");
  howdah_assert(idle == found.living[HOWDAH_IDLE], "a realm is idle, and not in the list of those");
  howdah_assert(found.living[HOWDAH_ENDED] == 0, "a realm has ended, and is in its pool still");
  howdah_assert(pool->counts.untidy == found.untidy, "the realms that are to tidy up are counted wrongly");
  howdah_assert(pool->slots.in_flight == found.slots && slots == found.slots, "the requests in flight are counted wrongly");
  howdah_assert(pool->counts.queued == queued, "the requests that wait are counted wrongly");
  howdah_assert(pool->tally.births - pool->tally.deaths == found.realms, "births and deaths are counted wrongly");
  howdah_assert(pool->tally.deaths == sum_of_ends(pool), "the reasons of deaths are counted wrongly");
  howdah_assert(pool->counts.fated[HOWDAH_SUCCEEDS] <= 1, "more than one realm boots for those that are to be replaced");
  howdah_assert(howdah_pool_alive(pool) <= pool->counts.most + 1, "a pool has more realms than it may have");
}

void howdah_pool_recount(howdah_pool *pool) {
  if (++pool->moves * SMALL < pool->counts.realms) return;
  pool->moves = 0;
  recount(pool);
}
