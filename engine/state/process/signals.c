/* The signal mask of a realm. See signals.h. */
#include "signals.h"

#include <stddef.h>
#include <string.h>

static sigset_t base;

void howdah_signals_start(void) {
  pthread_sigmask(SIG_SETMASK, NULL, &base);
}

static bool same(const sigset_t *a, const sigset_t *b) {
  for (int number = 1; number < NSIG; number++)
    if (sigismember(a, number) != sigismember(b, number)) return false;
  return true;
}

/* Asking and setting cannot fail: the arguments are right (pthread_sigmask(3)). */
void howdah_signals_masked(howdah_signals *signals) {
  pthread_sigmask(SIG_SETMASK, NULL, &signals->mask);
  signals->own = !same(&signals->mask, &base);
}

void howdah_signals_enter(const howdah_signals *signals) {
  if (signals->own) pthread_sigmask(SIG_SETMASK, &signals->mask, NULL);
}

void howdah_signals_leave(const howdah_signals *signals) {
  if (signals->own) pthread_sigmask(SIG_SETMASK, &base, NULL);
}
