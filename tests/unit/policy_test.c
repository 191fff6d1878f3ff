/* What a pool does next (engine/realm/policy.c), asked in every state of up to three realms and three requests: in both modes, with and without a limit
 * that adapts itself, below the ceiling and above it, whatever has happened, while it serves, closes and drains. From each state the loop of pool.c is
 * played with a model of the acts, and then the world goes on: requests end, boots succeed or fail, time passes.
 *
 * Each act is also taken away from the policy: one of the rules below has to notice. */
#include <stdbool.h>

static int without = -1;
#define HOWDAH_POLICY_WITHOUT(act) (without == (int)(act))
#include "realm/policy.c"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { REALMS = 3, REQUESTS = 3, ACTS_MAX = 40, ROUNDS_MAX = 40 };

typedef struct {
  howdah_counts counts;
  unsigned spent_idle;    /* of the spent ones; they are used last, and are the coldest */
  bool adaptive;          /* else there are places for all */
  bool others, other_one; /* alone: other pools have an idle realm; a busy one */
  bool boots_fail;
  unsigned tries; /* so many more boots that fail are followed by another one, though none is alive */
} world;

/* What an act does to how many there are. */
typedef struct {
  bool is_birth, ends_idle, ends;
} kind;

static const kind kinds[HOWDAH_ACTS] = {
    [HOWDAH_ACT_BEAR] = {.is_birth = true},
    [HOWDAH_ACT_BOOT] = {.is_birth = true},
    [HOWDAH_ACT_BOOT_MISSING] = {.is_birth = true},
    [HOWDAH_ACT_END_COLD] = {.ends_idle = true, .ends = true},
    [HOWDAH_ACT_END_FOR_MEMORY] = {.ends_idle = true, .ends = true},
    [HOWDAH_ACT_END_IDLE] = {.ends_idle = true, .ends = true},
    [HOWDAH_ACT_END_SPENT] = {.ends_idle = true},
    [HOWDAH_ACT_END_BOOT] = {.ends = true},
};

/* ---- The model ---- */

static unsigned alive(const world *w) {
  return w->counts.realms - w->counts.fated[HOWDAH_GIVEN_UP];
}

static bool waits(const world *w) {
  return w->counts.queued > 0 || w->counts.arriving;
}

static bool may_be_served(const world *w) {
  return waits(w) && w->counts.places > 0 && !w->counts.later && !w->counts.barred;
}

static void look_around(world *w) {
  howdah_counts *counts = &w->counts;
  unsigned busy = counts->realms - counts->living[HOWDAH_IDLE] - counts->fated[HOWDAH_GIVEN_UP];
  counts->barred = counts->alone && (w->other_one || busy > 0);
  counts->in_the_way = counts->alone && (w->others || counts->living[HOWDAH_IDLE] > 1);
  counts->boots = counts->closing ? counts->living[HOWDAH_BOOTING] : 0;
}

static void add(world *w, howdah_realm_state life, howdah_fate fate) {
  w->counts.realms++;
  w->counts.living[life]++;
  w->counts.fated[fate]++;
}

static void take_away(world *w, howdah_realm_state life, howdah_fate fate) {
  w->counts.realms--;
  w->counts.living[life]--;
  w->counts.fated[fate]--;
}

static void end_coldest(world *w) {
  take_away(w, HOWDAH_IDLE, w->spent_idle > 0 ? HOWDAH_SPENT : HOWDAH_STAYS);
  if (w->spent_idle > 0) w->spent_idle--;
  if (w->counts.untidy > w->counts.living[HOWDAH_IDLE]) w->counts.untidy--;
}

static void take_idle(world *w, howdah_realm_state to) {
  w->counts.living[HOWDAH_IDLE]--;
  w->counts.living[to]++;
  if (w->spent_idle > w->counts.living[HOWDAH_IDLE]) w->spent_idle--;
  if (w->counts.untidy > w->counts.living[HOWDAH_IDLE]) w->counts.untidy--;
}

static void take_request(world *w) {
  if (w->counts.queued > 0)
    w->counts.queued--;
  else
    w->counts.arriving = false;
  if (w->adaptive) w->counts.places--;
}

static void forget(world *w, unsigned due) {
  w->counts.due &= ~due;
}

static void end_spent(world *w) {
  if (w->spent_idle > 0) {
    end_coldest(w);
  } else if (w->counts.fated[HOWDAH_SPENT] > 0) {
    w->counts.fated[HOWDAH_SPENT]--;
    w->counts.fated[HOWDAH_RETIRES]++;
  } else if (alive(w) > w->counts.most && w->counts.living[HOWDAH_IDLE] > 0) {
    end_coldest(w);
  }
}

static void carry_out(world *w, howdah_act act) {
  howdah_counts *counts = &w->counts;
  switch (act) {
  case HOWDAH_ACT_REFUSE:
    forget(w, HOWDAH_DUE_HOPELESS);
    counts->queued = 0;
    break;
  case HOWDAH_ACT_END_OTHERS:
    w->others = false;
    while (counts->living[HOWDAH_IDLE] > 1)
      end_coldest(w);
    break;
  case HOWDAH_ACT_SERVE:
    take_request(w);
    take_idle(w, HOWDAH_SERVING);
    break;
  case HOWDAH_ACT_BEAR:
    take_request(w);
    add(w, HOWDAH_SERVING, HOWDAH_STAYS);
    break;
  case HOWDAH_ACT_QUEUE:
    counts->arriving = false;
    counts->queued++;
    break;
  case HOWDAH_ACT_BOOT:
  case HOWDAH_ACT_BOOT_MISSING:
    add(w, HOWDAH_BOOTING, HOWDAH_STAYS);
    break;
  case HOWDAH_ACT_BOOT_SUCCESSOR:
    add(w, HOWDAH_BOOTING, HOWDAH_SUCCEEDS);
    break;
  case HOWDAH_ACT_END_SPENT:
    forget(w, HOWDAH_DUE_SPENT);
    end_spent(w);
    break;
  case HOWDAH_ACT_END_COLD:
    forget(w, HOWDAH_DUE_COLD);
    counts->wanted = 0;
    end_coldest(w);
    break;
  case HOWDAH_ACT_END_FOR_MEMORY:
    forget(w, HOWDAH_DUE_MEMORY | HOWDAH_DUE_BIRTH);
    end_coldest(w);
    break;
  case HOWDAH_ACT_TIDY:
    forget(w, HOWDAH_DUE_TIDY);
    take_idle(w, HOWDAH_TIDYING);
    break;
  case HOWDAH_ACT_END_BOOT:
    take_away(w, HOWDAH_BOOTING, counts->fated[HOWDAH_SUCCEEDS] > 0 ? HOWDAH_SUCCEEDS : HOWDAH_STAYS);
    break;
  case HOWDAH_ACT_END_IDLE:
    end_coldest(w);
    break;
  case HOWDAH_ACT_TELL_DRAINED:
    counts->told = true;
    break;
  case HOWDAH_ACT_NOTHING:
  case HOWDAH_ACTS:
    break;
  }
}

/* ---- Rules: what is wrong in words, or NULL ---- */

static const char *wrong_with_birth(const world *w, howdah_act act) {
  const howdah_counts *counts = &w->counts;
  unsigned wanted = counts->wanted > counts->warm ? counts->wanted : counts->warm;
  bool nobody = alive(w) == 0;
  if (!nobody && counts->no_room) return "a realm is born above the ceiling, and another one lives";
  if (counts->soon || (!nobody && counts->pause)) return "a realm is born too soon after a boot that failed";
  if (counts->alone && (!nobody || w->others || w->other_one)) return "a realm is born, and may not be alone";
  if (act != HOWDAH_ACT_BOOT_SUCCESSOR && alive(w) >= counts->most) return "more realms are born than may be";
  switch (act) {
  case HOWDAH_ACT_BEAR:
    return counts->worker || !may_be_served(w) ? "a realm is born for nobody" : NULL;
  case HOWDAH_ACT_BOOT:
    return !counts->worker || counts->living[HOWDAH_BOOTING] >= counts->queued ? "a realm boots for nobody" : NULL;
  case HOWDAH_ACT_BOOT_MISSING:
    return counts->closing || alive(w) >= wanted ? "a realm boots that is not missing" : NULL;
  default:
    if (counts->closing || counts->fated[HOWDAH_SPENT] == 0) return "a successor boots for nobody";
    if (counts->fated[HOWDAH_SUCCEEDS] > 0) return "two successors boot at once";
    return alive(w) > counts->most ? "a successor is the second realm too many" : NULL;
  }
}

static const char *wrong_with(const world *w, howdah_act act) {
  const howdah_counts *counts = &w->counts;
  unsigned idle = counts->living[HOWDAH_IDLE];
  if (kinds[act].is_birth || act == HOWDAH_ACT_BOOT_SUCCESSOR) return wrong_with_birth(w, act);
  if (counts->due & HOWDAH_DUE_HOPELESS && act != HOWDAH_ACT_REFUSE) return "who waited for a boot that failed is not told";
  if (act == HOWDAH_ACT_REFUSE && (counts->soon || !(counts->due & HOWDAH_DUE_HOPELESS)))
    return "who waits is refused, and a realm may boot";
  if (act == HOWDAH_ACT_SERVE && (!may_be_served(w) || idle == 0)) return "nobody may be served, or by nobody";
  if (act == HOWDAH_ACT_SERVE && counts->alone && w->others) return "a request is served, and another pool's realm lives";
  if (kinds[act].ends_idle && idle > 0 && may_be_served(w)) return "an idle realm ends, and a request could have it";
  if (act == HOWDAH_ACT_END_COLD && alive(w) - counts->fated[HOWDAH_SUCCEEDS] <= counts->warm)
    return "a realm ends that is kept warm, or before its successor has booted";
  if (act == HOWDAH_ACT_END_BOOT && counts->living[HOWDAH_BOOTING] <= counts->queued) return "a boot ends that one waits for";
  if (act == HOWDAH_ACT_TELL_DRAINED && (counts->realms > 0 || waits(w))) return "what is told to be drained is not";
  return NULL;
}

/* Who may be served by one that is born. */
static bool should_be_born(const world *w) {
  const howdah_counts *counts = &w->counts;
  unsigned booting = counts->living[HOWDAH_BOOTING];
  if (!may_be_served(w) || (counts->alone && alive(w) > 0)) return false;
  if (counts->worker && (booting >= counts->queued || booting >= counts->places)) return false;
  if (alive(w) == 0) return !counts->soon;
  return alive(w) < counts->most && !counts->pause && !counts->no_room;
}

static const char *wrong_at_birth_due(const world *w) {
  const howdah_counts *counts = &w->counts;
  unsigned wanted = counts->wanted > counts->warm ? counts->wanted : counts->warm;
  if (!(counts->due & HOWDAH_DUE_BIRTH) || counts->closing || counts->rests || counts->pause) return NULL;
  if (alive(w) > 0 && (counts->no_room || counts->alone)) return NULL;
  if (w->others || w->other_one) return NULL;
  if (alive(w) < wanted) return "a realm is missing, and none boots";
  bool lacks = counts->fated[HOWDAH_SPENT] > 0 && counts->fated[HOWDAH_SUCCEEDS] == 0 && alive(w) <= counts->most;
  return lacks ? "a spent realm waits for a successor, and none boots" : NULL;
}

static const char *wrong_at_rest(const world *w) {
  const howdah_counts *counts = &w->counts;
  unsigned idle = counts->living[HOWDAH_IDLE], due = counts->due;
  if (counts->arriving) return "who has come is neither served nor waits";
  if (may_be_served(w) && idle > 0) return "a request waits, and a realm that may serve is idle";
  if (should_be_born(w)) return "a request waits, and a realm may be born for it";
  if (due & HOWDAH_DUE_HOPELESS) return "who waited for a boot that failed is not told";
  if (due & HOWDAH_DUE_SPENT) return "a successor has booted, and the spent realm stays";
  if (due & HOWDAH_DUE_COLD && idle > 0 && alive(w) - counts->fated[HOWDAH_SUCCEEDS] > counts->warm && !counts->draining)
    return "a cold realm stays";
  if (due & HOWDAH_DUE_MEMORY && idle > 0) return "an idle realm stays, and the worker needs its memory";
  if (due & HOWDAH_DUE_TIDY && counts->untidy > 0 && !counts->draining) return "an untidy realm stays untidy";
  if (counts->closing && counts->living[HOWDAH_BOOTING] > counts->queued) return "a boot goes on that nobody waits for";
  if (counts->draining && counts->queued == 0 && idle > 0) return "a realm is idle, and its pool is to be drained";
  if (counts->draining && counts->queued == 0 && counts->realms == 0 && !counts->told)
    return "nobody is told that all have ended";
  return wrong_at_birth_due(w);
}

/* ---- The loop, and what happens between two of its rounds ---- */

static const char *decide(world *w) {
  bool born = false, ended = false;
  for (unsigned acts = 0; acts < ACTS_MAX; acts++) {
    look_around(w);
    howdah_act act = howdah_policy_next(&w->counts);
    const char *wrong = act ? wrong_with(w, act) : wrong_at_rest(w);
    if (act && howdah_policy_rests(&w->counts)) return "there is something to do, and nobody asks";
    if (wrong) return wrong;
    if (!act) {
      if (w->counts.due & HOWDAH_DUE_BIRTH && !howdah_policy_lacks_realms(&w->counts)) w->counts.wanted = 0;
      w->counts.due = 0;
      return NULL;
    }
    born = born || kinds[act].is_birth;
    ended = ended || kinds[act].ends;
    if (born && ended) return "one act undoes another one";
    carry_out(w, act);
  }
  return "one act follows another for ever";
}

static void finish_requests(world *w) {
  howdah_counts *counts = &w->counts;
  unsigned busy = counts->living[HOWDAH_SERVING];
  if (w->adaptive) counts->places += busy;
  while (counts->fated[HOWDAH_GIVEN_UP] > 0)
    take_away(w, HOWDAH_SERVING, HOWDAH_GIVEN_UP);
  while (counts->fated[HOWDAH_RETIRES] > 0)
    take_away(w, HOWDAH_SERVING, HOWDAH_RETIRES);
  counts->living[HOWDAH_IDLE] += counts->living[HOWDAH_SERVING] + counts->living[HOWDAH_TIDYING];
  counts->living[HOWDAH_SERVING] = counts->living[HOWDAH_TIDYING] = 0;
  w->spent_idle = counts->fated[HOWDAH_SPENT];
}

static void end_boots(world *w) {
  howdah_counts *counts = &w->counts;
  bool successor = counts->fated[HOWDAH_SUCCEEDS] > 0, any = counts->living[HOWDAH_BOOTING] > 0;
  if (successor) {
    counts->fated[HOWDAH_SUCCEEDS] = 0;
    counts->fated[HOWDAH_STAYS]++;
  }
  if (!w->boots_fail) {
    counts->living[HOWDAH_IDLE] += counts->living[HOWDAH_BOOTING];
    counts->living[HOWDAH_BOOTING] = 0;
    if (successor) counts->due |= HOWDAH_DUE_SPENT;
    if (any) counts->pause = false;
    return;
  }
  while (counts->living[HOWDAH_BOOTING] > 0)
    take_away(w, HOWDAH_BOOTING, HOWDAH_STAYS);
  if (any) counts->pause = true;
  if (!any || alive(w) > 0) return;
  counts->soon = w->tries > 0;
  if (counts->soon)
    w->tries--;
  else
    counts->due |= HOWDAH_DUE_HOPELESS;
}

static void go_on(world *w) {
  w->counts.later = w->other_one = w->counts.soon = false;
  if (!w->boots_fail) w->counts.pause = false;
  finish_requests(w);
  end_boots(w);
  if (howdah_policy_lacks(&w->counts)) w->counts.due |= HOWDAH_DUE_BIRTH;
}

static bool is_as_before(const world *before, const world *now) {
  const howdah_counts *a = &before->counts, *b = &now->counts;
  return a->queued == b->queued && a->told == b->told && memcmp(a->living, b->living, sizeof(a->living)) == 0 &&
         memcmp(a->fated, b->fated, sizeof(a->fated)) == 0;
}

static const char *live_on(world *w) {
  const char *wrong = decide(w);
  for (unsigned rounds = 0; !wrong && rounds < ROUNDS_MAX; rounds++) {
    world before = *w;
    go_on(w);
    wrong = decide(w);
    if (wrong || !is_as_before(&before, w)) continue;
    if (waits(w)) return "a request waits for ever";
    if (w->counts.realms > w->counts.living[HOWDAH_IDLE]) return "a realm is never idle again";
    if (w->counts.draining && w->counts.realms > 0) return "a realm lives, and its pool was to be drained";
    return NULL;
  }
  return wrong ? wrong : "it comes to no rest";
}

/* ---- All states ---- */

static uint64_t states;
static world told; /* the state in which something was wrong */

static const char *try(const world *at) {
  for (int fail = 0; fail <= at->counts.worker; fail++) {
    world w = *at;
    w.boots_fail = fail;
    w.tries = 1;
    states++;
    const char *wrong = live_on(&w);
    if (wrong) {
      told = *at;
      return wrong;
    }
  }
  return NULL;
}

/* Whether it says something else than the same without it. */
static bool is_of_use(const world *w) {
  const howdah_counts *counts = &w->counts;
  unsigned due = counts->due, idle = counts->living[HOWDAH_IDLE];
  if (counts->later && !waits(w)) return false;
  if (counts->no_room && alive(w) == 0) return false;
  if (counts->soon && (!counts->pause || !counts->worker || alive(w) > 0 || counts->due & HOWDAH_DUE_HOPELESS)) return false;
  if (counts->rests && counts->closing) return false;
  if (due & HOWDAH_DUE_BIRTH && counts->draining) return false;
  if (due & (HOWDAH_DUE_COLD | HOWDAH_DUE_TIDY | HOWDAH_DUE_MEMORY) && idle == 0) return false;
  if (due & HOWDAH_DUE_HOPELESS && alive(w) > 0) return false;
  if (due & HOWDAH_DUE_MEMORY && !counts->no_room) return false;
  return counts->worker || (!counts->rests && !counts->wanted && !(due & (HOWDAH_DUE_SPENT | HOWDAH_DUE_HOPELESS)));
}

/* Whatever has happened and whatever keeps realms from being born. */
static const char *each_circumstance(world *w) {
  enum { BITS = 5, DUES = 64, ENDS = 3 };
  for (unsigned end = 0; end < ENDS; end++) {
    w->counts.closing = end > 0;
    w->counts.draining = end > 1;
    for (unsigned bits = 0; bits < 1 << BITS; bits++) {
      w->counts.later = bits & 1;
      w->counts.pause = bits & 2;
      w->counts.no_room = bits & 4;
      w->counts.rests = bits & 8;
      w->counts.soon = bits & 16;
      for (unsigned due = 0; due < DUES; due++) {
        w->counts.due = due;
        w->counts.untidy = due & HOWDAH_DUE_TIDY ? 1 : 0;
        const char *wrong = is_of_use(w) ? try(w) : NULL;
        if (wrong) return wrong;
      }
    }
  }
  return NULL;
}

static const char *each_request(world *w) {
  enum { PLACES = 3 };
  static const unsigned places[PLACES] = {0, 1, UINT_MAX};
  for (unsigned requests = 0; requests <= REQUESTS; requests++) {
    for (unsigned arriving = 0; arriving <= 1 && arriving <= requests; arriving++) {
      w->counts.queued = requests - arriving;
      w->counts.arriving = arriving;
      for (unsigned i = 0; i < PLACES; i++) {
        w->counts.places = places[i];
        w->adaptive = places[i] != UINT_MAX;
        if (places[i] == 0 && w->counts.living[HOWDAH_SERVING] == 0) continue; /* nobody has them */
        const char *wrong = each_circumstance(w);
        if (wrong) return wrong;
      }
    }
  }
  return NULL;
}

static const char *each_neighbour(world *w) {
  for (unsigned which = 0; which < 4; which++) {
    w->counts.alone = which > 0;
    w->others = which == 2;
    w->other_one = which == 3;
    if (w->counts.alone && alive(w) > 1) return NULL; /* more only for a moment: before it was known */
    const char *wrong = each_request(w);
    if (wrong) return wrong;
  }
  return NULL;
}

static const char *each_wish(world *w) {
  for (unsigned warm = 0; warm <= w->counts.most; warm += w->counts.most) {
    for (unsigned wanted = 0; wanted <= w->counts.most; wanted += w->counts.most) {
      if (wanted == warm && warm > 0) continue;
      w->counts.warm = warm;
      w->counts.wanted = wanted;
      const char *wrong = each_neighbour(w);
      if (wrong) return wrong;
    }
  }
  return NULL;
}

/* The realms that are there, with their fates. */
static const char *each_fate(const world *at) {
  unsigned idle = at->counts.living[HOWDAH_IDLE], serving = at->counts.living[HOWDAH_SERVING];
  for (unsigned given_up = 0; given_up <= (serving > 0); given_up++) {
    for (unsigned spent_idle = 0; spent_idle <= (at->counts.worker ? idle : 0); spent_idle++) {
      for (unsigned spent = 0; spent <= (at->counts.worker ? serving - given_up : 0); spent++) {
        for (unsigned successor = 0; successor <= (at->counts.living[HOWDAH_BOOTING] > 0); successor++) {
          world w = *at;
          unsigned *fated = w.counts.fated;
          w.spent_idle = spent_idle;
          fated[HOWDAH_GIVEN_UP] = given_up;
          fated[HOWDAH_SPENT] = spent_idle + spent;
          fated[HOWDAH_SUCCEEDS] = successor;
          fated[HOWDAH_STAYS] = w.counts.realms - given_up - spent_idle - spent - successor;
          if (alive(&w) > w.counts.most + successor) continue;
          const char *wrong = each_wish(&w);
          if (wrong) return wrong;
        }
      }
    }
  }
  return NULL;
}

static const char *each_state(void) {
  for (unsigned realms = 0; realms <= REALMS; realms++) {
    for (unsigned idle = 0; idle <= realms; idle++) {
      for (unsigned booting = 0; booting <= realms - idle; booting++) {
        for (unsigned most = 1; most <= REALMS; most++) {
          for (unsigned worker = 0; worker <= 1; worker++) {
            world w = {.counts = {.worker = worker, .most = most, .realms = realms}};
            if (!worker && booting > 0) continue;
            w.counts.living[HOWDAH_IDLE] = idle;
            w.counts.living[HOWDAH_BOOTING] = booting;
            w.counts.living[HOWDAH_SERVING] = realms - idle - booting;
            const char *wrong = each_fate(&w);
            if (wrong) return wrong;
          }
        }
      }
    }
  }
  return NULL;
}

static void tell(const char *wrong) {
  const howdah_counts *c = &told.counts;
  print_error(
      "%s, in the state of\n"
      "  worker %d, most %u, warm %u, wanted %u; booting %u, idle %u, serving %u; spent %u (idle %u), successors %u, given up "
      "%u\n"
      "  queued %u, arriving %d, places %u, later %d; pause %d, soon %d, no room %d, rests %d; alone %d, others %d, other one "
      "%d\n"
      "  due %u, closing %d, draining %d\n",
      wrong, c->worker, c->most, c->warm, c->wanted, c->living[HOWDAH_BOOTING], c->living[HOWDAH_IDLE],
      c->living[HOWDAH_SERVING], c->fated[HOWDAH_SPENT], told.spent_idle, c->fated[HOWDAH_SUCCEEDS], c->fated[HOWDAH_GIVEN_UP],
      c->queued, c->arriving, c->places, c->later, c->pause, c->soon, c->no_room, c->rests, c->alone, told.others,
      told.other_one, c->due, c->closing, c->draining);
}

static void every_state_leads_to_rest(void **state) {
  (void)state;
  without = -1;
  states = 0;
  const char *wrong = each_state();
  if (wrong) tell(wrong);
  assert_null(wrong);
  print_message("%llu states\n", (unsigned long long)states);
  assert_true(states > 10000000);
}

static void no_act_can_be_left_out(void **state) {
  (void)state;
  for (without = HOWDAH_ACT_NOTHING + 1; without < HOWDAH_ACTS; without++) {
    const char *wrong = each_state();
    if (!wrong) print_error("act %d is missing, and nobody notices\n", without);
    assert_non_null(wrong);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_state_leads_to_rest), cmocka_unit_test(no_act_can_be_left_out)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
