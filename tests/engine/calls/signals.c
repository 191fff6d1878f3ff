/* Signal masks around calls that wait, as libpq sets them. */
#include "calls.h"

#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
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

/* The lowest byte of the stack that may be written to; NULL: not told. */
static const char *stack_end(void) {
  const char *here = __builtin_frame_address(0), *low = NULL;
  char line[512];
  FILE *maps = fopen("/proc/self/maps", "r");
  while (maps && !low && fgets(line, sizeof(line), maps)) {
    void *from, *to;
    if (sscanf(line, "%p-%p", &from, &to) == 2 && here >= (char *)from && here < (char *)to) low = from;
  }
  if (maps) fclose(maps);
  return low;
}

/* With so little left below that the kernel's frame does not fit; syscall() must have been called before, as ld.so has no room
 * either. */
static __attribute__((noinline)) long signalled_at(const char *end, pid_t process, pid_t thread) {
  enum { LEFT = 512 };
  size_t bytes = (size_t)((const char *)__builtin_frame_address(0) - end - LEFT);
  volatile char *used = __builtin_alloca(bytes);
  used[0] = 1;
  return syscall(SYS_tgkill, process, thread, SIGPROF) + used[0] - 1;
}

/* The engine's clock ticks when it likes, also where a recursion has nearly used the stack up. php-cli has no clock: it would
 * take the signal for its time limit. */
static const char *tick_at_the_end(void) {
  if (strncmp(program_invocation_short_name, "php", 3) == 0) return NULL;
  const char *end = stack_end();
  CHECK(end);
  CHECK(signalled_at(end, getpid(), (pid_t)syscall(SYS_gettid)) == 0);
  return NULL;
}

const named_call signal_calls[] = {
    {"thread_mask", thread_mask}, {"process_mask", process_mask}, {"tick_at_the_end", tick_at_the_end}, {NULL, NULL}};
