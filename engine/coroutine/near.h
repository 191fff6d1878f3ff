/* What a parked coroutine touches first when it goes on, fetched from memory while the one before it runs. It has lain there
 * for milliseconds, and thousands of others have been served since: each line of 64 bytes that is looked for when it is needed
 * costs as much as a hundred instructions. Only hints: nothing is read. */
#ifndef HOWDAH_COROUTINE_NEAR_H
#define HOWDAH_COROUTINE_NEAR_H

#include "coroutine.h"

enum { HOWDAH_AHEAD_LINES = 96 };

/* Addresses, so that none of them has to be looked for. Lies on the coroutine's stack, near its top. */
typedef struct {
  const void *coroutine, *image, *heap, *ahead, *request, *front;
} howdah_near;

/* What comes some microseconds after a wait, in places that stay the same: how a request ends, and the next one of the same
 * realm begins. */
struct howdah_ahead {
  const void *const *places; /* where addresses are found when they are wanted */
  unsigned place_count;
  unsigned count; /* of lines */
  const void *lines[HOWDAH_AHEAD_LINES];
};

howdah_near howdah_near_of(const howdah_coroutine *coroutine);
/* What it names, and the stack around it. Of a coroutine that is parked. */
void howdah_near_fetch(const howdah_near *near);
void howdah_near_fetch_request(const howdah_request *request);
/* What is ahead of the coroutine that runs. Nothing has to be true: an address that is nobody's any more is no error. */
void howdah_near_fetch_ahead(const howdah_coroutine *coroutine);

#endif
