/* What a pool does next: one question, asked again after each act until the answer is nothing. Knows nothing of pools, clocks and memory: counts in,
 * an act out. tests/unit/policy_test.c asks it in every state of a small pool.
 *
 * Who asks is the loop in pool.c. The other files keep the counts true, tell what has happened (due), and carry out the acts. */
#ifndef HOWDAH_REALM_POLICY_H
#define HOWDAH_REALM_POLICY_H

#include "fates.h"

#include <stdbool.h>

/* What has happened. Each is forgotten when nothing is left to do for it, whether something was done or not. */
enum {
  HOWDAH_DUE_BIRTH = 1,     /* realms were missing, and the loop has turned since, or a pause is over */
  HOWDAH_DUE_SPENT = 2,     /* a successor has booted */
  HOWDAH_DUE_COLD = 4,      /* the coldest idle realm was idle for too long */
  HOWDAH_DUE_MEMORY = 8,    /* the worker is above the ceiling, and the coldest idle realm of all is in this pool */
  HOWDAH_DUE_TIDY = 16,     /* an idle realm that is untidy was idle for a moment */
  HOWDAH_DUE_HOPELESS = 32, /* a boot has failed, nobody is left who could serve, and none is tried soon */
};

typedef struct {
  /* How the pool is set up. */
  bool worker;         /* worker mode; else classic */
  unsigned most, warm; /* realms: at most; kept when there is nothing to do */

  /* Its realms: life.c; and the untidy among the idle ones: garbage.c. */
  unsigned realms;
  unsigned living[HOWDAH_STATES];
  unsigned fated[HOWDAH_FATES];
  unsigned untidy;
  unsigned wanted; /* so many were alive before one ended; those that are missing boot in the background */

  /* Its requests. */
  unsigned queued;
  bool arriving;   /* one more has just come, and is not in the queue */
  unsigned places; /* so many more may be in flight; UINT_MAX: as many as there are realms */
  bool later;      /* who waits waits on until the timers that are due have run */

  /* What keeps realms from being born. Where none is alive, only soon, rests, alone and closing keep one from booting for who waits. */
  bool pause;   /* births have failed, and it is too soon to try again */
  bool soon;    /* it is over in a moment, none is alive, and who waits waits for that */
  bool no_room; /* one more would bring the worker's memory above its ceiling */
  bool rests;   /* none in the background until a request comes */

  /* One request at a time in the whole process (alone.h). */
  bool alone;
  bool barred;     /* a realm of any pool is busy */
  bool in_the_way; /* one of another pool is idle, or a second one of this */

  unsigned due; /* HOWDAH_DUE_... */

  bool closing;   /* the worker goes: nothing boots for those who may come later */
  bool draining;  /* every realm is to end, when nobody waits any more */
  unsigned boots; /* closing: realms that boot and were not told to end */
  bool told;      /* draining: nobody is to be told any more that none is left */
} howdah_counts;

typedef enum {
  HOWDAH_ACT_NOTHING,
  HOWDAH_ACT_REFUSE,         /* all who wait: no realm boots */
  HOWDAH_ACT_END_OTHERS,     /* idle realms that are in the way where only one may be alive */
  HOWDAH_ACT_SERVE,          /* an idle realm takes the first request */
  HOWDAH_ACT_BEAR,           /* classic mode: a realm is born for the first request */
  HOWDAH_ACT_QUEUE,          /* who has come waits, or is refused where too many do */
  HOWDAH_ACT_BOOT,           /* worker mode: a realm boots for whoever waits when it has */
  HOWDAH_ACT_BOOT_MISSING,   /* one of those that are kept warm, or that have ended */
  HOWDAH_ACT_END_SPENT,      /* or is told to end after its request: its successor is there */
  HOWDAH_ACT_BOOT_SUCCESSOR, /* for one that is spent */
  HOWDAH_ACT_END_COLD,       /* the coldest idle one */
  HOWDAH_ACT_END_FOR_MEMORY, /* the coldest idle one that may */
  HOWDAH_ACT_TIDY,           /* the coldest untidy one */
  HOWDAH_ACT_END_BOOT,       /* nobody waits for it */
  HOWDAH_ACT_END_IDLE,       /* the pool is drained */
  HOWDAH_ACT_TELL_DRAINED,
  HOWDAH_ACTS
} howdah_act;

howdah_act howdah_policy_next(const howdah_counts *counts);
/* Nobody waits and nothing has happened: there is nothing to do, and no need to ask. */
static inline bool howdah_policy_rests(const howdah_counts *counts) {
  return !counts->queued && !counts->arriving && !counts->due && !counts->closing;
}
/* Whether realms are missing that may boot in the background once it is time: HOWDAH_DUE_BIRTH should come. */
bool howdah_policy_lacks(const howdah_counts *counts);
bool howdah_policy_lacks_realms(const howdah_counts *counts);
/* Whether an idle realm ends that was idle for too long. */
bool howdah_policy_has_too_many(const howdah_counts *counts);
/* Whether a realm may be born for a request that waits. */
bool howdah_policy_may_bear(const howdah_counts *counts);

/* Those that count: a realm that was given up takes nobody's place. */
static inline unsigned howdah_counts_alive(const howdah_counts *counts) {
  return counts->realms - counts->fated[HOWDAH_GIVEN_UP];
}
/* Where none is alive, one is born above the ceiling, too. */
static inline bool howdah_act_needs_room(const howdah_counts *counts, howdah_act act) {
  bool births =
      act == HOWDAH_ACT_BEAR || act == HOWDAH_ACT_BOOT || act == HOWDAH_ACT_BOOT_MISSING || act == HOWDAH_ACT_BOOT_SUCCESSOR;
  return births && howdah_counts_alive(counts) > 0;
}

#endif
