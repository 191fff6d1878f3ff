/* The worker's memory and its ceiling (howdah_worker_memory). What php-fpm's users do with pm.max_children and a division, done by
 * looking: above the ceiling no realm is born where another one lives, and idle ones end, the coldest first, whatever pool they are in; then those that have just
 * served, but for the last one of each pool in worker mode, which ends only where it has grown. Requests wait in the queue meanwhile.
 * Births begin again some way below, so that realms do not come and go. */
#include "memory.h"
#include "pool.h"
#include "../log.h"

#include <malloc.h>

enum { LOOK_US = 20000, AGAIN_US = 100000, SWEEP_US = 1000, SWEEP_PAUSE_US = 5000, NO_HELP_US = 5000000, TELL_US = 60000000 };
/* Realms that have not grown give little back, and are missed: so many a second at most end when they have served. */
enum { SMALL_ONES_US = 50000 };
enum { GROWN_BYTES = 2 * 1024 * 1024 };

static struct {
  uint64_t bytes; /* 0: there is none */
  uint64_t looked_us;
  bool reached;      /* no births where another realm lives */
  uint64_t above_us; /* since when the worker has more; 0: it has not */
  uint64_t ended_us; /* when births stopped, or a realm ended for it since */
  uint64_t told_us, no_help_us;
  howdah_timer timer;
  bool armed;
} ceiling;

static uint64_t resident(void) {
  uint64_t bytes = howdah_memory_resident();
  ceiling.looked_us = howdah_loop_now_us();
  if (bytes <= ceiling.bytes)
    ceiling.above_us = 0;
  else if (!ceiling.above_us)
    ceiling.above_us = ceiling.looked_us;
  return bytes;
}

static void arm(uint64_t delay_us) {
  ceiling.armed = howdah_loop_timer_start(howdah_coroutine_loop(), &ceiling.timer, delay_us) == 0;
  if (!ceiling.armed) ceiling.reached = false; /* nobody would look again */
}

static unsigned long long megabytes(uint64_t bytes) {
  return (unsigned long long)(bytes >> 20);
}

static bool is_quiet(uint64_t *told_us) {
  uint64_t now_us = howdah_loop_now_us();
  if (*told_us && now_us - *told_us < TELL_US) return true;
  *told_us = now_us;
  return false;
}

static void stop_births(uint64_t delay_us) {
  ceiling.reached = true;
  ceiling.ended_us = howdah_loop_now_us();
  arm(delay_us);
}

static void tell(uint64_t bytes) {
  if (is_quiet(&ceiling.told_us)) return;
  howdah_log(
      HOWDAH_LOG_WARNING, NULL,
      "howdah: the worker's memory, %llu MB, is above howdah_worker_memory (%llu MB): idle realms end, and requests wait "
      "instead of new realms",
      megabytes(bytes), megabytes(ceiling.bytes));
}

static void leave(void) {
  ceiling.reached = false;
  for (howdah_pool *pool = howdah_pools_first(); pool; pool = pool->next_pool) {
    howdah_births_look(pool);
    howdah_loop_post(howdah_coroutine_loop(), &pool->again);
  }
}

/* What was too soon to look at is looked at later: perhaps nothing runs until then. */
void howdah_ceiling_look(void) {
  if (!ceiling.bytes || ceiling.reached || ceiling.armed) return;
  if (howdah_loop_now_us() - ceiling.looked_us < LOOK_US)
    arm(LOOK_US);
  else if (resident() > ceiling.bytes)
    stop_births(0);
}

static bool has_grown(const howdah_realm *realm) {
  return realm->heap_bytes > (realm->heap_booted ? realm->heap_booted : GROWN_BYTES) + GROWN_BYTES;
}

static bool may_end(const howdah_realm *realm) {
  return realm->pool->mode == HOWDAH_CLASSIC || howdah_pool_alive(realm->pool) > 1 || has_grown(realm);
}

/* What is not there yet is counted: a boot takes its memory bit by bit. */
bool howdah_ceiling_has_room(const howdah_pool *pool) {
  if (!ceiling.bytes) return true;
  if (ceiling.reached) return false;
  if (resident() + (pool->counts.living[HOWDAH_BOOTING] + 1) * pool->heap_booted <= ceiling.bytes) return true;
  stop_births(AGAIN_US);
  return false;
}

bool howdah_ceiling_wants(const howdah_realm *realm) {
  if (!ceiling.reached || !may_end(realm) || resident() <= ceiling.bytes) return false;
  if (!has_grown(realm) && ceiling.looked_us - ceiling.ended_us < SMALL_ONES_US) return false;
  ceiling.ended_us = ceiling.looked_us;
  return true;
}

static howdah_realm *coldest_of(const howdah_pool *pool) {
  howdah_realm *realm = howdah_idle_coldest(&pool->idle);
  while (realm && !may_end(realm))
    realm = realm->prev;
  return realm;
}

/* Those that are missing are due again when this one has ended. */
void howdah_ceiling_end_coldest(howdah_pool *pool) {
  howdah_realm *realm = coldest_of(pool);
  pool->counts.due &= ~(unsigned)(HOWDAH_DUE_MEMORY | HOWDAH_DUE_BIRTH);
  if (realm) howdah_idle_end(pool, realm, HOWDAH_END_CEILING);
}

static const howdah_realm *coldest(void) {
  const howdah_realm *found = NULL;
  for (howdah_pool *pool = howdah_pools_first(); pool; pool = pool->next_pool) {
    const howdah_realm *realm = coldest_of(pool);
    if (realm && (!found || realm->idle_since_us < found->idle_since_us)) found = realm;
  }
  return found;
}

static void complain(uint64_t bytes) {
  unsigned realms = 0, busy = 0;
  if (ceiling.looked_us - ceiling.above_us < NO_HELP_US || is_quiet(&ceiling.no_help_us)) return;
  for (const howdah_pool *pool = howdah_pools_first(); pool; pool = pool->next_pool) {
    realms += pool->counts.realms;
    busy += howdah_pool_busy(pool);
  }
  howdah_log(
      HOWDAH_LOG_ERROR, NULL,
      "howdah: the worker's memory stays at %llu MB, above howdah_worker_memory (%llu MB), with %u realms, %u of them busy: "
      "ending realms does not help; raise it, or lower memory_limit or the concurrency",
      megabytes(bytes), megabytes(ceiling.bytes), realms, busy);
}

static void on_time(howdah_timer *timer) {
  (void)timer;
  uint64_t began_us = howdah_loop_now_us(), bytes = resident();
  const howdah_realm *realm;
  bool ended = false;
  ceiling.armed = false;
  if (bytes > ceiling.bytes) {
    ceiling.reached = true;
    tell(bytes);
  } else if (!ceiling.reached) {
    return;
  }
  while (bytes > ceiling.bytes && ceiling.looked_us - began_us <= SWEEP_US && (realm = coldest())) {
    howdah_pool *pool = realm->pool;
    unsigned before = pool->counts.living[HOWDAH_IDLE];
    howdah_pool_happens(pool, HOWDAH_DUE_MEMORY);
    bytes = resident();
    if (pool->counts.living[HOWDAH_IDLE] >= before) break; /* it serves somebody now, or others have come meanwhile */
    ended = true;
    ceiling.ended_us = ceiling.looked_us;
  }
  if (ended) {
    malloc_trim(0);
    bytes = resident();
  }
  if (bytes > ceiling.bytes) complain(bytes);
  if (bytes > ceiling.bytes - ceiling.bytes / 10)
    arm(ended ? SWEEP_PAUSE_US : AGAIN_US);
  else
    leave();
}

void howdah_pools_limit_memory(uint64_t bytes) {
  ceiling.bytes = bytes;
  ceiling.timer.fire = on_time;
}
