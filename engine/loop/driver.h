/* The loop's inside, for its drivers (engine/loop/epoll.c, nginx/loop.c) and nobody else.
 *
 * The core keeps a private epoll descriptor, a heap of timers and queues of tasks, and calls what is due. A driver knows how its
 * process sleeps: it must come back to howdah_loop_poll() when the private descriptor is readable, to howdah_loop_run_timers()
 * when the earliest timer is due, and to howdah_loop_run_tasks() and then howdah_loop_run_slice() soon after hurry().
 *
 * Invariants:
 *  1. What is about to be called is in a list of the loop and nowhere else: stopping it takes it out, so its owner may free it.
 *  2. What is called is inactive and in no list before it is called: its owner may free or start it again in the callback.
 *  3. No callback runs while a list of the loop is being built, and no pointer into a table is kept over a callback.
 *  4. Kernel and table may disagree (descriptors are closed and reused behind our back): that may cost a spurious wake-up,
 *     never a lost one. So each howdah_loop_watch() tells the kernel anew, whatever the table says; and what fires for an earlier
 *     telling, maybe of another file, is not sure. */
#ifndef HOWDAH_LOOP_DRIVER_H
#define HOWDAH_LOOP_DRIVER_H

#include "../howdah.h"

#include <pthread.h>

typedef struct {
  /* The earliest timer is another one, earlier or later, or there is none left (howdah_loop_next_due_us()). */
  void (*timer_changed)(howdah_loop *loop);
  /* A task is queued and none was, or a slice waits for its turn: howdah_loop_run_tasks() and howdah_loop_run_slice() are
   * wanted in this turn or the next one. */
  void (*hurry)(howdah_loop *loop);
  /* A timer, a task or a watch has been called, and others may be at once. NULL: nothing to do. */
  void (*called)(howdah_loop *loop);
} howdah_loop_driver;

typedef struct {
  howdah_watch *first;
  bool known;      /* this number was added to the epoll set once: whoever has it now probably still is */
  uint32_t serial; /* what the kernel was told when it was last told of this number; it says so when it fires */
} howdah_loop_slot;

typedef struct {
  uint64_t us; /* CLOCK_MONOTONIC */
  size_t ticket;
} howdah_loop_due;

typedef struct {
  howdah_timer *timer;
  uint64_t order; /* how many were started before it */
  size_t index;   /* of the timer in the heap; of a free ticket: the next one that is free */
} howdah_loop_ticket;

typedef struct {
  howdah_task *first, *last;
} howdah_task_queue;

/* A driver puts this first in its own structure. */
struct howdah_loop {
  const howdah_loop_driver *driver;
  int epoll_fd;

  howdah_loop_slot *slots; /* by descriptor */
  size_t slot_count;
  uint32_t serial;      /* how often the kernel was told */
  howdah_watch *firing; /* about to be called; their events are those that happened */
  howdah_watch *closed; /* the same, for descriptors that were closed; closed_task calls them */
  howdah_task closed_task;

  howdah_loop_due *heap;       /* [0] is the earliest */
  howdah_loop_ticket *tickets; /* a timer's slot is its ticket + 1 */
  size_t free_ticket;          /* the first of a list, when timer_count is below heap_size */
  size_t timer_count, heap_size;
  uint64_t timers_started;
  uint64_t timers_run_until_us; /* while timers are being called: up to when; else 0 */

  howdah_task_queue tasks;
  howdah_task_queue running; /* the tasks of this turn, while they are being called */
  howdah_task_queue slices;  /* what howdah_loop_post_slice() took */
  unsigned looks;            /* turns since the last one ran */

  int wake_fd; /* eventfd: thread_tasks has something */
  pthread_mutex_t thread_lock;
  howdah_task_queue thread_tasks; /* under thread_lock */
};

/* 0, or -1 with errno. driver's functions may be called from then on. */
int howdah_loop_init(howdah_loop *loop, const howdah_loop_driver *driver);
/* Nothing is called any more; watches, timers and tasks that are still in it are forgotten, their owners keep them. */
void howdah_loop_fini(howdah_loop *loop);

/* Waits up to timeout_ms (0: not at all, -1: as long as it takes) for descriptors and calls their watches. 0 also after a
 * signal, or -1 with errno. */
int howdah_loop_poll(howdah_loop *loop, int timeout_ms);
/* Calls the tasks posted until now. Those that they post wait for the next call, which hurry() asks for. */
void howdah_loop_run_tasks(howdah_loop *loop);
/* To be called once a turn, when all else has run: calls the first of those that howdah_loop_post_slice() took, where its time
 * has come. hurry() asks for the next call as long as there is one. */
void howdah_loop_run_slice(howdah_loop *loop);
/* One turn where no other loop runs around this one: all of the above. Waits for descriptors, at most so long (-1: as long
 * as it takes), and not at all where something is posted; when the next timer is due is the caller's to know. 0, or -1 with
 * errno. */
int howdah_loop_turn(howdah_loop *loop, int max_wait_ms);

/* Milliseconds from now until due_us, rounded up so that nothing fires early, at most max_ms. */
int howdah_loop_ms_until(uint64_t due_us, int max_ms);

/* Between the core's own files: a callback has returned. */
static inline void howdah_loop_has_called(howdah_loop *loop) {
  if (loop->driver->called) loop->driver->called(loop);
}

/* Between the core's own files: the eventfd is readable. */
void howdah_loop_take_thread_tasks(howdah_loop *loop);

#endif
