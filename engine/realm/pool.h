/* The realms of one application and the queue of requests that wait for one. The public half is in howdah.h. */
#ifndef HOWDAH_REALM_POOL_H
#define HOWDAH_REALM_POOL_H

#include "realm.h"

struct howdah_pool {
  howdah_mode mode;
  char *script;
  char *document_root;
  unsigned realms_max, realms_warm;
  unsigned realms_wanted; /* worker mode: so many were alive before one ended; those that are missing boot in the background */
  unsigned queue_max;
  uint64_t queue_timeout_us;
  uint64_t requests_max;
  uint64_t request_timeout_us; /* 0: none */

  howdah_realm *idle; /* last in, first out: warm caches */
  howdah_realm *all;
  unsigned realms, busy;
  unsigned given_up; /* of the realms: those that another one may stand in for (cancel.c) */

  howdah_request *queue_first, *queue_last;
  unsigned queued;
  howdah_timer queue_timer; /* due when the first in the queue has waited long enough */
  howdah_task queue_task;   /* some wait only until the timers that are due have run */

  uint64_t births_again_us; /* a birth has failed: none is tried before */

  uint64_t requests, births, deaths, cancelled;
  howdah_pool *next_pool;
  bool serving_queue;
  bool draining;
  void (*drained)(void *data);
  void *drained_data;
  howdah_task drained_task;
  howdah_timer outdated_timer; /* outdated.c */
  howdah_task warm_task;       /* gives realms_warm their boot once the loop turns */
};

/* All pools of the process, linked by next_pool; NULL: there is none. */
howdah_pool *howdah_pools_first(void);

/* cancel.c needs these. */

/* Answers a request that no realm serves, and lets it go. */
void howdah_pool_refuse(howdah_pool *pool, howdah_request *request, int status, const char *text);
/* Gives waiting requests to realms that are idle or may be born. */
void howdah_pool_serve_queue(howdah_pool *pool);

/* Ends the idle realms that it says so of. */
void howdah_pool_retire_idle(howdah_pool *pool, bool (*which)(const howdah_realm *));

#endif
