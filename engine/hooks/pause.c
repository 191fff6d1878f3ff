/* Asking again and again, and waiting for a flag. See pause.h. */
#include "pause.h"

#include "../coroutine/wait.h"

enum { FIRST_US = 500, LAST_US = 8000 };

typedef struct {
  howdah_coroutine *coroutine;
  bool over;
} limit;

static void on_time(howdah_timer *timer) {
  limit *self = timer->data;
  self->over = true;
  howdah_coroutine_wake(self->coroutine);
}

bool howdah_pause_until(howdah_wait_kind kind, const bool *done, uint64_t timeout_us) {
  howdah_coroutine *self = howdah_coroutine_current();
  limit time = {.coroutine = self};
  howdah_timer timer = {.fire = on_time, .data = &time};
  /* Before the timer: a machine that stands still in between makes no wait shorter than what was asked for. */
  uint64_t since_us = howdah_loop_now_us();
  if (howdah_loop_timer_start(howdah_coroutine_loop(), &timer, timeout_us) < 0) {
    howdah_coroutine_yield();
    return *done;
  }
  while (!*done && !time.over) {
    self->parks_for = kind;
    self->parked_us = since_us ? since_us : howdah_loop_now_us();
    since_us = 0;
    howdah_coroutine_park();
    self->parked_us = 0;
  }
  howdah_loop_timer_stop(howdah_coroutine_loop(), &timer);
  return *done;
}

static int pause_once(const howdah_patience *patience, uint64_t pause_us) {
  if (!patience->steadfast) return howdah_wait_sleep(patience->kind, pause_us, NULL);
  const bool never = false;
  howdah_pause_until(patience->kind, &never, pause_us);
  return 0;
}

int howdah_pause(howdah_patience *patience) {
  uint64_t now_us = howdah_loop_now_us(), pause_us = patience->next_us ? patience->next_us : FIRST_US;
  if (now_us >= patience->until_us) return 1;
  if (pause_us > patience->until_us - now_us) pause_us = patience->until_us - now_us;
  patience->next_us = pause_us * 2 > LAST_US ? LAST_US : pause_us * 2;
  howdah_coroutine *self = howdah_coroutine_current();
  if (!patience->subject.since_us) patience->subject.since_us = now_us;
  self->subject = &patience->subject;
  int result = pause_once(patience, pause_us);
  self->subject = NULL;
  return result;
}

uint64_t howdah_until_us(const struct timespec *limit) {
  return limit ? howdah_loop_now_us() + howdah_us_of(limit) : UINT64_MAX;
}

uint64_t howdah_until_moment_us(clockid_t clock, const struct timespec *moment) {
  struct timespec now;
  if (moment->tv_sec < 0 || clock_gettime(clock, &now) < 0) return 0;
  uint64_t moment_us = howdah_us_of(moment), now_us = howdah_us_of(&now);
  return howdah_loop_now_us() + (moment_us > now_us ? moment_us - now_us : 0);
}
