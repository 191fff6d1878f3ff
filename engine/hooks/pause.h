/* Waiting for what the kernel does not tell: asking again after pauses that grow. What locks, semaphores and threads wait
 * with. */
#ifndef HOWDAH_HOOKS_PAUSE_H
#define HOWDAH_HOOKS_PAUSE_H

#include "../coroutine/coroutine.h"
#include "duration.h"

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* One wait. Zeroed but for until_us, and for what it is for, it begins. */
typedef struct {
  uint64_t until_us;      /* its time limit, on CLOCK_MONOTONIC; UINT64_MAX: none */
  uint64_t next_us;       /* the next pause; 0: the first one */
  bool steadfast;         /* goes on although the coroutine is cancelled: for calls that must not fail */
  howdah_wait_kind kind;  /* what it is for, for those who ask: */
  howdah_subject subject; /* since_us is howdah_pause()'s */
} howdah_patience;

/* Parks for the next pause: 0.5 ms, then twice as long each time up to 8 ms, or what is left of the time limit. 0: ask again;
 * 1: the time is over; -1 with ECANCELED, or ENOMEM. Parks. */
int howdah_pause(howdah_patience *patience);
/* Parks until *done, which whoever sets it tells with howdah_coroutine_wake(), or until timeout_us have passed; a cancelled
 * coroutine goes on waiting. Whether it is done. Parks. */
bool howdah_pause_until(howdah_wait_kind kind, const bool *done, uint64_t timeout_us);
/* When a wait that begins now and has this limit is over; NULL: never. */
uint64_t howdah_until_us(const struct timespec *limit);
/* The same for a moment on a clock. */
uint64_t howdah_until_moment_us(clockid_t clock, const struct timespec *moment);

#endif
