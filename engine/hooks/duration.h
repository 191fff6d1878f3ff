/* What callers of the C library give as times, in microseconds. */
#ifndef HOWDAH_HOOKS_DURATION_H
#define HOWDAH_HOOKS_DURATION_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/time.h>
#include <time.h>

/* Whether the nanoseconds are in range; NULL is none. */
bool howdah_is_moment(const struct timespec *moment);
/* The longest time limit that there is: what is longer is as long, and the moment at its end can be told. 146,000 years. */
#define HOWDAH_LONGEST_US ((uint64_t)INT64_MAX / 2)
/* Microseconds, rounded up, HOWDAH_LONGEST_US at most. Neither part may be below zero. */
uint64_t howdah_us_of(const struct timespec *time);
uint64_t howdah_us_of_timeval(const struct timeval *time);

#endif
