/* sigprocmask and pthread_sigmask: each realm has its own signal mask (engine/state/process/signals.h). Kind: note. */
#include "hooked.h"

#include "../coroutine/coroutine.h"
#include "caller.h"

static int note_mask(int result, const sigset_t *set) {
  if (result == 0 && set && howdah_hooks_in_realm()) howdah_signals_masked(&howdah_coroutine_current()->state->process.signals);
  return result;
}

int howdah_hook_sigprocmask(int how, const sigset_t *set, sigset_t *old) {
  return note_mask(howdah_real_sigprocmask(how, set, old), set);
}

int howdah_hook_pthread_sigmask(int how, const sigset_t *set, sigset_t *old) {
  return note_mask(howdah_real_pthread_sigmask(how, set, old), set);
}
