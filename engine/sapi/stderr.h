/* php://stderr in a request. See stderr.c. */
#ifndef HOWDAH_SAPI_STDERR_H
#define HOWDAH_SAPI_STDERR_H

/* Once per process, after PHP's module startup, before the first private state is made. 0, or -1 when PHP does not take it. */
int howdah_stderr_start(void);

#endif
