/* Ends a system call that blocks although poll(2) has said that it would not. See watchdog.c. */
#ifndef HOWDAH_HOOKS_WATCHDOG_H
#define HOWDAH_HOOKS_WATCHDOG_H

#include <stdbool.h>

/* Makes the timer of the thread that calls, which is the loop's; in each process, as fork() does not inherit it. 0, or -1 with
 * errno. */
int howdah_watchdog_start(void);
/* From here on, a system call of this thread that blocks fails with EINTR, or ends with what it has done so far. Never yields,
 * and nothing may until the end. */
void howdah_watchdog_begin(void);
/* Whether time was up since the beginning, so that the call may have been cut short. Keeps errno. */
bool howdah_watchdog_end(void);

#endif
