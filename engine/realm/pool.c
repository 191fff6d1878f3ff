/* The pool: realms are born on demand up to a limit, reused last-in first-out, replaced when they must be; requests beyond that wait
 * in a bounded queue. All of it on the main stack.
 *
 * Invariants:
 *  1. A request waits in the queue only while no realm is idle and realms == realms_max, or until the loop's tasks run: while timers
 *     are due, whose realms may be about to finish. A realm that has just finished has its state in place and its memory in the
 *     processor's caches; among many realms that is worth more than half of what a request costs.
 *  2. after_run() is the only place where a realm goes from busy to idle, or dies. */
#include "pool.h"
#include "cancel.h"
#include "outdated.h"
#include "../log.h"
#include "../sapi/sapi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BIRTHS_AGAIN_US = 1000000 };

/* ---- Requests that no realm serves ---- */

void howdah_pool_refuse(howdah_pool *pool, howdah_request *request, int status, const char *text) {
  const howdah_header headers[] = {{{"Content-Type", 12}, {"text/plain; charset=utf-8", 25}}, {{"Retry-After", 11}, {"1", 1}}};
  pool->requests++;
  request->status = status;
  if (request->ops->send_head(request, status, headers, status == 503 ? 2 : 1) == 0)
    request->ops->write(request, text, strlen(text));
  request->ops->end_response(request);
  request->ops->finish(request);
}

/* ---- The queue ---- */

static howdah_request *queue_take(howdah_pool *pool) {
  howdah_request *request = pool->queue_first;
  if (!request) return NULL;
  pool->queue_first = request->next;
  if (!pool->queue_first) pool->queue_last = NULL;
  if (--pool->queued == 0) howdah_loop_timer_stop(howdah_coroutine_loop(), &pool->queue_timer);
  request->next = NULL;
  return request;
}

/* Only for an empty queue, and when it fires: it may fire for one that is served already, and then finds the next one. */
static void queue_arm(howdah_pool *pool) {
  howdah_loop *loop = howdah_coroutine_loop();
  if (!pool->queue_first || !pool->queue_timeout_us) return;
  uint64_t due_us = pool->queue_first->received_us + pool->queue_timeout_us, now_us = howdah_loop_now_us();
  if (howdah_loop_timer_start(loop, &pool->queue_timer, due_us > now_us ? due_us - now_us : 0) < 0)
    howdah_log(HOWDAH_LOG_WARNING, pool->queue_first,
               "howdah: out of memory for the queue's timer; requests wait without a limit");
}

static void queue_expired(howdah_timer *timer) {
  howdah_pool *pool = timer->data;
  uint64_t now_us = howdah_loop_now_us();
  while (pool->queue_first && pool->queue_first->received_us + pool->queue_timeout_us <= now_us) {
    howdah_request *request = queue_take(pool);
    howdah_log(HOWDAH_LOG_ERROR, request,
               "howdah: no realm became free within the queue's time limit (%llu ms, %u realms busy): answered 503; raise the "
               "concurrency, or look for what the busy requests wait for",
               (unsigned long long)(pool->queue_timeout_us / 1000), pool->busy);
    howdah_pool_refuse(pool, request, 503, "Service Unavailable: every PHP realm is busy\n");
  }
  queue_arm(pool);
}

static void queue_put(howdah_pool *pool, howdah_request *request) {
  if (pool->queued >= pool->queue_max) {
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
  if (pool->queued++ == 0) queue_arm(pool);
}

/* ---- Realms ---- */

static void list_remove(howdah_pool *pool, howdah_realm *realm) {
  if (realm->all_prev)
    realm->all_prev->all_next = realm->all_next;
  else
    pool->all = realm->all_next;
  if (realm->all_next) realm->all_next->all_prev = realm->all_prev;
}

static void tell_drained(howdah_task *task) {
  howdah_pool *pool = task->data;
  if (pool->drained) pool->drained(pool->drained_data);
}

static void check_drained(howdah_pool *pool) {
  if (pool->draining && pool->realms == 0 && pool->queued == 0) howdah_loop_post(howdah_coroutine_loop(), &pool->drained_task);
}

static void bury(howdah_pool *pool, howdah_realm *realm) {
  list_remove(pool, realm);
  pool->realms--;
  if (realm->given_up) pool->given_up--;
  pool->deaths++;
  howdah_realm_death(realm);
}

/* Where memory is short, those who are alive go on serving; a birth is tried again later. */
static bool may_give_birth(const howdah_pool *pool) {
  return pool->realms - pool->given_up < pool->realms_max &&
         (!pool->births_again_us || howdah_loop_now_us() >= pool->births_again_us);
}

static void assign(howdah_pool *pool, howdah_request *request);

static void hand_back(howdah_pool *pool, howdah_request *request) {
  pool->requests++;
  request->ops->finish(request);
}

static bool is_timer_due(void) {
  return howdah_loop_next_due_us(howdah_coroutine_loop()) <= howdah_loop_now_us();
}

static bool may_serve_queue(const howdah_pool *pool) {
  return pool->queue_first && (pool->idle || may_give_birth(pool));
}

/* Not again from within: a long queue of quick requests must not become a deep stack. */
void howdah_pool_serve_queue(howdah_pool *pool) {
  if (pool->serving_queue) return;
  pool->serving_queue = true;
  while (may_serve_queue(pool)) {
    howdah_request *next = queue_take(pool);
    if (next->aborted)
      hand_back(pool, next);
    else
      assign(pool, next);
    if (pool->queue_first && is_timer_due()) {
      howdah_loop_post(howdah_coroutine_loop(), &pool->queue_task);
      break;
    }
  }
  pool->serving_queue = false;
}

/* A realm ends that served (exit, its number of requests): nobody shall wait for the next one's boot. While opcache waits for its restart,
 * boots compile everything: one is kept for those who come first. */
static void replace(howdah_pool *pool, const howdah_realm *realm) {
  if (pool->draining) return;
  unsigned alive = howdah_outdated(realm) ? 1 : pool->realms - pool->given_up;
  if (pool->realms_wanted < alive) pool->realms_wanted = alive;
  howdah_loop_post(howdah_coroutine_loop(), &pool->warm_task);
}

/* In turns: those whose time has come, then one who waits. */
static void serve_queue_in_turns(howdah_task *task) {
  howdah_pool *pool = task->data;
  while (may_serve_queue(pool)) {
    howdah_loop_run_timers(howdah_coroutine_loop());
    howdah_pool_serve_queue(pool);
  }
}

/* What the realm did in its last run: finished a request, waits for one, or ended. */
static void after_run(howdah_coroutine *coroutine) {
  howdah_realm *realm = (howdah_realm *)coroutine;
  howdah_pool *pool = realm->pool;
  howdah_request *done = realm->finished, *failed = NULL;
  realm->finished = NULL;
  if (done) howdah_cancel_stop(realm);

  if (coroutine->finished) {
    /* Given to a realm that ended before it took it: its script failed to boot. */
    failed = realm->assigned;
    pool->busy--;
    if (pool->mode == HOWDAH_WORKER && realm->booted) replace(pool, realm);
    bury(pool, realm);
  } else if (realm->listed) {
    return; /* woken for nothing */
  } else if (realm->idle) {
    if ((pool->requests_max && realm->served >= pool->requests_max) || howdah_outdated(realm)) realm->retire = true;
    if (pool->draining || realm->retire) {
      realm->retire = true;
      if (done) hand_back(pool, done);
      howdah_coroutine_resume(coroutine);
      return;
    }
    pool->busy--;
    realm->next = pool->idle;
    realm->listed = true;
    pool->idle = realm;
  }
  if (done) hand_back(pool, done);
  if (failed)
    howdah_pool_refuse(pool, failed, 500, "Internal Server Error: the worker script did not start; see the error log\n");
  /* finish() may have submitted a request that took the realm. */
  howdah_pool_serve_queue(pool);
  check_drained(pool);
}

static howdah_realm *give_birth(howdah_pool *pool, char *error, size_t error_size) {
  howdah_realm *realm = howdah_realm_birth(pool, pool->mode == HOWDAH_WORKER ? howdah_worker_main : howdah_classic_main,
                                           after_run, error, error_size);
  if (!realm) return NULL;
  realm->all_next = pool->all;
  if (pool->all) pool->all->all_prev = realm;
  pool->all = realm;
  pool->realms++;
  pool->births++;
  return realm;
}

static void serve(howdah_pool *pool, howdah_realm *realm, howdah_request *request) {
  pool->busy++;
  realm->assigned = request;
  if (pool->request_timeout_us) howdah_cancel_start(realm, pool->request_timeout_us);
  howdah_coroutine_resume(&realm->coroutine);
}

/* To a realm, or to the queue where there is none. */
static void assign(howdah_pool *pool, howdah_request *request) {
  char error[512];
  howdah_realm *realm = pool->idle;
  if (realm) {
    pool->idle = realm->next;
    realm->listed = false;
    serve(pool, realm, request);
  } else if (may_give_birth(pool)) {
    realm = give_birth(pool, error, sizeof(error));
    if (realm) {
      serve(pool, realm, request);
    } else if (pool->realms > 0) {
      howdah_log(HOWDAH_LOG_ERROR, request, "%s", error);
      pool->births_again_us = howdah_loop_now_us() + BIRTHS_AGAIN_US;
      queue_put(pool, request);
    } else {
      howdah_log(HOWDAH_LOG_ERROR, request, "%s", error);
      howdah_pool_refuse(pool, request, 503, "Service Unavailable: no memory for a PHP realm\n");
    }
  } else {
    queue_put(pool, request);
  }
}

void howdah_pool_submit(howdah_pool *pool, howdah_request *request) {
  if (!request->received_us) request->received_us = howdah_loop_now_us();
  if (pool->queued < pool->queue_max && howdah_loop_next_due_us(howdah_coroutine_loop()) <= request->received_us) {
    queue_put(pool, request);
    howdah_loop_post(howdah_coroutine_loop(), &pool->queue_task);
  } else {
    assign(pool, request);
  }
}

static void warm_up(howdah_task *task) {
  howdah_pool *pool = task->data;
  char error[512];
  unsigned wanted = pool->realms_wanted > pool->realms_warm ? pool->realms_wanted : pool->realms_warm;
  pool->realms_wanted = 0;
  while (!pool->draining && pool->realms - pool->given_up < wanted && may_give_birth(pool)) {
    howdah_realm *realm = give_birth(pool, error, sizeof(error));
    if (!realm) {
      howdah_log(HOWDAH_LOG_ERROR, NULL, "%s", error);
      return;
    }
    uint64_t deaths = pool->deaths;
    pool->busy++;
    howdah_coroutine_resume(&realm->coroutine);
    /* A script that does not boot would not boot the next time either: the first request tries again. */
    if (pool->deaths != deaths) return;
  }
}

static howdah_pool *pools;

howdah_pool *howdah_pools_first(void) {
  return pools;
}

static void unlink_pool(const howdah_pool *pool) {
  for (howdah_pool **at = &pools; *at; at = &(*at)->next_pool) {
    if (*at != pool) continue;
    *at = pool->next_pool;
    return;
  }
}

howdah_pool *howdah_pool_new(const howdah_pool_options *options, char *error, size_t error_size) {
  if (options->realms_max < 1 || options->realms_max > 10000 || options->realms_warm > options->realms_max) {
    snprintf(error, error_size,
             "howdah: a pool of %u realms, %u of them warm, is out of range: 1 to 10000, and not more warm ones",
             options->realms_max, options->realms_warm);
    return NULL;
  }
  howdah_pool *pool = calloc(1, sizeof(*pool));
  if (!pool) goto no_memory;
  pool->next_pool = pools;
  pools = pool;
  pool->mode = options->mode;
  pool->script = options->script ? strdup(options->script) : NULL;
  pool->document_root = options->document_root ? strdup(options->document_root) : NULL;
  if ((options->script && !pool->script) || (options->document_root && !pool->document_root)) goto no_memory;
  pool->realms_max = options->realms_max;
  pool->realms_warm = options->realms_warm;
  pool->queue_max = options->queue_max;
  pool->queue_timeout_us = (uint64_t)options->queue_timeout_ms * 1000;
  pool->requests_max = options->requests_max;
  pool->request_timeout_us = (uint64_t)options->request_timeout_ms * 1000;
  pool->queue_timer = (howdah_timer){.fire = queue_expired, .data = pool};
  pool->queue_task = (howdah_task){.run = serve_queue_in_turns, .data = pool};
  pool->drained_task = (howdah_task){.run = tell_drained, .data = pool};
  pool->warm_task = (howdah_task){.run = warm_up, .data = pool};
  howdah_outdated_start(pool);
  if (pool->realms_warm) howdah_loop_post(howdah_coroutine_loop(), &pool->warm_task);
  return pool;

no_memory:
  snprintf(error, error_size, "howdah: out of memory for a pool of realms");
  if (pool) howdah_pool_free(pool);
  return NULL;
}

static bool any(const howdah_realm *realm) {
  (void)realm;
  return true;
}

/* From the list first: what PHP code does at its end may change the list. */
void howdah_pool_retire_idle(howdah_pool *pool, bool (*which)(const howdah_realm *)) {
  howdah_realm *leaving = NULL, **at = &pool->idle;
  while (*at) {
    howdah_realm *realm = *at;
    if (!which(realm)) {
      at = &realm->next;
      continue;
    }
    *at = realm->next;
    realm->next = leaving;
    leaving = realm;
    realm->listed = false;
    realm->retire = true;
    pool->busy++;
  }
  while (leaving) {
    howdah_realm *realm = leaving;
    leaving = realm->next;
    howdah_coroutine_resume(&realm->coroutine);
  }
}

void howdah_pool_drain(howdah_pool *pool, void (*done)(void *data), void *data) {
  pool->draining = true;
  pool->drained = done;
  pool->drained_data = data;
  howdah_pool_retire_idle(pool, any);
  check_drained(pool);
}

/* Realms may end, and leave the list, while they are cancelled. */
static bool cancel_one(howdah_pool *pool) {
  for (howdah_realm *realm = pool->all; realm; realm = realm->all_next)
    if (howdah_cancel(realm, HOWDAH_SHUTDOWN)) return true;
  return false;
}

void howdah_pool_cancel(howdah_pool *pool) {
  howdah_request *request;
  while ((request = queue_take(pool)))
    howdah_pool_refuse(pool, request, 503, "Service Unavailable: the server is stopping\n");
  while (cancel_one(pool)) {
  }
}

void howdah_pool_free(howdah_pool *pool) {
  howdah_loop *loop = howdah_coroutine_loop();
  howdah_loop_timer_stop(loop, &pool->queue_timer);
  howdah_outdated_stop(pool);
  howdah_loop_unpost(loop, &pool->queue_task);
  howdah_loop_unpost(loop, &pool->warm_task);
  howdah_loop_unpost(loop, &pool->drained_task);
  unlink_pool(pool);
  free(pool->script);
  free(pool->document_root);
  free(pool);
}

void howdah_pool_get_stats(const howdah_pool *pool, howdah_pool_stats *stats) {
  memset(stats, 0, sizeof(*stats));
  stats->realms = pool->realms;
  stats->busy = pool->busy;
  for (const howdah_realm *realm = pool->all; realm; realm = realm->all_next)
    if (!realm->idle && realm->coroutine.parked) stats->waiting++;
  stats->queued = pool->queued;
  stats->requests = pool->requests;
  stats->births = pool->births;
  stats->deaths = pool->deaths;
  stats->cancelled = pool->cancelled;
  stats->switches = howdah_coroutine_switches();
  stats->loads = howdah_state_loads();
}
