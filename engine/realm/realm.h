/* A realm: a private PHP state, the coroutine that runs in it, and the request it serves. Knows nothing of HTTP.
 *
 * Invariants:
 *  1. A realm is in one state of its life (howdah_realm_state), and howdah_realm_move() is the only way to another; life.c has the table. One
 *     that is idle is in its pool's idle list, and its coroutine is parked in howdah_realm_next_request().
 *  2. A request belongs to one realm from assignment to howdah_request_ops.finish(), which is called exactly once, on the main stack.
 *  3. A realm dies on the main stack, after its coroutine has finished: PHP's shutdown and the ends of its extensions have run inside the
 *     coroutine by then. */
#ifndef HOWDAH_REALM_REALM_H
#define HOWDAH_REALM_REALM_H

#include "fates.h"
#include "../coroutine/coroutine.h"
#include "../howdah.h"
#include "../state/state.h"

/* Why a request ends before its time. */
typedef enum {
  HOWDAH_NOT_CANCELLED,
  HOWDAH_CLIENT_GONE,
  HOWDAH_BODY_REFUSED,
  HOWDAH_BY_OPERATOR, /* somebody on this machine has said so */
  HOWDAH_TIME_LIMIT,
  HOWDAH_SHUTDOWN
} howdah_cancel_reason;

/* Why a realm ends. */
typedef enum {
  HOWDAH_END_SCRIPT,   /* its script has ended: by exit, an uncaught exception, a fatal error, a request that was cancelled */
  HOWDAH_END_BOOT,     /* before it asked for a request */
  HOWDAH_END_REQUESTS, /* so many requests */
  HOWDAH_END_MEMORY,   /* its heap has grown */
  HOWDAH_END_OUTDATED, /* its code is of before a restart of opcache */
  HOWDAH_END_IDLE,     /* nothing to do */
  HOWDAH_END_CEILING,  /* the worker needs its memory */
  HOWDAH_END_DRAIN,    /* the worker ends */
  HOWDAH_END_ALONE,    /* only one may be alive (alone.h) */
  HOWDAH_ENDS
} howdah_end;

typedef struct howdah_realm howdah_realm;
typedef struct howdah_rewind howdah_rewind;

/* What the pool does in a realm's life. */
typedef struct {
  void (*closes)(howdah_realm *realm);            /* in its coroutine: its last act begins */
  void (*after_run)(howdah_coroutine *coroutine); /* on the main stack, each time that it parked or finished; may free it */
  void (*gives_up)(howdah_realm *realm);          /* on the main stack: it does not end when it is told to */
} howdah_realm_owner;

struct howdah_realm {
  howdah_coroutine coroutine; /* first: the coroutine that runs tells its realm */
  howdah_state state;
  howdah_pool *pool;
  void (*main)(howdah_coroutine *); /* what it does but for its last act */
  const howdah_realm_owner *owner;
  uint32_t id; /* from 1, never reused in a process */

  howdah_request *assigned; /* given by the pool, not yet begun */
  howdah_request *request;  /* the one PHP sees: being served, or the pretended one while a worker script boots */
  howdah_request *finished; /* done in the coroutine, not yet handed back */
  howdah_realm_state life;  /* howdah_realm_move() */
  howdah_fate fate;         /* howdah_realm_decide() */
  bool asks;                /* parked for the next request; also while it is told to tidy up or to end */
  bool booted;              /* worker mode: asked for a request once */
  bool saved_over;          /* idle, and the first in the queue gets it only if it came before it began to boot
                               (howdah_outdated_by_save()) */
  bool untidy;              /* idle, and has garbage to collect or memory to give back */
  bool tidy;                /* it is to do so, instead of serving a request */
  howdah_end end;           /* why it ends */
  bool closing;             /* in its last act: the ends of its extensions, which may wait */

  /* Of the current request. */
  bool head_sent;
  bool response_ended;
  bool aborted;                   /* the client has gone */
  howdah_cancel_reason cancelled; /* why it is to end before its time */
  bool answered;                  /* cancelled, and the client has the answer */
  bool exhausted;                 /* memory is out, and the error that says so is being told */
  bool unwinding;                 /* its PHP code is ending for that reason; its waits work again */
  howdah_timer limit;             /* the request's time limit, then the time it has to end */
  struct howdah_slow *slow;       /* slow.c's; NULL: it has watched none of its requests */
  uint64_t switches_before;
  uint64_t cpu_before_us;

  uint64_t boot_us;     /* when it began to boot, worker mode */
  uint64_t boot_due_us; /* when it shall have booted; overdue.c's */
  uint64_t left_us;     /* when its last request ended, worker mode */
  bool returns_soon;    /* after that its script asked for the next one at once */
  uint64_t born_us;
  uint64_t last_began_us, last_cpu_us, last_memory; /* of its last request; 0: it has served none */
  uint64_t served, served_tidy;                     /* requests: so far, and when it was tidied last */
  uint64_t served_judged;                           /* when it was last asked whether it has to end */
  uint64_t requests_max;                            /* it is replaced after so many; 0: never */
  uint64_t idle_since_us;
  /* PHP's heap, as bytes that it has from the kernel: when it waits for a request, when it had booted, when it was tidied last. */
  uint64_t heap_bytes, heap_booted, heap_tidy;
  /* What PHP code has of it: when it waits for a request; when it had booted or was tidied last. */
  uint64_t heap_used, used_tidy;
  unsigned roots;             /* possible reference cycles when it waits for a request; 0: none, or it does not collect */
  unsigned fruitless;         /* looks for cycles since the last one that found some */
  void *ini_overrides;        /* the SAPI's: what the request's PHP_VALUE changed (sapi/ini.c) */
  void *boot_functions;       /* the SAPI's: shutdown functions registered during boot, while a request runs */
  void *boot_sessions;        /* the SAPI's: the session handler set during boot (sapi/session.c) */
  howdah_rewind *rewind;      /* the SAPI's: where each request begins; NULL: where the last one ended */
  const char *rewind_spoiled; /* the SAPI's: what cannot be put back; NULL: nothing is known (sapi/rewindable.c) */
  char *scratch;              /* zero-terminated copies of the request's strings for PHP; owned */
  size_t scratch_bytes;
  bool has_slot; /* its request counts among those in flight (slots.c), since: */
  uint64_t slot_since_us;
  howdah_realm *slot_before, *slot_after;
  howdah_realm *next, *prev; /* in the idle list */
  howdah_realm *all_next, *all_prev;
};

/* What runs in realms: the layer above registers it (engine/sapi). */
typedef struct {
  /* From birth to end, but for the last act. */
  void (*classic)(howdah_coroutine *coroutine);
  void (*worker)(howdah_coroutine *coroutine);
  /* Whether the realm's script said ignore_user_abort(). From the main stack. */
  bool (*ignores_abort)(const howdah_realm *realm);
  /* Says in the log where the script is that boots since so many seconds; ends: its time limit has passed. On the main stack. */
  void (*tell_boot)(const howdah_realm *realm, unsigned seconds, bool ends);
  /* Bytes that its heap has from the kernel. Async-signal-safe. */
  uint64_t (*memory)(const howdah_realm *realm);
  /* howdah_request_place(), howdah_request_each_frame(). */
  bool (*place)(const howdah_realm *realm, void (*tell)(void *to, const howdah_spot *spot), void *to);
  bool (*each_frame)(const howdah_realm *realm, unsigned most, void (*tell)(void *to, const howdah_frame *frame), void *to);
} howdah_realm_code;

/* Before the first realm is born; kept. */
void howdah_realms_run(const howdah_realm_code *code);
const howdah_realm_code *howdah_realms_code(void);

/* Makes a realm and its state; its coroutine has not run. owner is kept. NULL with a message. From the main stack. */
howdah_realm *howdah_realm_birth(howdah_pool *pool, void (*main)(howdah_coroutine *), const howdah_realm_owner *owner,
                                 char *error, size_t error_size);
/* Frees a realm whose coroutine has finished. From the main stack. */
void howdah_realm_death(howdah_realm *realm);
/* False for the request that a worker script sees while it boots: no pool was given it. */
bool howdah_request_is_real(const howdah_request *request);
/* The realm whose coroutine runs, or NULL. */
howdah_realm *howdah_realm_current(void);
/* The realm that serves it, or NULL. */
const howdah_realm *howdah_realm_of(const howdah_request *request);

/* life.c: the moves and decisions that there are. Illegal ones end the process where rules are checked (check.h). */

/* It is its pool's from now on, and boots. */
void howdah_realm_is_born(howdah_realm *realm);
/* Last, when the pool's lists are as they have to be: moving counts, and checks. */
void howdah_realm_move(howdah_realm *realm, howdah_realm_state to);
void howdah_realm_decide(howdah_realm *realm, howdah_fate fate);
/* It ends instead of waiting for a next request. Also in its coroutine; does nothing when that was decided before. */
void howdah_realm_retire(howdah_realm *realm);
static inline bool howdah_realm_retires(const howdah_realm *realm) {
  return realm->fate >= HOWDAH_RETIRES;
}

/* For the SAPI, in the coroutine: waits for a request and makes it the realm's; NULL when the realm is to end, or to tidy up first
 * (realm->tidy). Parks. */
howdah_request *howdah_realm_next_request(howdah_realm *realm);
/* The request is done, and its response has ended: lets the main stack hand it back at the next park. */
void howdah_realm_request_done(howdah_realm *realm);

#endif
