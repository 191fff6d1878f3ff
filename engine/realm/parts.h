/* What a pool consists of. Each part is private to the file that is named above it, and others ask that file's functions (pool.h); but recount.c looks
 * into all of them, and make check-layers sees to that. */
#ifndef HOWDAH_REALM_PARTS_H
#define HOWDAH_REALM_PARTS_H

#include "limit.h"
#include "realm.h"

#include <limits.h>

/* ---- queue.c ---- */

typedef struct {
  howdah_request *first, *last;
  howdah_request *live; /* the last one whose client has not gone; NULL: there is none */
  unsigned most;
  uint64_t timeout_us; /* 0: none */
  howdah_timer timer;  /* due when the first one has waited long enough */
} howdah_queue;

static inline howdah_request *howdah_queue_first(const howdah_queue *queue) {
  return queue->first;
}

/* ---- slots.c ---- */

typedef struct {
  bool adaptive; /* the limit is less than realms_max, and moves; else nothing of this is used */
  howdah_limit limit;
  unsigned in_flight;         /* requests that have a place */
  howdah_realm *first, *last; /* their realms; who has begun first is first */
  uint64_t finished, finished_before;
  howdah_timer timer; /* due when the first one has stayed for long */
  bool armed;
} howdah_slots;

/* So many requests more may be in flight. */
static inline unsigned howdah_slots_free(const howdah_slots *slots) {
  if (!slots->adaptive) return UINT_MAX;
  return slots->in_flight < slots->limit.now ? slots->limit.now - slots->in_flight : 0;
}

/* ---- births.c ---- */

typedef struct {
  unsigned failures; /* births and boots that failed in a row */
  bool hung;         /* the last boot that failed was ended by its time limit */
  char *error;       /* what those are told who waited for a boot that failed; NULL: nothing of its reason */
  uint64_t again_us; /* none is tried before, where others live; 0: at once */
  howdah_timer timer;
  bool armed;
  void (*over)(void *data); /* is told once, when the first boot is over; NULL: nobody, or it was */
  void *over_data;
  howdah_task task; /* gives the realms that are missing their boot once the loop turns */
} howdah_births;

static inline bool howdah_births_last_failed(const howdah_births *births) {
  return births->failures > 0;
}

/* ---- idle.c ---- */

typedef struct {
  howdah_realm *first, *last; /* used last first: warm caches; spent ones last */
  howdah_timer timer;
  bool armed;
  uint64_t timeout_us; /* 0: they stay */
} howdah_idle;

/* The one that is used next, and the one that is let go first; NULL: none is idle. */
static inline howdah_realm *howdah_idle_warmest(const howdah_idle *idle) {
  return idle->first;
}
static inline howdah_realm *howdah_idle_coldest(const howdah_idle *idle) {
  return idle->last;
}

/* ---- garbage.c ---- */

typedef struct {
  howdah_timer timer; /* due when one that is idle may tidy up */
  bool armed;
} howdah_garbage;

/* ---- drain.c ---- */

typedef struct {
  void (*done)(void *data); /* is told once, when no realm is left; NULL: nobody, or it was */
  void *data;
  howdah_task task;
} howdah_drain;

/* Whoever wants to know was told, or is about to be; or nobody does. */
static inline bool howdah_drain_is_told(const howdah_drain *drain) {
  return !drain->done || drain->task.posted;
}

#endif
