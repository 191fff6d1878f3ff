/* Prefetching what the next coroutine needs. See near.h. The sizes come from a trace of the lines that a request touches after
 * a sleep; which of them matters most nobody can see on a machine without counters: what follows it alone is worth 7 % of a
 * request, what is ahead of a request another 9 % (bench/run wait-1000). */
#include "near.h"

#include "../state/image.h"

enum {
  LINE = 64,
  STACK_BELOW = 512,  /* bytes from here down: what it called to park */
  STACK_ABOVE = 1536, /* and up: who called this */
  REALM = 896,        /* a coroutine is a realm's first member (realm/realm.h) */
  HEAP = 512,         /* zend_mm_heap and its lists of free places (Zend/zend_alloc.c) */
  AHEAD = 512,        /* howdah_ahead, as far as it is filled in general */
  FRONT = 1344        /* what nginx knows of a request: ngx_http_request_t */
};

howdah_near howdah_near_of(const howdah_coroutine *coroutine) {
  howdah_near near = {.coroutine = coroutine, .image = coroutine->state->image, .heap = coroutine->state->heap};
  near.ahead = coroutine->ahead;
  near.request = coroutine->request;
  if (coroutine->request) near.front = coroutine->request->front;
  return near;
}

static void fetch(const void *start, size_t bytes) {
  for (size_t at = 0; at < bytes; at += LINE)
    __builtin_prefetch((const char *)start + at);
}

void howdah_near_fetch_request(const howdah_request *request) {
  fetch(request, sizeof(howdah_request));
}

void howdah_near_fetch_ahead(const howdah_coroutine *coroutine) {
  const howdah_ahead *ahead = coroutine->ahead;
  if (!ahead) return;
  for (unsigned i = 0; i < ahead->count; i++)
    __builtin_prefetch(ahead->lines[i]);
  for (unsigned i = 0; i < ahead->place_count; i++)
    __builtin_prefetch(ahead->places[i]);
}

void howdah_near_fetch(const howdah_near *near) {
  fetch((const char *)near - STACK_BELOW, STACK_BELOW + STACK_ABOVE);
  fetch(near->coroutine, REALM);
  howdah_image_fetch(near->image);
  fetch(near->heap, HEAP);
  if (near->ahead) fetch(near->ahead, AHEAD);
  if (!near->request) return;
  howdah_near_fetch_request(near->request);
  fetch(near->front, FRONT);
}
