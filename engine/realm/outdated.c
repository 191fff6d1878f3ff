/* Realms whose code is of before a restart of opcache. See outdated.h. */
#include "outdated.h"
#include "../hooks/restart.h"
#include "../log.h"
#include "pool.h"

/* A restart that was asked for in another worker. */
enum { LOOK_US = 500000 };

bool howdah_outdated(const howdah_realm *realm) {
  return realm->pool->mode == HOWDAH_WORKER && realm->booted && howdah_restart_outdates(&realm->coroutine);
}

static void look(howdah_timer *timer) {
  howdah_pool *pool = timer->data;
  howdah_pool_retire_idle(pool, howdah_outdated, HOWDAH_END_OUTDATED);
  if (howdah_loop_timer_start(howdah_coroutine_loop(), timer, LOOK_US) < 0)
    howdah_log(HOWDAH_LOG_WARNING, NULL,
               "howdah: out of memory for a timer: realms keep their code after a restart of opcache");
}

void howdah_outdated_start(howdah_pool *pool) {
  pool->outdated_timer = (howdah_timer){.fire = look, .data = pool};
  if (pool->mode == HOWDAH_WORKER) look(&pool->outdated_timer);
}

void howdah_outdated_stop(howdah_pool *pool) {
  howdah_loop_timer_stop(howdah_coroutine_loop(), &pool->outdated_timer);
}
