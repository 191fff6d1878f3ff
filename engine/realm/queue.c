/* Requests that no realm serves: those that wait, in order and for so long, those that are refused, and those that are over, which go back to their
 * front-end.
 *
 * Those whose clients have gone, and which shall run all the same, wait behind all others, and give their places up to them. */
#include "pool.h"
#include "../coroutine/near.h"
#include "../log.h"

#include <string.h>

unsigned howdah_pool_in_front;

void howdah_pool_hand_back(howdah_pool *pool, howdah_request *request) {
  pool->tally.requests++;
  howdah_pool_in_front++;
  request->ops->finish(request);
  howdah_pool_in_front--;
}

void howdah_pool_refuse(howdah_pool *pool, howdah_request *request, int status, const char *text) {
  const howdah_header headers[] = {{{"Content-Type", 12}, {"text/plain; charset=utf-8", 25}}, {{"Retry-After", 11}, {"1", 1}}};
  request->status = status;
  if (request->ops->send_head(request, status, headers, status == 503 ? 2 : 1) == 0)
    request->ops->write(request, text, strlen(text));
  request->ops->end_response(request);
  howdah_pool_hand_back(pool, request);
}

/* The first one whose client has gone, or NULL. */
static howdah_request *first_left_behind(const howdah_pool *pool) {
  return pool->queue.live ? pool->queue.live->next : pool->queue.first;
}

/* Behind that one; NULL: as the first. */
static void link_behind(howdah_pool *pool, howdah_request *request, howdah_request *before) {
  request->waits_in = pool;
  request->before = before;
  request->next = before ? before->next : pool->queue.first;
  if (before)
    before->next = request;
  else
    pool->queue.first = request;
  if (request->next)
    request->next->before = request;
  else
    pool->queue.last = request;
  if (!request->aborted) pool->queue.live = request;
}

static void unlink_from(howdah_pool *pool, howdah_request *request) {
  if (request == pool->queue.live) pool->queue.live = request->before;
  if (request->before)
    request->before->next = request->next;
  else
    pool->queue.first = request->next;
  if (request->next)
    request->next->before = request->before;
  else
    pool->queue.last = request->before;
  request->next = request->before = NULL;
  request->waits_in = NULL;
}

static void leave(howdah_request *request) {
  howdah_pool *pool = request->waits_in;
  unlink_from(pool, request);
  request->queue_us = howdah_loop_now_us() - request->received_us;
  if (--pool->counts.queued == 0) {
    howdah_loop_timer_stop(howdah_coroutine_loop(), &pool->queue.timer);
    howdah_slots_look(pool);
  }
}

/* Nobody waits for an answer, so nothing is said. */
static void let_go(howdah_pool *pool, howdah_request *request) {
  leave(request);
  howdah_pool_hand_back(pool, request);
}

/* Its client has gone. */
static void drop(howdah_pool *pool, howdah_request *request) {
  if (request->outlives_client) {
    unlink_from(pool, request);
    link_behind(pool, request, pool->queue.last);
    return;
  }
  let_go(pool, request);
}

void howdah_queue_abandoned(howdah_request *request) {
  howdah_pool *pool = request->waits_in;
  drop(pool, request);
  howdah_pool_happens(pool, 0);
}

bool howdah_queue_has_dropped_first(howdah_pool *pool) {
  howdah_request *request = pool->queue.first;
  if (request->aborted || !request->ops->is_gone) return false;
  request->aborted = request->ops->is_gone(request);
  if (!request->aborted) return false;
  drop(pool, request); /* its memory may be gone */
  return true;
}

howdah_request *howdah_queue_take(howdah_pool *pool) {
  howdah_request *request = pool->queue.first;
  if (!request) return NULL;
  leave(request);
  /* It has waited for long, and is the next one. */
  if (pool->queue.first) howdah_near_fetch_request(pool->queue.first);
  return request;
}

static uint64_t due_us(const howdah_pool *pool, const howdah_request *request) {
  return request ? request->received_us + pool->queue.timeout_us : UINT64_MAX;
}

/* Only for an empty queue, and when it fires: it may fire for one that is served already, and then finds the next one. */
static void arm(howdah_pool *pool) {
  if (!pool->queue.first || !pool->queue.timeout_us) return;
  uint64_t first_us = due_us(pool, pool->queue.first), left_us = due_us(pool, first_left_behind(pool));
  uint64_t next_us = first_us < left_us ? first_us : left_us, now_us = howdah_loop_now_us();
  if (howdah_loop_timer_start(howdah_coroutine_loop(), &pool->queue.timer, next_us > now_us ? next_us - now_us : 0) < 0)
    howdah_log(HOWDAH_LOG_WARNING, pool->queue.first,
               "howdah: out of memory for the queue's timer; requests wait without a limit");
}

void howdah_queue_end(howdah_request *request) {
  howdah_pool *pool = request->waits_in;
  howdah_log(HOWDAH_LOG_ERROR, request, "howdah: ended by the operator (howdah top) while it waited for a realm: answered 503");
  leave(request);
  howdah_pool_refuse(pool, request, 503, "Service Unavailable: ended by the operator\n");
  howdah_pool_happens(pool, 0); /* a realm may boot for it */
}

static void on_time(howdah_timer *timer) {
  howdah_pool *pool = timer->data;
  uint64_t now_us = howdah_loop_now_us();
  while (pool->queue.live && due_us(pool, pool->queue.first) <= now_us) {
    howdah_request *request = howdah_queue_take(pool);
    howdah_log(HOWDAH_LOG_ERROR, request,
               "howdah: no realm became free within the queue's time limit (%llu ms, %u realms busy, %u of them still boot): "
               "answered 503; raise the concurrency, or look for what the busy requests wait for",
               (unsigned long long)(pool->queue.timeout_us / 1000), howdah_pool_busy(pool),
               pool->counts.living[HOWDAH_BOOTING]);
    howdah_pool_refuse(pool, request, 503, "Service Unavailable: every PHP realm is busy\n");
  }
  while (due_us(pool, first_left_behind(pool)) <= now_us)
    let_go(pool, first_left_behind(pool));
  arm(pool);
  howdah_pool_happens(pool, 0);
}

void howdah_pool_each_queued(const howdah_pool *pool, void (*tell)(void *to, const howdah_request *request), void *to) {
  for (const howdah_request *request = pool->queue.first; request; request = request->next)
    tell(to, request);
}

void howdah_queue_init(howdah_pool *pool, unsigned most, uint64_t timeout_us) {
  pool->queue.most = most;
  pool->queue.timeout_us = timeout_us;
  pool->queue.timer = (howdah_timer){.fire = on_time, .data = pool};
}

void howdah_queue_fini(howdah_pool *pool) {
  howdah_loop_timer_stop(howdah_coroutine_loop(), &pool->queue.timer);
}

bool howdah_queue_has_room(const howdah_pool *pool, unsigned more) {
  return pool->counts.queued < pool->queue.most + (uint64_t)more;
}

void howdah_queue_put(howdah_pool *pool, howdah_request *request, unsigned room) {
  bool is_full = !howdah_queue_has_room(pool, room);
  if (is_full && first_left_behind(pool)) {
    let_go(pool, first_left_behind(pool));
  } else if (is_full) {
    howdah_log(HOWDAH_LOG_ERROR, request,
               "howdah: %u realms are busy and %u requests wait already: answered 503; raise the concurrency or the queue",
               howdah_pool_busy(pool), pool->counts.queued);
    howdah_pool_refuse(pool, request, 503, "Service Unavailable: every PHP realm is busy\n");
    return;
  }
  link_behind(pool, request, request->aborted ? pool->queue.last : pool->queue.live);
  if (pool->counts.queued++ == 0) {
    arm(pool);
    howdah_slots_look(pool);
  }
}

void howdah_queue_refuse_all(howdah_pool *pool, int status, const char *text) {
  /* finish() may submit another one, which has not waited for what these have: it is not refused here. */
  howdah_request *last = pool->queue.last;
  while (pool->queue.first) {
    howdah_request *request = howdah_queue_take(pool);
    bool was_last = request == last;
    howdah_pool_refuse(pool, request, status, text);
    if (was_last) return;
  }
}
