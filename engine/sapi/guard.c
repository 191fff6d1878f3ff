/* The guard. See guard.h. */
#include "guard.h"
#include "../hooks/hooked.h"

#include <setjmp.h>
#include <signal.h>
#include <ucontext.h>

static sigjmp_buf *volatile guard;

bool howdah_guarding(void (*work)(void *data), void *data) {
  sigjmp_buf here, *volatile outer = guard;
  if (sigsetjmp(here, 0) != 0) {
    guard = outer;
    return false;
  }
  guard = &here;
  work(data);
  guard = outer;
  return true;
}

void howdah_guard_catch(const void *context) {
  if (!guard) return;
  /* The mask of where the fault was: saving it in each guard would be a system call. */
  howdah_real_pthread_sigmask(SIG_SETMASK, &((const ucontext_t *)context)->uc_sigmask, NULL);
  siglongjmp(*guard, 1);
}
