/* The words for a realm's life, by themselves: life.c has what is legal, policy.c what follows from how many there are of each. */
#ifndef HOWDAH_REALM_FATES_H
#define HOWDAH_REALM_FATES_H

/* Where a realm is in its life. */
typedef enum {
  HOWDAH_BOOTING, /* it has not waited for a request yet */
  HOWDAH_IDLE,    /* it waits for one */
  HOWDAH_SERVING, /* it has one, or does what its script does between two */
  HOWDAH_TIDYING, /* it collects garbage, or gives memory back */
  HOWDAH_ENDING,  /* it waited, or booted for too long, and was told to end */
  HOWDAH_ENDED,   /* its coroutine has finished */
  HOWDAH_STATES
} howdah_realm_state;

/* What becomes of it. From HOWDAH_RETIRES on it ends instead of waiting for a next request. */
typedef enum {
  HOWDAH_STAYS,
  HOWDAH_SUCCEEDS, /* worker mode: it boots for a spent one, and stays */
  HOWDAH_SPENT,    /* worker mode: it serves on, and is to end when another one has booted */
  HOWDAH_RETIRES,
  HOWDAH_GIVEN_UP, /* it did not end when it had to: its place in the pool is another's already (cancel.c) */
  HOWDAH_FATES
} howdah_fate;

#endif
