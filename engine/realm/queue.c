/* Requests that no realm serves: those that wait, in order and for so long, and those that are refused. */
#include "pool.h"
#include "../coroutine/near.h"
#include "../log.h"

#include <string.h>

void howdah_pool_refuse(howdah_pool *pool, howdah_request *request, int status, const char *text) {
  const howdah_header headers[] = {{{"Content-Type", 12}, {"text/plain; charset=utf-8", 25}}, {{"Retry-After", 11}, {"1", 1}}};
  pool->requests++;
  request->status = status;
  if (request->ops->send_head(request, status, headers, status == 503 ? 2 : 1) == 0)
    request->ops->write(request, text, strlen(text));
  request->ops->end_response(request);
  request->ops->finish(request);
}

howdah_request *howdah_queue_take(howdah_pool *pool) {
  howdah_request *request = pool->queue_first;
  if (!request) return NULL;
  pool->queue_first = request->next;
  if (!pool->queue_first) pool->queue_last = NULL;
  if (--pool->queued == 0) {
    howdah_loop_timer_stop(howdah_coroutine_loop(), &pool->queue_timer);
    howdah_slots_look(pool);
  }
  request->next = NULL;
  /* It has waited for long, and is the next one. */
  if (pool->queue_first) howdah_near_fetch_request(pool->queue_first);
  return request;
}

/* Only for an empty queue, and when it fires: it may fire for one that is served already, and then finds the next one. */
static void arm(howdah_pool *pool) {
  howdah_loop *loop = howdah_coroutine_loop();
  if (!pool->queue_first || !pool->queue_timeout_us) return;
  uint64_t due_us = pool->queue_first->received_us + pool->queue_timeout_us, now_us = howdah_loop_now_us();
  if (howdah_loop_timer_start(loop, &pool->queue_timer, due_us > now_us ? due_us - now_us : 0) < 0)
    howdah_log(HOWDAH_LOG_WARNING, pool->queue_first,
               "howdah: out of memory for the queue's timer; requests wait without a limit");
}

static void on_time(howdah_timer *timer) {
  howdah_pool *pool = timer->data;
  uint64_t now_us = howdah_loop_now_us();
  while (pool->queue_first && pool->queue_first->received_us + pool->queue_timeout_us <= now_us) {
    howdah_request *request = howdah_queue_take(pool);
    howdah_log(HOWDAH_LOG_ERROR, request,
               "howdah: no realm became free within the queue's time limit (%llu ms, %u realms busy, %u of them still boot): "
               "answered 503; raise the concurrency, or look for what the busy requests wait for",
               (unsigned long long)(pool->queue_timeout_us / 1000), pool->busy, pool->booting);
    howdah_pool_refuse(pool, request, 503, "Service Unavailable: every PHP realm is busy\n");
  }
  arm(pool);
}

void howdah_queue_init(howdah_pool *pool) {
  pool->queue_timer = (howdah_timer){.fire = on_time, .data = pool};
}

void howdah_queue_put(howdah_pool *pool, howdah_request *request, unsigned room) {
  if (pool->queued >= pool->queue_max + (uint64_t)room) {
    howdah_log(HOWDAH_LOG_ERROR, request,
               "howdah: %u realms are busy and %u requests wait already: answered 503; raise the concurrency or the queue",
               pool->busy, pool->queued);
    howdah_pool_refuse(pool, request, 503, "Service Unavailable: every PHP realm is busy\n");
    return;
  }
  request->next = NULL;
  if (pool->queue_last)
    pool->queue_last->next = request;
  else
    pool->queue_first = request;
  pool->queue_last = request;
  if (pool->queued++ == 0) {
    arm(pool);
    howdah_slots_look(pool);
  }
}

void howdah_queue_refuse_all(howdah_pool *pool, int status, const char *text) {
  /* finish() may submit another one, which has not waited for what these have: it is not refused here. */
  howdah_request *last = pool->queue_last;
  while (pool->queue_first) {
    howdah_request *request = howdah_queue_take(pool);
    bool was_last = request == last;
    howdah_pool_refuse(pool, request, status, text);
    if (was_last) return;
  }
}
