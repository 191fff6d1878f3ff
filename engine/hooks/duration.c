#include "duration.h"

bool howdah_is_moment(const struct timespec *moment) {
  return moment && moment->tv_nsec >= 0 && moment->tv_nsec < 1000000000;
}

static uint64_t us_of(time_t seconds, uint64_t us) {
  uint64_t all;
  bool too_long = __builtin_mul_overflow((uint64_t)seconds, 1000000, &all) || __builtin_add_overflow(all, us, &all);
  return too_long || all > HOWDAH_LONGEST_US ? HOWDAH_LONGEST_US : all;
}

uint64_t howdah_us_of(const struct timespec *time) {
  return us_of(time->tv_sec, ((uint64_t)time->tv_nsec + 999) / 1000);
}

uint64_t howdah_us_of_timeval(const struct timeval *time) {
  return us_of(time->tv_sec, (uint64_t)time->tv_usec);
}
