/* Ending a request before its time. See cancel.h.
 *
 *   limit passed -> cancelled --(ANSWER_US)--> answered --(PATIENCE_US)--> given up
 *
 * At each arrow the realm may have ended instead: the timer lives in the realm and ends with its request. */
#include "cancel.h"
#include "../log.h"
#include "../sapi/sapi.h"
#include "pool.h"

enum { ANSWER_US = 50000, PATIENCE_US = 5000000 };

static bool has_request(const howdah_realm *realm) {
  return realm->request && howdah_request_is_real(realm->request);
}

static void start(howdah_realm *realm, uint64_t delay_us) {
  if (howdah_loop_timer_start(howdah_coroutine_loop(), &realm->limit, delay_us) < 0)
    howdah_log(HOWDAH_LOG_WARNING, realm->request, "howdah: out of memory for a request's timer: it has no time limit");
}

/* nginx closes connections when it stops: there is no time to see whether the request ends quickly. */
static void answer(howdah_realm *realm, howdah_cancel_reason reason) {
  howdah_request *request = realm->request;
  realm->answered = realm->response_ended;
  if (realm->response_ended) return;
  realm->response_ended = true;
  request->status = reason == HOWDAH_TIME_LIMIT ? 504 : 503;
  request->ops->fail(request, request->status);
  if (reason != HOWDAH_SHUTDOWN) return;
  realm->answered = true;
  request->ops->end_response(request);
}

bool howdah_cancel(howdah_realm *realm, howdah_cancel_reason reason) {
  if (!has_request(realm) || realm->finished || realm->cancelled >= reason) return false;
  if (reason == HOWDAH_TIME_LIMIT && realm->response_ended) return false;
  if (reason == HOWDAH_CLIENT_GONE &&
      (realm->response_ended || realm->request->outlives_client || howdah_sapi_ignores_abort(realm))) {
    howdah_coroutine_wake(&realm->coroutine); /* it may wait for its client */
    return false;
  }
  if (!realm->cancelled) realm->pool->cancelled++;
  realm->cancelled = reason;
  realm->unwinding = false;
  if (reason != HOWDAH_CLIENT_GONE) {
    answer(realm, reason);
    start(realm, realm->answered ? PATIENCE_US : ANSWER_US);
  }
  howdah_coroutine_cancel(&realm->coroutine);
  return true;
}

static void leave_place(howdah_realm *realm) {
  howdah_pool *pool = realm->pool;
  realm->given_up = realm->retire = true;
  pool->given_up++;
  howdah_slots_leave(realm);
  howdah_coroutine_cancel(&realm->coroutine);
  howdah_births_look(pool);
  howdah_pool_serve_queue(pool);
}

static void give_up(howdah_realm *realm) {
  howdah_log(HOWDAH_LOG_ERROR, realm->request,
             "howdah: the request did not end within %d s after it was told to: another realm takes the place of its realm %u, "
             "which ends when what it does ends",
             PATIENCE_US / 1000000, realm->id);
  leave_place(realm);
}

/* Nobody waits for it, but for its realm. */
static void give_up_collecting(howdah_realm *realm) {
  howdah_log(
      HOWDAH_LOG_ERROR, NULL,
      "howdah: a destructor does not end that runs while realm %u, which is idle, collects reference cycles: another realm "
      "takes its place",
      realm->id);
  leave_place(realm);
}

static void on_time(howdah_timer *timer) {
  howdah_realm *realm = timer->data;
  if (!has_request(realm)) {
    if (realm->request && !realm->given_up) give_up_collecting(realm);
  } else if (realm->cancelled <= HOWDAH_CLIENT_GONE) {
    howdah_cancel(realm, HOWDAH_TIME_LIMIT);
  } else if (!realm->answered) {
    realm->answered = true;
    realm->request->ops->end_response(realm->request);
    start(realm, PATIENCE_US);
  } else if (!realm->given_up) {
    give_up(realm);
  }
}

void howdah_cancel_start(howdah_realm *realm, uint64_t limit_us) {
  start(realm, limit_us);
}

void howdah_cancel_stop(howdah_realm *realm) {
  howdah_loop_timer_stop(howdah_coroutine_loop(), &realm->limit);
}

void howdah_cancel_init(howdah_realm *realm) {
  realm->limit = (howdah_timer){.fire = on_time, .data = realm};
}
