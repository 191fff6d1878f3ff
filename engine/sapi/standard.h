/* php://stdout and php://stderr in a request. See standard.c. */
#ifndef HOWDAH_SAPI_STANDARD_H
#define HOWDAH_SAPI_STANDARD_H

/* Once per process, after PHP's module startup, before the first private state is made. 0, or -1 when PHP does not take it. */
int howdah_standard_start(void);

#endif
