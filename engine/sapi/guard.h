/* Reading memory that may not be there: of a realm that crashes, or from a signal handler. */
#ifndef HOWDAH_SAPI_GUARD_H
#define HOWDAH_SAPI_GUARD_H

#include <stdbool.h>

/* Runs work(): false where it met memory that is not there; it must hold nothing then. They nest. Also in a signal handler on
 * the loop's thread. Only after howdah_crash_attach(). */
bool howdah_guarding(void (*work)(void *data), void *data);
/* For the handler of such faults, with its context: does not return where work() has met one. */
void howdah_guard_catch(const void *context);

#endif
