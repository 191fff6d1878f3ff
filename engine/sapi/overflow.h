/* Recursion without end on the C stack: an error of one request, where PHP code can be told of it. */
#ifndef HOWDAH_SAPI_OVERFLOW_H
#define HOWDAH_SAPI_OVERFLOW_H

/* Once per process, from a module's startup, as howdah_hook_interrupts(). */
void howdah_overflow_hook_php(void);
/* In each worker, on the loop's thread: the signal handler. 0, or -1 with errno. */
int howdah_overflow_attach(void);

#endif
