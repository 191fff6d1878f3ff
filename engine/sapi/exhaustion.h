/* A request that exhausts memory where PHP would end the process: see exhaustion.c. */
#ifndef HOWDAH_SAPI_EXHAUSTION_H
#define HOWDAH_SAPI_EXHAUSTION_H

#include <stdbool.h>

/* After the state blocks are known, before the hooks are installed. */
void howdah_exhaustion_start(void);
/* Whether somebody would catch a bailout of the code that runs, and nothing is held that all processes wait for. */
bool howdah_exhaustion_may_bail_out(void);

#endif
