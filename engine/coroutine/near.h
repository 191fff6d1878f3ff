/* What a parked coroutine touches first when it goes on, fetched from memory while the one before it runs. It has lain there for
 * milliseconds, and thousands of others have been served since: each line of 64 bytes that is looked for when it is needed costs as much as a
 * hundred instructions. Only hints: nothing is read. */
#ifndef HOWDAH_COROUTINE_NEAR_H
#define HOWDAH_COROUTINE_NEAR_H

#include "coroutine.h"

/* Addresses, so that none of them has to be looked for. Lies on the coroutine's stack, near its top. */
typedef struct {
  const void *coroutine, *image, *heap, *request, *front;
} howdah_near;

howdah_near howdah_near_of(const howdah_coroutine *coroutine);
/* What it names, and the stack around it. Of a coroutine that is parked. */
void howdah_near_fetch(const howdah_near *near);

#endif
