/* system(3): a library's command. Kind: ready: its shell is waited for as any child. As libc makes it (sysdeps/posix/system.c,
 * glibc 2.36), but that SIGINT and SIGQUIT are not ignored meanwhile: they are nginx's, and would be lost for all. */
#include "hooked.h"

#include "child.h"
#include "caller.h"
#include "spawn.h"

#include <errno.h>
#include <sys/wait.h>

/* Not to be told from a shell that ended so: POSIX wants that of one that cannot be started. */
enum { NO_SHELL = 127 << 8 };

static int run(const char *command) {
  pid_t pid, waited;
  int status, error = howdah_spawn_shell(command, NULL, &pid);
  if (error) {
    errno = error;
    return NO_SHELL;
  }
  while ((waited = howdah_hook_wait4(pid, &status, 0, NULL)) < 0 && errno == EINTR) {
  }
  return waited < 0 ? -1 : status;
}

int howdah_hook_system(const char *command) {
  if (!howdah_hooks_may_park()) return howdah_real_system(command);
  return command ? run(command) : run("exit 0") == 0;
}
