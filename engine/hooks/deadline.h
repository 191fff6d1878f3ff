/* CPU-time limits of coroutines: see deadline.c. */
#ifndef HOWDAH_HOOKS_DEADLINE_H
#define HOWDAH_HOOKS_DEADLINE_H

/* In each process, after fork. expiry runs in a signal handler, in the coroutine whose time is over: it may only set flags. */
void howdah_deadline_start(void (*expiry)(void));

#endif
