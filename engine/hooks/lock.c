/* flock(2): sessions and LOCK_EX. Kind: timer. The kernel cannot tell when a lock is free, so the wait asks again, less and less
 * often: the holder may be a realm of this very worker, which must run to let it go. */
#include "families.h"

#include "../coroutine/wait.h"
#include "hook.h"

#include <errno.h>
#include <sys/file.h>

int (*howdah_real_flock)(int, int);

int howdah_hook_flock(int fd, int operation) {
  if ((operation & (LOCK_NB | LOCK_UN)) || !howdah_hooks_may_park()) return howdah_real_flock(fd, operation);
  enum { FIRST_US = 500, LAST_US = 8000 };
  for (uint64_t pause_us = FIRST_US;; pause_us = pause_us * 2 > LAST_US ? LAST_US : pause_us * 2) {
    int result = howdah_real_flock(fd, operation | LOCK_NB);
    if (result == 0 || errno != EWOULDBLOCK) return result;
    if (howdah_wait_sleep(pause_us, NULL) < 0) return -1;
  }
}
