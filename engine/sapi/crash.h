/* What the log says when the worker process crashes: where each request in flight was. See crash.c. */
#ifndef HOWDAH_SAPI_CRASH_H
#define HOWDAH_SAPI_CRASH_H

#include <signal.h>

/* In each worker, on the loop's thread: handlers for the signals of a crash, on a stack of their own. 0, or -1 with errno. */
int howdah_crash_attach(void);

#endif
