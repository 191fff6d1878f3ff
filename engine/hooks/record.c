/* Locks on parts of files: fcntl's F_SETLKW and F_OFD_SETLKW, and lockf(3). Kind: timer: asked for without waiting, again and again.
 *
 * fcntl's and lockf's belong to the process: realms of one worker do not keep each other out with them, as threads do not
 * (fcntl(2), "Record locks"); libraries that use them know that (SQLite). F_OFD_SETLKW belongs to the open file and keeps realms
 * apart. The kernel finds deadlocks (EDEADLK) only for those who wait in it, which nobody does here. */
#include "families.h"

#include "hook.h"
#include "pause.h"

#include <errno.h>
#include <fcntl.h>

int (*howdah_real_record)(int, int, void *);
int (*howdah_real_lockf)(int, int, off_t);

/* After an attempt has failed: whether to try again. */
static bool try_again(howdah_patience *patience) {
  if (errno != EAGAIN && errno != EACCES) return false;
  return howdah_pause(patience) == 0;
}

int howdah_hook_record(int fd, int command, void *argument) {
  if ((command != F_SETLKW && command != F_OFD_SETLKW) || !howdah_hooks_may_park())
    return howdah_real_record(fd, command, argument);
  howdah_patience patience = {.until_us = UINT64_MAX};
  int result;
  while ((result = howdah_real_record(fd, command == F_SETLKW ? F_SETLK : F_OFD_SETLK, argument)) < 0 && try_again(&patience)) {
  }
  return result;
}

int howdah_hook_lockf(int fd, int command, off_t len) {
  if (command != F_LOCK || !howdah_hooks_may_park()) return howdah_real_lockf(fd, command, len);
  howdah_patience patience = {.until_us = UINT64_MAX};
  int result;
  while ((result = howdah_real_lockf(fd, F_TLOCK, len)) < 0 && try_again(&patience)) {
  }
  return result;
}
