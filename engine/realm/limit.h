/* An adaptive limit on requests in flight: how many of a pool run at once while the rest waits in its queue.
 *
 * What is looked for is the smallest limit at which a larger one would not finish more requests. By Little's law (in flight = rate x
 * latency) that is the limit up to which the latency of a request in its realm does not grow: more of them only wait for the
 * processor, or for a database that is busy, instead of in the queue. While they wait for something that has room (a sleep, a remote
 * service), the rate grows with the limit.
 *
 * The rates at two limits, `low` and half as many again, are measured in turns, and the logarithms of each pair compared: a gradient, as in
 * Netflix's concurrency-limits (Gradient2Limit) and Envoy's adaptive concurrency filter, but of neighbours in time instead of against
 * a minimum latency, which quick requests among slow ones would set. It is the gradient of hill climbing in .NET's thread pool (Hellerstein,
 * Morrison, Eilebrecht: "Optimizing Concurrency Levels in the .NET ThreadPool", 2008), with a test of Student's kind in the place of
 * its filter: the limit moves when the pairs agree. At first, and when a larger limit finishes nearly as many more as it is larger, it is doubled,
 * as in TCP's slow start.
 *
 * Invariants:
 *  1. least <= now <= most.
 *  2. Only time in which requests wait for a place counts, and only requests that finish in it: idle times teach nothing.
 *  3. A change of the limit is followed by one turn (as many requests finished as may be in flight) that does not count.
 *
 * Knows nothing of pools and clocks; nothing is allocated. Who uses it: slots.c. */
#ifndef HOWDAH_REALM_LIMIT_H
#define HOWDAH_REALM_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
  unsigned now;         /* so many may be in flight */
  unsigned least, most; /* equal: it does not move */
  unsigned low;         /* the lower one of those that are compared; now is it, or the other one */

  /* What is being measured. */
  uint64_t finished, enough; /* requests: so far; when to look at the clock */
  uint64_t bound_since_us;   /* since when requests wait for a place; 0: none does */
  uint64_t bound_us;         /* for so long before that */
  bool settling;             /* this turn does not count */

  /* What was measured: logarithms of requests per second. */
  bool starting;  /* doubling */
  bool confirmed; /* that doubling it helps */
  bool has_low, has_high;
  double log_low, log_high;
  unsigned pairs; /* gains, their mean, and the sum of the squares of their distances from it (Welford) */
  double mean, squares;
  unsigned patience, lower; /* so many verdicts for a lower limit are wanted, and have been given */
  bool went_down;           /* its last move */
  uint64_t turn_us;         /* how long a request stayed in flight; 0: not known */
} howdah_limit;

/* Begins at 16, or the bound that is nearest to it. */
void howdah_limit_init(howdah_limit *limit, unsigned least, unsigned most);
/* Requests wait for a place from now on, or none does. Cheap when nothing changes. */
void howdah_limit_bind(howdah_limit *limit, bool bound, uint64_t now_us);
/* A request has finished. True when howdah_limit_look() is due. */
static inline bool howdah_limit_count(howdah_limit *limit) {
  return limit->bound_since_us && ++limit->finished >= limit->enough;
}
/* Learns from what has finished, and may move the limit. */
void howdah_limit_look(howdah_limit *limit, uint64_t now_us);
/* Requests wait for a place, and for a long time nothing has finished: doubles the limit. */
void howdah_limit_stalled(howdah_limit *limit, uint64_t now_us);

#endif
