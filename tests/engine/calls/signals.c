/* Signal masks around calls that wait, as libpq sets them. */
#include "calls.h"

#include <signal.h>
#include <unistd.h>

/* Exactly this one of those that the test uses is blocked; 0: none. */
static bool only(int wanted) {
  sigset_t now;
  if (pthread_sigmask(SIG_BLOCK, NULL, &now) != 0) return false;
  for (int number = SIGRTMIN + 4; number < SIGRTMIN + 12; number++)
    if (sigismember(&now, number) != (number == wanted)) return false;
  return true;
}

static const char *blocked(int (*mask)(int, const sigset_t *, sigset_t *)) {
  static int calls;
  int number = SIGRTMIN + 4 + calls++ % 8;
  sigset_t mine, before;
  CHECK(sigemptyset(&mine) == 0 && sigaddset(&mine, number) == 0);
  for (int i = 0; i < 3; i++) {
    CHECK(only(0));
    CHECK(mask(SIG_BLOCK, &mine, &before) == 0 && only(number));
    CHECK(usleep(2000) == 0 && only(number));
    CHECK(usleep(2000) == 0 && only(number));
    CHECK(mask(SIG_SETMASK, &before, NULL) == 0);
    CHECK(usleep(1000) == 0);
  }
  errno = 0;
  CHECK(mask(-1, &mine, NULL) != 0 && only(0));
  return NULL;
}

static const char *thread_mask(void) {
  return blocked(pthread_sigmask);
}

static const char *process_mask(void) {
  return blocked(sigprocmask);
}

const named_call signal_calls[] = {{"thread_mask", thread_mask}, {"process_mask", process_mask}, {NULL, NULL}};
