/* A pool closes: no more requests come, and realms that nobody waits for end. Or it drains: all of them do, and somebody is told. */
#include "pool.h"

static void tell(howdah_task *task) {
  howdah_pool *pool = task->data;
  void (*done)(void *data) = pool->drain.done;
  pool->drain.done = NULL;
  done(pool->drain.data);
}

void howdah_drain_init(howdah_pool *pool) {
  pool->drain.task = (howdah_task){.run = tell, .data = pool};
}

void howdah_drain_fini(howdah_pool *pool) {
  howdah_loop_unpost(howdah_coroutine_loop(), &pool->drain.task);
}

void howdah_drain_tell(howdah_pool *pool) {
  howdah_loop_post(howdah_coroutine_loop(), &pool->drain.task);
}

void howdah_pool_close(howdah_pool *pool) {
  pool->counts.closing = true;
  howdah_pool_happens(pool, 0);
}

void howdah_pool_drain(howdah_pool *pool, void (*done)(void *data), void *data) {
  pool->counts.closing = pool->counts.draining = true;
  pool->drain.done = done;
  pool->drain.data = data;
  howdah_outdated_stop(&pool->outdated);
  howdah_pool_happens(pool, 0);
}
