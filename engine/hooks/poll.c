/* poll(2), select(2) and their relatives: the wait of nearly all network code (PHP's streams, libpq, libcurl). Kind: ready. */
#include "hooked.h"
#include "attempt.h"

#include "../coroutine/wait.h"
#include "caller.h"
#include "pause.h"

#include <errno.h>
#include <stdlib.h>

/* believes: that what the loop is sure of is still so when the coroutine goes on. */
static int poll_us(struct pollfd *fds, nfds_t count, int64_t timeout_us, bool believes) {
  uint64_t until_us = timeout_us >= 0 ? howdah_loop_now_us() + (uint64_t)timeout_us : UINT64_MAX;
  howdah_patience patience = {.until_us = until_us, .subject = {.fds = fds, .count = count}};
  for (;;) {
    int ready = howdah_real_poll(fds, count, 0);
    if (ready != 0) return ready;
    int64_t left_us = HOWDAH_WAIT_FOREVER;
    if (timeout_us >= 0) {
      uint64_t now_us = howdah_loop_now_us();
      if (now_us >= until_us) return 0;
      left_us = (int64_t)(until_us - now_us);
    }
    short found;
    if (howdah_wait_ready(fds, count, left_us, &found) >= 0) {
      if (!found || !believes) continue;
      fds->revents = found;
      return 1;
    }
    if (errno == ECANCELED || errno == ENOMEM) return -1;
    /* What epoll has no room for (ENOSPC), or not at that depth (a library's epoll within epolls: ELOOP), is asked for again
     * and again. */
    if (howdah_pause(&patience) < 0) return -1;
  }
}

int howdah_poll_us(struct pollfd *fds, nfds_t count, int64_t timeout_us) {
  return poll_us(fds, count, timeout_us, true);
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

bool howdah_let_signals_in(const sigset_t *mask) {
  static const struct timespec at_once = {0, 0};
  struct pollfd none;
  return !mask || howdah_real_ppoll(&none, 0, &at_once, mask) >= 0;
}

static bool is_limit(const struct timespec *limit) {
  return !limit || (limit->tv_sec >= 0 && limit->tv_nsec >= 0 && limit->tv_nsec < 1000000000);
}

/* Below 0: none. */
static int64_t us_of(const struct timespec *limit) {
  return limit ? (int64_t)howdah_us_of(limit) : HOWDAH_WAIT_FOREVER;
}

/* The original looks first: it lets signals in that are blocked and that the mask allows, and refuses bad values. While the
 * coroutine is parked the thread's own mask is in force: signals are nginx's, and interrupt no realm. */
int howdah_hook_ppoll(struct pollfd *fds, nfds_t count, const struct timespec *limit, const sigset_t *mask) {
  static const struct timespec at_once = {0, 0};
  if (!is_limit(limit) || !howdah_hooks_may_park()) return howdah_real_ppoll(fds, count, limit, mask);
  int ready = howdah_real_ppoll(fds, count, &at_once, mask);
  return ready != 0 ? ready : howdah_poll_us(fds, count, us_of(limit));
}

int howdah_hook_ppoll_chk(struct pollfd *fds, nfds_t count, const struct timespec *limit, const sigset_t *mask, size_t size) {
  if (size / sizeof(*fds) < count) return howdah_real_ppoll_chk(fds, count, limit, mask, size);
  return howdah_hook_ppoll(fds, count, limit, mask);
}

typedef struct {
  int count;
  fd_set *reads, *writes, *excepts;
} sets;

/* Waits as poll(), then lets the original fill the sets in; -1 with errno. What another process has taken meanwhile would be an
 * answer before its time. */
static int wait_for_sets(const sets *wanted, int64_t limit_us) {
  struct pollfd *fds = malloc((size_t)(wanted->count ? wanted->count : 1) * sizeof(*fds));
  if (!fds) {
    errno = ENOMEM;
    return -1;
  }
  nfds_t used = 0;
  for (int fd = 0; fd < wanted->count; fd++) {
    short events = (short)((wanted->reads && FD_ISSET(fd, wanted->reads) ? POLLIN : 0) |
                           (wanted->writes && FD_ISSET(fd, wanted->writes) ? POLLOUT : 0) |
                           (wanted->excepts && FD_ISSET(fd, wanted->excepts) ? POLLPRI : 0));
    if (events) fds[used++] = (struct pollfd){.fd = fd, .events = events};
  }
  int ready = poll_us(fds, used, limit_us, false), error = errno;
  free(fds);
  errno = error;
  if (ready < 0) return -1;
  struct timeval now = {0, 0};
  return howdah_real_select(wanted->count, wanted->reads, wanted->writes, wanted->excepts, &now);
}

int howdah_hook_select(int count, fd_set *reads, fd_set *writes, fd_set *excepts, struct timeval *timeout) {
  bool at_once = timeout && timeout->tv_sec == 0 && timeout->tv_usec == 0;
  if (at_once || count < 0 || count > FD_SETSIZE || !howdah_hooks_may_park() ||
      (timeout && (timeout->tv_sec < 0 || timeout->tv_usec < 0)))
    return howdah_real_select(count, reads, writes, excepts, timeout);
  uint64_t started_us = howdah_loop_now_us();
  int64_t limit_us = timeout ? (int64_t)howdah_us_of_timeval(timeout) : HOWDAH_WAIT_FOREVER;
  int result = wait_for_sets(&(sets){count, reads, writes, excepts}, limit_us);
  if (timeout && result >= 0) {
    /* Linux leaves what was not slept in the caller's limit. */
    int64_t left_us = limit_us - (int64_t)(howdah_loop_now_us() - started_us);
    if (left_us < 0) left_us = 0;
    if (limit_us == (int64_t)HOWDAH_LONGEST_US) return result;
    timeout->tv_sec = left_us / 1000000;
    timeout->tv_usec = left_us % 1000000;
  }
  return result;
}

/* As ppoll; it leaves the caller's limit alone. */
int howdah_hook_pselect(int count, fd_set *reads, fd_set *writes, fd_set *excepts, const struct timespec *limit,
                        const sigset_t *mask) {
  if (!is_limit(limit) || count < 0 || count > FD_SETSIZE || !howdah_hooks_may_park())
    return howdah_real_pselect(count, reads, writes, excepts, limit, mask);
  if (!howdah_let_signals_in(mask)) return -1;
  return wait_for_sets(&(sets){count, reads, writes, excepts}, us_of(limit));
}
