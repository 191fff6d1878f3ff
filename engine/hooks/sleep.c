/* The sleep family. Kind: timer. Bad values are the original's to refuse. */
#include "hooked.h"

#include "../coroutine/wait.h"
#include "caller.h"
#include "pause.h"

#include <errno.h>

static bool is_valid(const struct timespec *time) {
  return howdah_is_moment(time) && time->tv_sec >= 0;
}

unsigned howdah_hook_sleep(unsigned seconds) {
  if (!howdah_hooks_may_park()) return howdah_real_sleep(seconds);
  uint64_t left_us = 0;
  if (howdah_wait_sleep(HOWDAH_WAIT_SLEEP, (uint64_t)seconds * 1000000, &left_us) == 0) return 0;
  return (unsigned)((left_us + 999999) / 1000000);
}

int howdah_hook_usleep(useconds_t us) {
  if (!howdah_hooks_may_park()) return howdah_real_usleep(us);
  return howdah_wait_sleep(HOWDAH_WAIT_SLEEP, us, NULL);
}

int howdah_hook_nanosleep(const struct timespec *request, struct timespec *left) {
  if (!is_valid(request) || !howdah_hooks_may_park()) return howdah_real_nanosleep(request, left);
  uint64_t left_us = 0;
  if (howdah_wait_sleep(HOWDAH_WAIT_SLEEP, howdah_us_of(request), &left_us) == 0) return 0;
  if (left) *left = (struct timespec){.tv_sec = (time_t)(left_us / 1000000), .tv_nsec = (long)(left_us % 1000000) * 1000};
  return -1;
}

/* C11's. -1 is a signal's (which interrupts nobody here), or of a request that ends; what is refused is below that. */
int howdah_hook_thrd_sleep(const struct timespec *request, struct timespec *left) {
  if (!is_valid(request) || !howdah_hooks_may_park()) return howdah_real_thrd_sleep(request, left);
  return howdah_hook_nanosleep(request, left);
}

static bool goes_on(clockid_t clock) {
  return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC || clock == CLOCK_BOOTTIME || clock == CLOCK_TAI;
}

int howdah_hook_clock_nanosleep(clockid_t clock, int flags, const struct timespec *request, struct timespec *left) {
  struct timespec now;
  if (!is_valid(request) || !goes_on(clock) || !howdah_hooks_may_park())
    return howdah_real_clock_nanosleep(clock, flags, request, left);
  uint64_t duration_us = howdah_us_of(request);
  if (flags & TIMER_ABSTIME) {
    if (clock_gettime(clock, &now) < 0) return errno;
    uint64_t now_us = howdah_us_of(&now);
    duration_us = duration_us > now_us ? duration_us - now_us : 0;
  }
  uint64_t left_us = 0;
  if (howdah_wait_sleep(HOWDAH_WAIT_SLEEP, duration_us, &left_us) == 0) return 0;
  if (left && !(flags & TIMER_ABSTIME))
    *left = (struct timespec){.tv_sec = (time_t)(left_us / 1000000), .tv_nsec = (long)(left_us % 1000000) * 1000};
  return errno;
}
