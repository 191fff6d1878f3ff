/* Ending a request before its time. See cancel.h.
 *
 *   limit passed -> cancelled --(ANSWER_US)--> answered --(PATIENCE_US)--> given up
 *
 * A realm that others have kept from running since it was cancelled could not end: it is not answered before it has run.
 *
 * At each arrow the realm may have ended instead: the timer lives in the realm and ends with its request. */
#include "cancel.h"
#include "../log.h"
#include "pool.h"

enum { ANSWER_US = 50000, PATIENCE_US = 5000000 };

/* A boot is told of after so long, and each time that this has doubled, until its time limit has passed. A last act talks to
 * servers that extensions have sessions with: one that lives answers in milliseconds. */
enum { BOOT_US = 5000000, CLOSING_US = 2000000, CLOSING_AT_STOP_US = 200000 };

static bool has_request(const howdah_realm *realm) {
  return realm->request && howdah_request_is_real(realm->request);
}

static void start(howdah_realm *realm, uint64_t delay_us) {
  if (howdah_loop_timer_start(howdah_coroutine_loop(), &realm->limit, delay_us) < 0)
    howdah_log(HOWDAH_LOG_WARNING, realm->request, "howdah: out of memory for a timer: what realm %u does has no time limit",
               realm->id);
}

/* nginx closes connections when it stops: there is no time to see whether the request ends quickly. */
static void answer(howdah_realm *realm, howdah_cancel_reason reason) {
  howdah_request *request = realm->request;
  realm->answered = realm->response_ended;
  if (realm->response_ended) return;
  realm->response_ended = true;
  request->status = reason == HOWDAH_BODY_REFUSED ? request->refused : reason == HOWDAH_SHUTDOWN ? 503 : 504;
  request->ops->fail(request, request->status);
  if (reason != HOWDAH_SHUTDOWN) return;
  realm->answered = true;
  request->ops->end_response(request);
}

bool howdah_cancel(howdah_realm *realm, howdah_cancel_reason reason) {
  if (!has_request(realm) || realm->finished || realm->cancelled >= reason) return false;
  if (reason == HOWDAH_TIME_LIMIT && realm->response_ended) return false;
  if (reason == HOWDAH_CLIENT_GONE &&
      (realm->response_ended || realm->request->outlives_client || howdah_realms_code()->ignores_abort(realm))) {
    howdah_coroutine_wake_soon(&realm->coroutine); /* it may wait for its client */
    return false;
  }
  if (!realm->cancelled) realm->pool->tally.cancelled++;
  realm->cancelled = reason;
  realm->unwinding = false;
  if (reason != HOWDAH_CLIENT_GONE) {
    answer(realm, reason);
    start(realm, realm->answered ? PATIENCE_US : ANSWER_US);
  }
  howdah_coroutine_cancel(&realm->coroutine);
  return true;
}

static void give_up(howdah_realm *realm) {
  howdah_log(HOWDAH_LOG_ERROR, realm->request,
             "howdah: the request did not end within %d s after it was told to: another realm takes the place of its realm %u, "
             "which ends when what it does ends",
             PATIENCE_US / 1000000, realm->id);
  realm->owner->gives_up(realm);
}

/* Nobody waits for it, but for its realm. */
static void give_up_collecting(howdah_realm *realm) {
  howdah_log(
      HOWDAH_LOG_ERROR, NULL,
      "howdah: a destructor does not end that runs while realm %u, which is idle, collects reference cycles: another realm "
      "takes its place",
      realm->id);
  realm->owner->gives_up(realm);
}

/* Nobody waits for it at all, but for its memory and its place. */
static void give_up_closing(howdah_realm *realm) {
  howdah_log(
      HOWDAH_LOG_WARNING, NULL,
      "howdah: realm %u is to end, but an extension waits for a server that does not answer that its connection or session "
      "ends: what it waits for fails now",
      realm->id);
  realm->owner->gives_up(realm);
}

static void give_up_booting(howdah_realm *realm) {
  howdah_log(HOWDAH_LOG_ERROR, NULL, "howdah: realm %u, which boots, did not end within %d s after it was told to", realm->id,
             PATIENCE_US / 1000000);
  realm->owner->gives_up(realm);
}

/* Its script is told so where it asks for a request now. */
static void end_boot(howdah_realm *realm, howdah_cancel_reason reason, howdah_end why) {
  realm->cancelled = reason;
  howdah_realm_retire(realm);
  realm->end = why;
  start(realm, PATIENCE_US);
  howdah_coroutine_cancel(&realm->coroutine);
}

static void watch_boot(howdah_realm *realm, uint64_t took_us, uint64_t next_us) {
  uint64_t limit_us = realm->pool->boot_timeout_us;
  start(realm, limit_us && limit_us - took_us < next_us ? limit_us - took_us : next_us);
}

static void still_boots(howdah_realm *realm) {
  uint64_t took_us = howdah_loop_now_us() - realm->boot_us, limit_us = realm->pool->boot_timeout_us;
  bool ends = limit_us && took_us >= limit_us;
  howdah_realms_code()->tell_boot(realm, (unsigned)(took_us / 1000000), ends);
  if (ends)
    end_boot(realm, HOWDAH_TIME_LIMIT, HOWDAH_END_BOOT);
  else
    watch_boot(realm, took_us, took_us);
}

static void on_time(howdah_timer *timer) {
  howdah_realm *realm = timer->data;
  if (realm->fate == HOWDAH_GIVEN_UP) return;
  if (realm->closing) {
    give_up_closing(realm);
  } else if (realm->life == HOWDAH_BOOTING) {
    if (realm->cancelled)
      give_up_booting(realm);
    else
      still_boots(realm);
  } else if (!has_request(realm)) {
    if (realm->request) give_up_collecting(realm);
  } else if (realm->cancelled <= HOWDAH_CLIENT_GONE) {
    howdah_cancel(realm, HOWDAH_TIME_LIMIT);
  } else if (!realm->answered && realm->coroutine.interrupt) {
    start(realm, ANSWER_US);
  } else if (!realm->answered) {
    realm->answered = true;
    realm->request->ops->end_response(realm->request);
    start(realm, PATIENCE_US);
  } else {
    give_up(realm);
  }
}

bool howdah_cancel_ends(howdah_realm *realm) {
  if (realm->fate == HOWDAH_GIVEN_UP || realm->cancelled == HOWDAH_SHUTDOWN) return false;
  if (realm->closing) {
    give_up_closing(realm);
    return true;
  }
  if (realm->life != HOWDAH_BOOTING) return false;
  end_boot(realm, HOWDAH_SHUTDOWN, HOWDAH_END_DRAIN);
  return true;
}

void howdah_cancel_boot_begins(howdah_realm *realm) {
  realm->boot_us = howdah_loop_now_us();
  watch_boot(realm, 0, BOOT_US);
}

void howdah_cancel_closing_begins(howdah_realm *realm) {
  realm->closing = true;
  if (realm->fate == HOWDAH_GIVEN_UP) return;
  realm->cancelled = HOWDAH_NOT_CANCELLED;
  realm->coroutine.cancelled = realm->coroutine.ending = realm->coroutine.interrupt = false;
  realm->coroutine.refused = 0;
  start(realm, realm->pool->stopping ? CLOSING_AT_STOP_US : CLOSING_US);
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
