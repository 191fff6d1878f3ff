/* The adaptive limit. See limit.h. */
#include "limit.h"

#include <math.h>

enum { INITIAL = 16 };

/* One measurement: so many turns, requests and microseconds at least. */
enum { TURNS = 3, REQUESTS_MIN = 24, TIME_MIN_US = 50000 };

/* How many pairs decide: at least, and when none of them has decided they are forgotten. */
enum { PAIRS_MIN = 3, PAIRS_MAX = 48 };

enum { PATIENCE_MAX = 8 };

/* How much more is finished of how much larger the limit is, both as logarithms: 1 where requests only wait, 0 where they stand in each other's way.
 * Above the first the limit rises; below the second, with certainty, it falls; between them a lower one would save little. */
static const double RISE = 0.05, FALL = 0.1;
/* At least so much of it: the limit is doubled (where pairs tell, half of it with certainty). */
static const double DOUBLE = 0.8;

static unsigned clamp(unsigned value, unsigned least, unsigned most) {
  return value < least ? least : value > most ? most : value;
}

/* Half as many again. */
static unsigned high_of(const howdah_limit *limit) {
  return clamp(limit->low + (limit->low + 1) / 2, limit->least, limit->most);
}

/* So that the two differ. */
static unsigned low_most(const howdah_limit *limit) {
  return clamp(limit->most * 2 / 3, limit->least, limit->most - 1);
}

static void measure(howdah_limit *limit, unsigned now) {
  limit->settling = limit->settling || now != limit->now;
  limit->now = now;
  limit->finished = 0;
  limit->bound_us = 0;
  limit->enough = limit->settling ? now : (uint64_t)now * TURNS;
  if (!limit->settling && limit->enough < REQUESTS_MIN) limit->enough = REQUESTS_MIN;
}

static void forget_pairs(howdah_limit *limit) {
  limit->pairs = 0;
  limit->mean = limit->squares = 0;
}

static void compare_from(howdah_limit *limit, unsigned low) {
  limit->starting = limit->has_low = limit->has_high = false;
  limit->low = clamp(low, limit->least, low_most(limit));
  limit->lower = 0;
  forget_pairs(limit);
  measure(limit, limit->low);
}

/* confirmed: the pairs have said so already. Else the first time is looked at twice: a cold start, or a neighbour on the machine, looks alike. */
static void double_from(howdah_limit *limit, unsigned now, bool confirmed) {
  limit->starting = true;
  limit->confirmed = confirmed;
  limit->has_low = limit->has_high = false;
  limit->low = now;
  measure(limit, now);
}

void howdah_limit_init(howdah_limit *limit, unsigned least, unsigned most) {
  *limit = (howdah_limit){.least = least, .most = most, .patience = 1, .settling = true};
  limit->now = limit->low = clamp(INITIAL, least, most);
  limit->enough = UINT64_MAX;
  if (least < most) double_from(limit, limit->now, false);
}

void howdah_limit_bind(howdah_limit *limit, bool bound, uint64_t now_us) {
  if (bound == (limit->bound_since_us != 0)) return;
  if (!bound) limit->bound_us += now_us - limit->bound_since_us;
  limit->bound_since_us = bound ? now_us : 0;
}

/* ---- Doubling ---- */

static void go_on_doubling(howdah_limit *limit, double rate) {
  unsigned twice = clamp(limit->low * 2, limit->least, limit->most);
  double enough = DOUBLE * log((double)twice / limit->low);
  if (!limit->has_low) {
    limit->log_low = rate;
    limit->has_low = true;
    measure(limit, twice);
  } else if (limit->now == twice && rate - limit->log_low >= enough && !limit->confirmed) {
    limit->log_high = rate;
    measure(limit, limit->low);
  } else if (limit->now == twice ? rate - limit->log_low >= enough : limit->log_high - rate >= enough) {
    limit->log_low = limit->now == twice ? rate : limit->log_high;
    limit->low = twice;
    limit->confirmed = true;
    measure(limit, clamp(twice * 2, limit->least, limit->most));
  } else {
    compare_from(limit, limit->low);
  }
  if (limit->starting && limit->low == limit->most) compare_from(limit, limit->most);
}

/* ---- Pairs ---- */

/* What cannot be is something else's doing: a neighbour on the machine, a pause. */
static double plausible(double gain) {
  return fmax(-1.5, fmin(1.5, gain));
}

static void add_pair(howdah_limit *limit, double gain) {
  double distance = gain - limit->mean;
  limit->pairs++;
  limit->mean += distance / limit->pairs;
  limit->squares += distance * (gain - limit->mean);
}

/* Half the width of an interval that holds the true gain nearly always: the standard error times Student's quantile, roughly, and half as much
 * again, as it is asked after each pair. Where much else happens on the machine nothing is certain, and the limit stays where it is. */
static double uncertainty(const howdah_limit *limit) {
  double n = limit->pairs;
  return sqrt(limit->squares / (n - 1) / n) * (3 + 6 / (n - 1));
}

/* Where it has just come from below it takes longer to go there again: at a sharp bend it would go to and fro. */
static void rise(howdah_limit *limit) {
  if (limit->went_down && limit->patience < PATIENCE_MAX)
    limit->patience *= 2;
  else if (!limit->went_down)
    limit->patience = 1;
  limit->went_down = false;
  if (limit->mean - uncertainty(limit) > DOUBLE / 2)
    double_from(limit, high_of(limit), true);
  else
    compare_from(limit, high_of(limit));
}

static void fall(howdah_limit *limit) {
  if (++limit->lower < limit->patience) {
    forget_pairs(limit);
    return;
  }
  if (limit->went_down) limit->patience = 1;
  limit->went_down = true;
  compare_from(limit, limit->low * 2 / 3);
}

static void judge(howdah_limit *limit) {
  if (limit->pairs < PAIRS_MIN) return;
  double width = uncertainty(limit);
  bool may_rise = high_of(limit) < limit->most || limit->low < low_most(limit);
  if (limit->mean - width > RISE) {
    limit->lower = 0;
    if (may_rise)
      rise(limit);
    else
      forget_pairs(limit);
  } else if (limit->mean + width < FALL) {
    if (limit->low > limit->least)
      fall(limit);
    else
      forget_pairs(limit);
  } else if (limit->pairs >= PAIRS_MAX) {
    forget_pairs(limit);
  }
}

/* The higher limit's rate is compared with the mean of the lower one's before and after: what changes steadily meanwhile cancels out. */
static void go_on_comparing(howdah_limit *limit, double rate) {
  unsigned high = high_of(limit), low = limit->low;
  if (limit->now == high) {
    limit->log_high = rate;
    limit->has_high = true;
    measure(limit, low);
    return;
  }
  if (limit->has_low && limit->has_high)
    add_pair(limit, plausible((limit->log_high - (limit->log_low + rate) / 2) / log((double)high / low)));
  limit->log_low = rate;
  limit->has_low = true;
  measure(limit, high);
  judge(limit);
}

void howdah_limit_look(howdah_limit *limit, uint64_t now_us) {
  if (!limit->bound_since_us) return;
  uint64_t elapsed_us = limit->bound_us + (now_us - limit->bound_since_us);
  limit->bound_us = elapsed_us;
  limit->bound_since_us = now_us;
  if (limit->settling) {
    limit->settling = false;
    measure(limit, limit->now);
    return;
  }
  if (elapsed_us < TIME_MIN_US) {
    uint64_t more = elapsed_us ? limit->finished * (TIME_MIN_US - elapsed_us) / elapsed_us : limit->finished;
    limit->enough = limit->finished + clamp((unsigned)more, 1, (unsigned)limit->finished);
    return;
  }
  double rate = log((double)limit->finished / (double)elapsed_us);
  limit->turn_us = elapsed_us * limit->now / limit->finished;
  if (limit->starting)
    go_on_doubling(limit, rate);
  else
    go_on_comparing(limit, rate);
}

void howdah_limit_stalled(howdah_limit *limit, uint64_t now_us) {
  if (limit->least == limit->most) return;
  if (limit->bound_since_us) limit->bound_since_us = now_us;
  compare_from(limit, limit->low * 2);
}
