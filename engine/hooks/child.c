/* waitpid and wait4 for one child: proc_close() and its like. Kind: ready (a pidfd is readable when its process has ended). */
#include "families.h"

#include "../coroutine/wait.h"
#include "hook.h"

#include <errno.h>
#include <sys/syscall.h>
#include <sys/wait.h>

pid_t (*howdah_real_waitpid)(pid_t, int *, int);
pid_t (*howdah_real_wait4)(pid_t, int *, int, struct rusage *);

/* Parks until the child has ended. False when that cannot be watched (not a child, an old kernel): the original decides. */
static bool wait_for(pid_t pid, int options) {
  if (pid <= 0 || (options & (WNOHANG | WUNTRACED | WCONTINUED)) || !howdah_hooks_may_park()) return false;
  int fd = (int)syscall(SYS_pidfd_open, pid, 0);
  if (fd < 0) return false;
  struct pollfd ended = {.fd = fd, .events = POLLIN};
  int ready = howdah_poll_us(&ended, 1, HOWDAH_WAIT_FOREVER);
  int error = errno;
  close(fd);
  errno = error;
  return ready > 0;
}

pid_t howdah_hook_waitpid(pid_t pid, int *status, int options) {
  return howdah_hook_wait4(pid, status, options, NULL);
}

pid_t howdah_hook_wait4(pid_t pid, int *status, int options, struct rusage *usage) {
  wait_for(pid, options);
  return howdah_real_wait4(pid, status, options, usage);
}
