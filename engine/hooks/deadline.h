/* CPU-time limits and slices of coroutines: see deadline.c. */
#ifndef HOWDAH_HOOKS_DEADLINE_H
#define HOWDAH_HOOKS_DEADLINE_H

#include <stdint.h>

/* Starts the process's profiling timer; in each process, as fork() does not inherit it. All functions run in a signal handler,
 * in the coroutine that runs. Two may only set flags: expiry when its CPU time is over (it says in how many microseconds of it
 * again; INT64_MAX: never), slice when it has run for slice_ms (of CPU, in steps of 10; 0: never) since it went on. holds may
 * log, and keeps errno: after each tenth of a second of CPU in which it has let nobody else run. 0, or -1 with errno. */
int howdah_deadline_start(uint64_t slice_ms, int64_t (*expiry)(void), void (*slice)(void), void (*holds)(void));

#endif
