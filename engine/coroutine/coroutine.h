/* A coroutine: a C stack that belongs to a realm, runs PHP, and parks.
 *
 * Invariants:
 *  1. At most one coroutine runs (howdah_coroutine_current()); the others are parked, or finished. When none runs, the main stack
 *     does: nginx, the loop.
 *  2. Only the main stack resumes a coroutine, and a coroutine parks to the main stack only. So stacks never nest.
 *  3. A coroutine runs only with its realm's state in place and its realm's heap set.
 *  4. howdah_coroutine_wake() is never lost: before the park, it makes the park return at once. */
#ifndef HOWDAH_COROUTINE_COROUTINE_H
#define HOWDAH_COROUTINE_COROUTINE_H

#include "../howdah.h"
#include "../state/state.h"
#include "context.h"
#include "stack.h"

typedef struct howdah_coroutine howdah_coroutine;
typedef struct howdah_ahead howdah_ahead;
struct pollfd;
struct flock;

/* What a wait is for, beyond its kind, and since when. Lies on the waiting stack. All zero: nothing is known. */
typedef struct {
  const struct pollfd *fds; /* whichever is ready first; NULL: none */
  size_t count;
  const char *name; /* that is looked up, or opened; NULL: none */
  bool is_lock;     /* of the file with this descriptor: */
  int fd;
  const struct flock *record; /* of this part of it, by fcntl(2); NULL: by flock(2) */
  uint64_t since_us;          /* of what is asked for again and again; 0: since it parked */
} howdah_subject;

struct howdah_coroutine {
  howdah_context context; /* where it goes on, while it does not run */
  howdah_stack stack;
  howdah_state *state;                    /* its realm's */
  void (*main)(howdah_coroutine *);       /* runs on its stack; the coroutine is finished when it returns */
  void (*after_run)(howdah_coroutine *);  /* on the main stack, each time that it parked or finished; may free it */
  void (*before_run)(howdah_coroutine *); /* as well, each time that it goes on; NULL: nobody asks */
  bool parked;                            /* in howdah_coroutine_park() */
  bool woken;                             /* a wake came and was not yet used */
  bool yielding;                          /* parked until the loop's next turn */
  bool cancelled;                         /* the wait that it is in fails with ECANCELED */
  bool ending;                            /* since it was cancelled, until its request is over */
  unsigned refused;                       /* waits that failed because it is cancelled */
  bool interrupt;                         /* when it goes on, its PHP code is interrupted */
  bool finished;
  bool opcache_reader;           /* engine/hooks/opcache.c */
  bool compiled;                 /* as well: since this was last set to false */
  uint32_t code_generation;      /* engine/hooks/restart.h */
  uint32_t code_save;            /* as well */
  int64_t record_owner;          /* engine/hooks/record.c: its number among owners of locks; 0: none */
  unsigned hooks_off;            /* hooks are the originals: in the front-end's code */
  uint64_t alarm_us;             /* engine/hooks/deadline.c: when its alarm() would ring; 0: never */
  void *host;                    /* engine/hooks/host.c: what gethostbyname() found last */
  struct howdah_map *maps;       /* engine/hooks/map.c: stacks of Fibers */
  void *records[4];              /* engine/hooks/nss.c: the user, group, service and protocol found last */
  void *children;                /* engine/hooks/child.c: those that were started and not yet waited for */
  const howdah_request *request; /* that it serves, or NULL; only to be fetched (near.h) */
  howdah_ahead *ahead;           /* its owner's, or NULL (near.h) */
  howdah_task wake_task;
  /* CPU time until its limit (engine/hooks/deadline.c); INT64_MAX: no limit. Written by a signal handler. */
  volatile int64_t cpu_left_us;
  /* Of CPU time since it went on, and one more where it goes on after a slice. Written by the same handler. */
  volatile unsigned ticks;
  volatile unsigned held_ticks;                    /* the same without that one: how long nobody else has run */
  volatile bool preempted;                         /* it has run for a slice: it should yield where it may */
  void *fake_stack;                                /* ASan's */
  uint64_t parked_us;                              /* when it parked */
  howdah_wait_kind parks_for;                      /* then */
  const howdah_subject *subject;                   /* of the wait that it is in; NULL: nothing is known of it */
  int connects;                                    /* the descriptor of its last connect(), to: (engine/hooks/socket.c) */
  char connects_to[28];                            /* a struct sockaddr_in or sockaddr_in6 */
  void (*waited)(howdah_coroutine *, uint64_t us); /* on the main stack, when it goes on after a wait; NULL: nobody asks */
  uint64_t wait_us;                                /* how long it has been parked in all */
  uint64_t cpu_us;                                 /* CPU time until it last parked, where that is measured */
};

/* Prepares a coroutine; it does not run yet. 0, or -1 with errno. */
int howdah_coroutine_init(howdah_coroutine *coroutine, howdah_state *state, void (*main)(howdah_coroutine *),
                          void (*after_run)(howdah_coroutine *));
/* Gives its stack back. Not while it runs. */
void howdah_coroutine_fini(howdah_coroutine *coroutine);
/* Goes on with it until it parks or finishes, then calls after_run. From the main stack. */
void howdah_coroutine_resume(howdah_coroutine *coroutine);
/* Parks the coroutine that runs until it is woken. Keeps errno, which is the thread's: PHP looks at it after a notice was shown
 * (php_stdiop_read(), main/streams/plain_wrapper.c, 8.2), and showing one may park. */
void howdah_coroutine_park(void);
/* Resumes it soon or now: from the main stack now when it is parked, else from the loop. */
void howdah_coroutine_wake(howdah_coroutine *coroutine);
/* Resumes it soon, from the loop. For callers below whom the front-end may be in the midst of other requests: nginx tells all
 * streams of a connection one after the other that it has ended (ngx_http_v2_finalize_connection(), http/v2/ngx_http_v2.c,
 * 1.22), and what PHP then does for one must not touch those that do not know it yet. */
void howdah_coroutine_wake_soon(howdah_coroutine *coroutine);
/* Its wait fails with ECANCELED, and so do those to come, as long as its PHP code has to end (howdah_coroutine_may_wait()).
 * From the main stack, where it may go on before this returns. */
void howdah_coroutine_cancel(howdah_coroutine *coroutine);
/* What ends the PHP code of a cancelled coroutine, whose state is in place. */
typedef struct {
  void (*interrupt)(void); /* on the main stack, before it goes on: at its next loop or call */
  void (*unwind)(void);    /* in the coroutine: when the C function returns that it has called */
  bool (*refuses)(void);   /* in the coroutine: whether it must not wait: its code has to end, or is just being unwound */
} howdah_coroutine_end;
void howdah_coroutine_on_cancel(const howdah_coroutine_end *end);
/* Whether the coroutine that runs may begin a wait. Else it fails with ECANCELED. */
bool howdah_coroutine_may_wait(void);
/* In a cancelled coroutine: where it waited for time there is no library that could tell PHP code of an error, and what follows a
 * sleep, or takes a lock for granted, must not run. */
void howdah_coroutine_unwind(void);
/* Parks and wakes at the loop's next turn, or when its next slice comes where it has run for one: others run in between. */
void howdah_coroutine_yield(void);
/* The same when it has run for a slice (howdah_engine_options.slice_ms): for C code that is called again and again without an
 * instruction of PHP code between, which would be interrupted. Does nothing where hooks are off, or outside a coroutine. May
 * park. */
void howdah_coroutine_yield_when_due(void);
howdah_coroutine *howdah_coroutine_current(void);
/* How often a coroutine went on. */
uint64_t howdah_coroutine_switches(void);

/* Waits of this process that are over, one for each kind. */
void howdah_coroutine_get_waits(howdah_waits copy[HOWDAH_WAIT_KINDS]);

/* Whether CPU time is measured: it costs a look at a clock for each switch. */
void howdah_coroutine_measure_cpu(bool on);
/* CPU time of the coroutine that runs, so far; 0 where it is not measured. */
uint64_t howdah_coroutine_cpu_us(void);

/* The loop on which coroutines of this process wait. */
void howdah_coroutine_set_loop(howdah_loop *loop);
howdah_loop *howdah_coroutine_loop(void);

#endif
