/* poll(2) and select(2): the wait of nearly all network code (PHP's streams, libpq, libcurl). Kind: ready. */
#include "families.h"

#include "../coroutine/wait.h"
#include "hook.h"

#include <errno.h>
#include <stdlib.h>

int (*howdah_real_poll)(struct pollfd *, nfds_t, int);
int (*howdah_real_poll_chk)(struct pollfd *, nfds_t, int, size_t);
int (*howdah_real_select)(int, fd_set *, fd_set *, fd_set *, struct timeval *);

int howdah_poll_us(struct pollfd *fds, nfds_t count, int64_t timeout_us) {
  uint64_t until_us = timeout_us >= 0 ? howdah_loop_now_us() + (uint64_t)timeout_us : 0;
  for (;;) {
    int ready = howdah_real_poll(fds, count, 0);
    if (ready != 0) return ready;
    int64_t left_us = HOWDAH_WAIT_FOREVER;
    if (timeout_us >= 0) {
      uint64_t now_us = howdah_loop_now_us();
      if (now_us >= until_us) return 0;
      left_us = (int64_t)(until_us - now_us);
    }
    int woken = howdah_wait_ready(fds, count, left_us);
    if (woken < 0) {
      if (errno == ECANCELED || errno == ENOMEM) return -1;
      /* What epoll does not take (a disk file among the descriptors) poll() answers at once; if not, let it block. */
      return howdah_real_poll(fds, count, left_us < 0 ? -1 : (int)((left_us + 999) / 1000));
    }
  }
}

int howdah_hook_poll(struct pollfd *fds, nfds_t count, int timeout_ms) {
  if (timeout_ms == 0 || !howdah_hooks_may_park()) return howdah_real_poll(fds, count, timeout_ms);
  return howdah_poll_us(fds, count, timeout_ms < 0 ? -1 : (int64_t)timeout_ms * 1000);
}

/* What poll() becomes with _FORTIFY_SOURCE; the original checks the size and aborts, as the caller's build wants it. */
int howdah_hook_poll_chk(struct pollfd *fds, nfds_t count, int timeout_ms, size_t size) {
  if (timeout_ms == 0 || size / sizeof(*fds) < count || !howdah_hooks_may_park())
    return howdah_real_poll_chk(fds, count, timeout_ms, size);
  return howdah_poll_us(fds, count, timeout_ms < 0 ? -1 : (int64_t)timeout_ms * 1000);
}

/* Waits as poll(), then lets the original fill the sets in. */
int howdah_hook_select(int count, fd_set *reads, fd_set *writes, fd_set *excepts, struct timeval *timeout) {
  bool at_once = timeout && timeout->tv_sec == 0 && timeout->tv_usec == 0;
  if (at_once || count < 0 || count > FD_SETSIZE || !howdah_hooks_may_park() ||
      (timeout && (timeout->tv_sec < 0 || timeout->tv_usec < 0)))
    return howdah_real_select(count, reads, writes, excepts, timeout);

  struct pollfd *fds = malloc((size_t)(count ? count : 1) * sizeof(*fds));
  if (!fds) {
    errno = ENOMEM;
    return -1;
  }
  nfds_t used = 0;
  for (int fd = 0; fd < count; fd++) {
    short events = (short)((reads && FD_ISSET(fd, reads) ? POLLIN : 0) | (writes && FD_ISSET(fd, writes) ? POLLOUT : 0) |
                           (excepts && FD_ISSET(fd, excepts) ? POLLPRI : 0));
    if (events) fds[used++] = (struct pollfd){.fd = fd, .events = events};
  }
  uint64_t started_us = howdah_loop_now_us();
  int64_t limit_us = timeout ? (int64_t)timeout->tv_sec * 1000000 + timeout->tv_usec : -1;
  int ready = howdah_poll_us(fds, used, limit_us);
  free(fds);
  if (ready < 0) return -1;
  struct timeval now = {0, 0};
  int result = howdah_real_select(count, reads, writes, excepts, &now);
  if (timeout) {
    /* Linux leaves what was not slept in the caller's limit. */
    int64_t left_us = limit_us - (int64_t)(howdah_loop_now_us() - started_us);
    if (left_us < 0) left_us = 0;
    timeout->tv_sec = left_us / 1000000;
    timeout->tv_usec = left_us % 1000000;
  }
  return result;
}
