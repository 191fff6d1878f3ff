/* A request that exhausts memory where PHP would end the process: see exhaustion.c. */
#ifndef HOWDAH_SAPI_EXHAUSTION_H
#define HOWDAH_SAPI_EXHAUSTION_H

/* After the state blocks are known, before the hooks are installed. */
void howdah_exhaustion_start(void);

#endif
