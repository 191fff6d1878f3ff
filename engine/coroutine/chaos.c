/* When to yield in test mode: see chaos.h. */
#include "chaos.h"
#include "coroutine.h"

static uint64_t state;

/* xorshift64* (Vigna, 2014): any seed but 0. */
static uint64_t next_random(void) {
  state ^= state >> 12;
  state ^= state << 25;
  state ^= state >> 27;
  return state * UINT64_C(2685821657736338717);
}

void howdah_chaos_start(uint64_t seed) {
  state = seed;
}

/* A die with so many sides. */
static bool throws_one(unsigned sides) {
  return (next_random() >> 40) % sides == 0;
}

void howdah_chaos_yield(unsigned sides) {
  const howdah_coroutine *self = howdah_coroutine_current();
  if (state == 0 || !self || self->hooks_off || !howdah_coroutine_loop()) return;
  if (throws_one(sides)) howdah_coroutine_yield();
}
