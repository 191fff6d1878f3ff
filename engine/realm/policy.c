/* What a pool does next. See policy.h. Rules that come first win. */
#include "policy.h"

/* For policy_test.c, which takes each act away and has to notice. */
#ifndef HOWDAH_POLICY_WITHOUT
#define HOWDAH_POLICY_WITHOUT(act) false
#endif

#define RULE(act, condition)                                                                                                   \
  if (!HOWDAH_POLICY_WITHOUT(act) && (condition)) return act

/* One at a time: only where nobody else is alive. */
static bool is_alone_enough(const howdah_counts *counts) {
  return !counts->alone || (howdah_counts_alive(counts) == 0 && !counts->barred && !counts->in_the_way);
}

/* Where memory is short or scripts do not boot, those who are alive go on serving and a birth is tried again later; where none is alive, always,
 * but for the pauses after the first boots that fail. */
bool howdah_policy_may_bear(const howdah_counts *counts) {
  unsigned alive = howdah_counts_alive(counts);
  if (!is_alone_enough(counts)) return false;
  if (alive == 0) return !counts->soon;
  return alive < counts->most && !counts->pause && !counts->no_room;
}

bool howdah_policy_lacks_realms(const howdah_counts *counts) {
  return howdah_counts_alive(counts) < (counts->wanted > counts->warm ? counts->wanted : counts->warm);
}

/* Not while the one before has a request that goes on: each could have one. */
static bool lacks_successor(const howdah_counts *counts) {
  return counts->fated[HOWDAH_SPENT] > 0 && counts->fated[HOWDAH_SUCCEEDS] == 0 && howdah_counts_alive(counts) <= counts->most;
}

/* A successor takes the place of one that serves until it has booted: the two count as one. */
bool howdah_policy_has_too_many(const howdah_counts *counts) {
  unsigned alive = howdah_counts_alive(counts) - counts->fated[HOWDAH_SUCCEEDS];
  return counts->living[HOWDAH_IDLE] > 0 && alive > counts->warm && !counts->draining;
}

bool howdah_policy_lacks(const howdah_counts *counts) {
  return !counts->closing && !counts->rests && (howdah_policy_lacks_realms(counts) || lacks_successor(counts));
}

/* The first one boots above the ceiling, too: without it the worker is never ready, and who waits for that sends no request. After a failed one there is
 * a pause in any case: nobody waits. */
static bool may_boot_in_background(const howdah_counts *counts) {
  return !counts->closing && !counts->rests && !counts->pause && is_alone_enough(counts) &&
         (howdah_counts_alive(counts) == 0 || !counts->no_room);
}

static bool may_begin(const howdah_counts *counts) {
  return (counts->queued > 0 || counts->arriving) && counts->places > 0 && !counts->later && !counts->barred;
}

/* One for each request that waits and may be in flight when it has booted. */
static bool needs_boot(const howdah_counts *counts) {
  unsigned booting = counts->living[HOWDAH_BOOTING];
  return counts->worker && booting < counts->queued && booting < counts->places && howdah_policy_may_bear(counts);
}

/* What has happened, when nobody can be served. */
static howdah_act next_due(const howdah_counts *counts) {
  unsigned due = counts->due, idle = counts->living[HOWDAH_IDLE];
  RULE(HOWDAH_ACT_END_SPENT, due & HOWDAH_DUE_SPENT);
  RULE(HOWDAH_ACT_END_COLD, due & HOWDAH_DUE_COLD && howdah_policy_has_too_many(counts));
  if (due & HOWDAH_DUE_BIRTH && may_boot_in_background(counts)) {
    RULE(HOWDAH_ACT_BOOT_MISSING, howdah_policy_lacks_realms(counts));
    RULE(HOWDAH_ACT_BOOT_SUCCESSOR, lacks_successor(counts));
  }
  RULE(HOWDAH_ACT_END_FOR_MEMORY, due & HOWDAH_DUE_MEMORY && idle > 0);
  RULE(HOWDAH_ACT_TIDY, due & HOWDAH_DUE_TIDY && counts->untidy > 0 && !counts->draining);
  return HOWDAH_ACT_NOTHING;
}

/* While requests wait, who is idle is there for them: ended, it would be followed by another one, and so on for ever. */
static howdah_act next_of_the_end(const howdah_counts *counts) {
  RULE(HOWDAH_ACT_END_BOOT, counts->boots > counts->queued);
  if (!counts->draining || counts->queued > 0) return HOWDAH_ACT_NOTHING;
  RULE(HOWDAH_ACT_END_IDLE, counts->living[HOWDAH_IDLE] > 0);
  RULE(HOWDAH_ACT_TELL_DRAINED, counts->realms == 0 && !counts->told);
  return HOWDAH_ACT_NOTHING;
}

howdah_act howdah_policy_next(const howdah_counts *counts) {
  RULE(HOWDAH_ACT_REFUSE, counts->due & HOWDAH_DUE_HOPELESS);
  if (may_begin(counts)) {
    RULE(HOWDAH_ACT_END_OTHERS, counts->in_the_way);
    RULE(HOWDAH_ACT_SERVE, counts->living[HOWDAH_IDLE] > 0);
    RULE(HOWDAH_ACT_BEAR, !counts->worker && howdah_policy_may_bear(counts));
  }
  RULE(HOWDAH_ACT_QUEUE, counts->arriving);
  if (may_begin(counts)) RULE(HOWDAH_ACT_BOOT, needs_boot(counts));
  if (counts->due) {
    howdah_act act = next_due(counts);
    if (act) return act;
  }
  return counts->closing ? next_of_the_end(counts) : HOWDAH_ACT_NOTHING;
}
