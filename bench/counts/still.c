/* Time that stands still, for counts: preloaded into what is counted. It goes on by a microsecond whenever it is asked, so that nothing is
 * done because a while has passed. */
#include <stdint.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <time.h>

enum { BEGINNING_S = 1800000000, MICROSECONDS = 1000000 };

static uint64_t asked;

int clock_gettime(clockid_t clock, struct timespec *now) {
  (void)clock;
  uint64_t us = __atomic_add_fetch(&asked, 1, __ATOMIC_RELAXED);
  *now = (struct timespec){.tv_sec = (time_t)(BEGINNING_S + us / MICROSECONDS), .tv_nsec = (long)(us % MICROSECONDS) * 1000};
  return 0;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  (void)zone;
  struct timespec exact;
  clock_gettime(CLOCK_REALTIME, &exact);
  *now = (struct timeval){.tv_sec = exact.tv_sec, .tv_usec = exact.tv_nsec / 1000};
  return 0;
}

time_t time(time_t *now) {
  struct timespec exact;
  clock_gettime(CLOCK_REALTIME, &exact);
  if (now) *now = exact.tv_sec;
  return exact.tv_sec;
}

/* The loop's thread is not interrupted: it would make a call twice that a signal has interrupted. */
int timer_settime(timer_t timer, int flags, const struct itimerspec *restrict value, struct itimerspec *restrict old) {
  (void)timer, (void)flags, (void)value;
  if (old) *old = (struct itimerspec){0};
  return 0;
}

/* A huge page is one of 2 MB that stays or comes by luck. */
__attribute__((constructor)) static void small_pages(void) {
  if (prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) < 0) abort();
}
