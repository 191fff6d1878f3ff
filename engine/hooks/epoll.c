/* epoll_wait(2): the loop of a library or an extension (libevent, libuv, librdkafka's). Kind: ready: an epoll descriptor can
 * itself be watched, and is readable when one of its own is ready. */
#include "hooked.h"
#include "attempt.h"

#include "../coroutine/wait.h"
#include "caller.h"

#include <errno.h>

/* Signals: as ppoll (poll.c). epoll_pwait() with a limit of 0 does not look for them (ep_poll(), fs/eventpoll.c, Linux 6.1). */
static int wait_us(int set, struct epoll_event *events, int most, int64_t timeout_us, const sigset_t *mask) {
  uint64_t until_us = timeout_us >= 0 ? howdah_loop_now_us() + (uint64_t)timeout_us : UINT64_MAX;
  for (;;) {
    int ready = howdah_real_epoll_wait(set, events, most, 0);
    if (ready != 0) return ready;
    if (!howdah_let_signals_in(mask)) return -1;
    uint64_t now_us = howdah_loop_now_us();
    if (now_us >= until_us) return 0;
    struct pollfd wanted = {.fd = set, .events = POLLIN};
    int woken = howdah_poll_us(&wanted, 1, until_us == UINT64_MAX ? HOWDAH_WAIT_FOREVER : (int64_t)(until_us - now_us));
    if (woken <= 0) return woken;
  }
}

int howdah_hook_epoll_wait(int set, struct epoll_event *events, int most, int timeout_ms) {
  if (timeout_ms == 0 || !howdah_hooks_may_park()) return howdah_real_epoll_wait(set, events, most, timeout_ms);
  return wait_us(set, events, most, timeout_ms < 0 ? HOWDAH_WAIT_FOREVER : (int64_t)timeout_ms * 1000, NULL);
}

int howdah_hook_epoll_pwait(int set, struct epoll_event *events, int most, int timeout_ms, const sigset_t *mask) {
  if (timeout_ms == 0 || !howdah_hooks_may_park()) return howdah_real_epoll_pwait(set, events, most, timeout_ms, mask);
  return wait_us(set, events, most, timeout_ms < 0 ? HOWDAH_WAIT_FOREVER : (int64_t)timeout_ms * 1000, mask);
}

int howdah_hook_epoll_pwait2(int set, struct epoll_event *events, int most, const struct timespec *limit,
                             const sigset_t *mask) {
  if ((limit && (limit->tv_sec < 0 || limit->tv_nsec < 0 || limit->tv_nsec >= 1000000000)) || !howdah_hooks_may_park())
    return howdah_real_epoll_pwait2(set, events, most, limit, mask);
  int64_t us = limit ? (int64_t)howdah_us_of(limit) : HOWDAH_WAIT_FOREVER;
  return wait_us(set, events, most, us, mask);
}
