/* fork and read in GPGME, which ext/gnupg calls: it starts gpg for each of its calls, and talks with it through pipes. Kind: note;
 * its reads park as all others do. */
#include "hooked.h"

#include "caller.h"
#include "child.h"

#include <errno.h>

/* It tells gpg by number which of its pipes are for what: they have to stay open. It closes all other descriptors itself before
 * gpg runs, and makes its pipes anew for each call (_gpgme_io_spawn(), src/posix-io.c, 1.18). */
pid_t howdah_hook_gpgme_fork(void) {
  pid_t pid = howdah_real_gpgme_fork();
  if (pid > 0 && howdah_hooks_in_realm()) howdah_child_born(pid);
  return pid;
}

/* A read that fails crashes it: it traces what was read by its length, -1 (_gpgme_io_read(), the same file; 1.18). Where the
 * request is cancelled gpg has ended, as far as it is told. */
ssize_t howdah_hook_gpgme_read(int fd, void *buffer, size_t size) {
  ssize_t got = howdah_hook_read(fd, buffer, size);
  return got < 0 && errno == ECANCELED ? 0 : got;
}
