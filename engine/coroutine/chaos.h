/* The chaos scheduler: a test mode in which realms also yield where they need not wait, so that they overlap wherever they may.
 * Realms switch only where they wait, so most tests never overlap by themselves. A seed reproduces a run. */
#ifndef HOWDAH_COROUTINE_CHAOS_H
#define HOWDAH_COROUTINE_CHAOS_H

#include <stdbool.h>
#include <stdint.h>

/* How often a realm yields where it may: once in so many times. Places that are met often have dice with more sides. */
enum {
  HOWDAH_CHAOS_OFTEN = 2,    /* output, files, classes that are looked for; PHP code that C code calls, as it begins */
  HOWDAH_CHAOS_AT_CALL = 16, /* before a C function that PHP code calls, and after it */
  HOWDAH_CHAOS_IN_CODE = 64  /* at each loop and call of PHP code */
};

/* seed 0: off. In each process, so that workers differ by what they do and not by their number. */
void howdah_chaos_start(uint64_t seed);
/* A place where a realm may yield, once in so many times. Does nothing when off, or outside a coroutine. May park. */
void howdah_chaos_yield(unsigned sides);

#endif
