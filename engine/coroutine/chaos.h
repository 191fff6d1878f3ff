/* The chaos scheduler: a test mode in which realms also yield where they need not wait, so that they overlap wherever they may.
 * Realms switch only where they wait, so most tests never overlap by themselves. A seed reproduces a run. */
#ifndef HOWDAH_COROUTINE_CHAOS_H
#define HOWDAH_COROUTINE_CHAOS_H

#include <stdint.h>

/* seed 0: off. In each process, so that workers differ by what they do and not by their number. */
void howdah_chaos_start(uint64_t seed);
/* A place where a realm may yield. Does nothing when off, or outside a coroutine. May park. */
void howdah_chaos_yield(void);
/* As a coin that falls the same way in each run with this seed; false when off. */
int howdah_chaos_coin(void);
/* The same for places that are met too often: true once in eight times. */
int howdah_chaos_die(void);

#endif
