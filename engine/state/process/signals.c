/* The signal mask of a realm. See signals.h. */
#include "signals.h"

#include <signal.h>
#include <stddef.h>

static uint64_t base;

/* Signals are numbers below NSIG, which is 65 (signal(7)). */
_Static_assert(NSIG - 1 <= 64, "a bit for each signal");

static uint64_t bit_of(int number) {
  return (uint64_t)1 << (number - 1);
}

/* Asking and setting cannot fail: the arguments are right (pthread_sigmask(3)). */
static uint64_t ask(void) {
  sigset_t set;
  uint64_t mask = 0;
  pthread_sigmask(SIG_SETMASK, NULL, &set);
  for (int number = 1; number < NSIG; number++)
    if (sigismember(&set, number) == 1) mask |= bit_of(number);
  return mask;
}

static void put(uint64_t mask) {
  sigset_t set;
  sigemptyset(&set);
  for (int number = 1; number < NSIG; number++)
    if (mask & bit_of(number)) sigaddset(&set, number);
  pthread_sigmask(SIG_SETMASK, &set, NULL);
}

void howdah_signals_start(void) {
  base = ask();
}

void howdah_signals_masked(howdah_signals *signals) {
  signals->mask = ask();
  signals->own = signals->mask != base;
}

void howdah_signals_enter(const howdah_signals *signals) {
  if (signals->own) put(signals->mask);
}

void howdah_signals_leave(const howdah_signals *signals) {
  if (signals->own) put(base);
}
