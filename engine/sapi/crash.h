/* What the log says when the worker process crashes: where each request in flight was. See crash.c. */
#ifndef HOWDAH_SAPI_CRASH_H
#define HOWDAH_SAPI_CRASH_H

#include <signal.h>
#include <stdbool.h>

/* In each worker, on the loop's thread: handlers for the signals of a crash, on a stack of their own. 0, or -1 with errno. */
int howdah_crash_attach(void);
/* Says that a function which ends the process was called, by whom (an address in its code; NULL: PHP), and which requests end
 * with it. False where nothing was said: in a process that serves nobody. It comes back, and then the process has to end. */
bool howdah_crash_exit(const char *function, int status, const void *caller);

#endif
