/* The third way to wait: what has no non-blocking form runs on another thread while the coroutine is parked. */
#ifndef HOWDAH_HOOKS_OFFLOAD_H
#define HOWDAH_HOOKS_OFFLOAD_H

#include "../howdah.h"

#include <sys/types.h>

/* A job is allocated by its caller, as the first part of a structure that owns copies of everything work() needs and keeps what
 * it finds: work() must touch nothing of PHP, no state block (another realm's bytes are there by then) and no stack. */
typedef struct howdah_job howdah_job;
struct howdah_job {
  void (*work)(howdah_job *job);    /* on a thread of the pool */
  void (*release)(howdah_job *job); /* frees it and what it owns; on any thread */
  /* Whether it asks no server, so that it is soon done: on a thread of the pool, before work(). NULL: it does ask. */
  bool (*is_local)(const howdah_job *job);
  const char *name; /* what it looks up, for those who ask what is waited for; or NULL */
  bool alone;       /* gets a thread of its own, which ends with it: for what may take long */
  int error;        /* errno after work() */
  int state;        /* private from here on */
  void *coroutine;
  howdah_loop *loop;
  howdah_task task;
  howdah_job *next;
};

typedef struct {
  unsigned threads;     /* alive */
  unsigned running;     /* jobs that are being done, also those that nobody waits for any more */
  unsigned queued;      /* jobs that wait for a thread: their realms are parked */
  unsigned queued_most; /* at any time so far */
  unsigned abandoned;   /* of the running ones: their waiters were cancelled */
  uint64_t done;        /* finished so far */
} howdah_offload_stats;

/* Runs the job on a thread of a pool, or alone, and parks until it is done. 64 that ask servers go on at once; those beyond
 * queue, in order, and those that are local pass them by. A request waits for one at a time, so it has one place of its
 * worker's. 0: it is done, and the caller releases it. -1 with errno: ECANCELED, or EAGAIN when no thread can be had; it is, or
 * will be, released, and the caller must not touch it. A job that runs already is left behind when its waiter is cancelled.
 * Parks. */
int howdah_offload(howdah_job *job);
/* What the job looks up that this thread does, "" where it does not say; NULL: the thread is none of the pool's, or idle. For
 * signal handlers on that thread. */
const char *howdah_offload_doing(pid_t thread);
/* From the loop's thread. */
void howdah_offload_get_stats(howdah_offload_stats *stats);
/* Ends the threads: at the end of the process, when no coroutine waits. Waits for jobs that were left behind, but
 * not for those that are alone. */
void howdah_offload_stop(void);

#endif
