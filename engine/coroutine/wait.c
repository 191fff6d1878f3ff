/* Parking until descriptors are ready or time has passed. See wait.h.
 * What is watched lives on the waiting coroutine's own stack, and is taken out before the wait returns: nothing outlives it. */
#include "wait.h"
#include "near.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>

enum { ON_STACK_MAX = 8 };

typedef struct {
  howdah_coroutine *coroutine;
  bool ready;
  bool expired;
  unsigned sure; /* what happened, where the loop is sure of it; else 0 */
  howdah_near near;
} wait_state;

static void on_soon(void *data) {
  howdah_near_fetch(&((wait_state *)data)->near);
}

static void on_ready(howdah_watch *watch, unsigned events) {
  wait_state *state = watch->data;
  /* The first one wakes the coroutine, which takes the others back before it goes on. */
  state->ready = true;
  state->sure = watch->sure ? events : 0;
  howdah_coroutine_wake(state->coroutine);
}

static void on_time(howdah_timer *timer) {
  wait_state *state = timer->data;
  state->expired = true;
  howdah_coroutine_wake(state->coroutine);
}

/* A wait for some time begins before its timer does (*since_us; else 0: now): counted from later on, when the machine stood
 * still in between, it would be told as shorter than what was asked for. */
static void park(howdah_coroutine *self, howdah_wait_kind kind, uint64_t *since_us) {
  self->parks_for = kind;
  self->parked_us = *since_us ? *since_us : howdah_loop_now_us();
  *since_us = 0;
  howdah_coroutine_park();
  self->parked_us = 0;
  howdah_near_fetch_ahead(self);
}

/* A library that tries again for ever gets pauses, so that it does not hold the worker. */
static int refuse(howdah_coroutine *self) {
  enum { REFUSALS = 5000, PAUSE_US = 10000 };
  if (++self->refused > REFUSALS) {
    wait_state state = {.coroutine = self};
    howdah_timer timer = {.fire = on_time, .data = &state};
    uint64_t since_us = howdah_loop_now_us();
    if (howdah_loop_timer_start(howdah_coroutine_loop(), &timer, PAUSE_US) == 0)
      while (!state.expired)
        park(self, HOWDAH_WAIT_SLEEP, &since_us);
  }
  errno = ECANCELED;
  return -1;
}

static unsigned events_of(short poll_events) {
  return (poll_events & (POLLIN | POLLRDNORM) ? HOWDAH_READABLE : 0) |
         (poll_events & (POLLOUT | POLLWRNORM) ? HOWDAH_WRITABLE : 0) | (poll_events & POLLPRI ? HOWDAH_PRIORITY : 0) |
         (poll_events & POLLRDHUP ? HOWDAH_HALF_CLOSED : 0) | (poll_events & POLLRDBAND ? HOWDAH_READ_BAND : 0) |
         (poll_events & POLLWRBAND ? HOWDAH_WRITE_BAND : 0);
}

/* The usual waits alone: for one thing, of one descriptor. Errors are told by poll(2), which tells of them unasked. */
static short answer_of(const struct pollfd *fds, nfds_t count, unsigned sure) {
  int wanted = fds->events & ~(POLLERR | POLLHUP);
  if (count != 1) return 0;
  if (wanted == POLLIN && sure == HOWDAH_READABLE) return POLLIN;
  return wanted == POLLOUT && sure == HOWDAH_WRITABLE ? POLLOUT : 0;
}

/* What was asked will not be read any more, so the connection is of no use; and a library that does not believe poll()'s error,
 * or asks again in a loop (OpenSSL's streams, ext/pgsql at the end of a connection), reads its end. Pipes and listening sockets
 * are left as they are. */
static void hang_up(const struct pollfd *fds, nfds_t count) {
  for (nfds_t i = 0; i < count; i++) {
    int listens = 0;
    socklen_t size = sizeof(listens);
    if (fds[i].fd >= 0 && getsockopt(fds[i].fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) == 0 && !listens)
      shutdown(fds[i].fd, SHUT_RDWR);
  }
}

int howdah_wait_ready(const struct pollfd *fds, nfds_t count, int64_t timeout_us, short *found) {
  howdah_coroutine *self = howdah_coroutine_current();
  howdah_loop *loop = howdah_coroutine_loop();
  howdah_watch on_stack[ON_STACK_MAX];
  howdah_watch *watches = on_stack;
  wait_state state = {.coroutine = self, .near = howdah_near_of(self)};
  howdah_timer timer = {.fire = on_time, .soon = on_soon, .data = &state};
  int result = 1, error = 0;

  *found = 0;
  if (!howdah_coroutine_may_wait()) return refuse(self);
  if (count > ON_STACK_MAX && !(watches = malloc(count * sizeof(*watches)))) {
    errno = ENOMEM;
    return -1;
  }
  nfds_t started = 0;
  for (; started < count; started++) {
    watches[started] = (howdah_watch){.ready = on_ready, .soon = on_soon, .data = &state};
    if (fds[started].fd < 0) continue;
    if (howdah_loop_watch(loop, &watches[started], fds[started].fd, events_of(fds[started].events)) < 0) {
      if (errno == EPERM) continue; /* a disk file: what poll(2) says of it never changes */
      error = errno;
      goto stop;
    }
  }
  uint64_t since_us = timeout_us >= 0 ? howdah_loop_now_us() : 0;
  if (timeout_us >= 0 && howdah_loop_timer_start(loop, &timer, (uint64_t)timeout_us) < 0) {
    error = ENOMEM;
    goto stop;
  }
  const howdah_subject subject = {.fds = fds, .count = count};
  self->subject = &subject;
  while (!state.ready && !state.expired && !self->cancelled)
    park(self, HOWDAH_WAIT_DESCRIPTOR, &since_us);
  self->subject = NULL;
  howdah_loop_timer_stop(loop, &timer);
  if (self->cancelled) {
    error = ECANCELED;
    hang_up(fds, count);
  } else if (!state.ready) {
    result = 0;
  } else {
    *found = answer_of(fds, count, state.sure);
  }

stop:
  while (started-- > 0)
    if (fds[started].fd >= 0) howdah_loop_unwatch(loop, &watches[started]);
  if (watches != on_stack) free(watches);
  if (error) {
    errno = error;
    return -1;
  }
  return result;
}

int howdah_wait_sleep(howdah_wait_kind kind, uint64_t duration_us, uint64_t *left_us) {
  howdah_coroutine *self = howdah_coroutine_current();
  wait_state state = {.coroutine = self, .near = howdah_near_of(self)};
  howdah_timer timer = {.fire = on_time, .soon = on_soon, .data = &state};
  uint64_t since_us = howdah_loop_now_us(), until_us = since_us + duration_us;
  if (howdah_coroutine_may_wait()) {
    if (howdah_loop_timer_start(howdah_coroutine_loop(), &timer, duration_us) < 0) {
      errno = ENOMEM;
      return -1;
    }
    while (!state.expired && !self->cancelled)
      park(self, kind, &since_us);
    howdah_loop_timer_stop(howdah_coroutine_loop(), &timer);
    if (state.expired) return 0;
  } else {
    refuse(self);
  }
  uint64_t now_us = howdah_loop_now_us();
  if (left_us) *left_us = until_us > now_us ? until_us - now_us : 0;
  howdah_coroutine_unwind();
  errno = ECANCELED;
  return -1;
}

int howdah_wait_wake(howdah_wait_kind kind) {
  howdah_coroutine *self = howdah_coroutine_current();
  if (!howdah_coroutine_may_wait()) return refuse(self);
  park(self, kind, &(uint64_t){0});
  return self->cancelled ? -1 : 0;
}
