/* The worker's limit of descriptors. See reserve.h. */
#include "reserve.h"

#include <errno.h>
#include <sys/resource.h>

enum { SHARE = 8 };

static struct {
  struct rlimit lower, whole;
  bool kept;
} reserve;

int howdah_reserve_keep(unsigned most) {
  if (getrlimit(RLIMIT_NOFILE, &reserve.whole) < 0) return -1;
  if (reserve.whole.rlim_cur == RLIM_INFINITY) return 0;
  rlim_t part = reserve.whole.rlim_cur / SHARE;
  reserve.lower = reserve.whole;
  reserve.lower.rlim_cur -= part < most ? part : most;
  if (setrlimit(RLIMIT_NOFILE, &reserve.lower) < 0) return -1;
  reserve.kept = true;
  return 0;
}

bool howdah_reserve_open(int result) {
  if (result >= 0 || errno != EMFILE || !reserve.kept) return false;
  if (setrlimit(RLIMIT_NOFILE, &reserve.whole) == 0) return true;
  errno = EMFILE;
  return false;
}

void howdah_reserve_close(void) {
  int error = errno;
  setrlimit(RLIMIT_NOFILE, &reserve.lower); /* lowering it never fails */
  errno = error;
}

void howdah_reserve_sizes(uint64_t *php, uint64_t *kept) {
  *php = reserve.lower.rlim_cur;
  *kept = reserve.whole.rlim_cur - reserve.lower.rlim_cur;
}
