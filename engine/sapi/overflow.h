/* Recursion without end on the C stack: an error of one request, where PHP code can be told of it. */
#ifndef HOWDAH_SAPI_OVERFLOW_H
#define HOWDAH_SAPI_OVERFLOW_H

#include <stdbool.h>

/* Once per process, from a module's startup, as howdah_hook_interrupts(). */
void howdah_overflow_hook_php(void);

/* In the handler of SIGSEGV. */

/* Lets the stack that runs grow when the address is in its depth, and sees to it that PHP code is told, or ends the request
 * where that is used up and nothing stands against it: context is then changed. False: it is a crash. */
bool howdah_overflow_grow(const void *address, void *context);
/* Whether the address is just below the stack that runs: nothing was left of it. */
bool howdah_overflow_is(const void *address);

#endif
