/* Watches: which descriptor is waited for, by whom, and who is told.
 *
 * Each descriptor is in the epoll set with EPOLLONESHOT, for the union of what its watches want. After it fired, the kernel is
 * told again only when a watch is left or comes: a wait costs one epoll_ctl. Stopping a watch costs none: what then fires for
 * nobody is ignored, once. */
#include "driver.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

enum { TURN_EVENTS = 128, FIRST_SLOTS = 64 };

static const struct {
  unsigned ours;
  uint32_t epolls;
} names[] = {{HOWDAH_READABLE, EPOLLIN},          {HOWDAH_WRITABLE, EPOLLOUT},      {HOWDAH_PRIORITY, EPOLLPRI},
             {HOWDAH_ERROR, EPOLLERR | EPOLLHUP}, {HOWDAH_HALF_CLOSED, EPOLLRDHUP}, {HOWDAH_READ_BAND, EPOLLRDBAND},
             {HOWDAH_WRITE_BAND, EPOLLWRBAND}};

static uint32_t to_epoll(unsigned events) {
  uint32_t found = 0;
  for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
    if (events & names[i].ours) found |= names[i].epolls;
  return found;
}

static unsigned from_epoll(uint32_t events) {
  unsigned found = 0;
  for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
    if (events & names[i].epolls) found |= names[i].ours;
  return found;
}

static int reserve_slot(howdah_loop *loop, int fd) {
  size_t wanted = (size_t)fd + 1;
  if (wanted <= loop->slot_count) return 0;
  size_t count = loop->slot_count ? loop->slot_count : FIRST_SLOTS;
  while (count < wanted)
    count *= 2;
  howdah_loop_slot *slots = realloc(loop->slots, count * sizeof *slots);
  if (!slots) return -1;
  memset(slots + loop->slot_count, 0, (count - loop->slot_count) * sizeof *slots);
  loop->slots = slots;
  loop->slot_count = count;
  return 0;
}

/* Makes the kernel fire once for what the watches of fd want. What the table knows is only a guess, a good one: the number may
 * belong to another open file since (ENOENT), or the guess may be late (EEXIST). */
static int arm(howdah_loop *loop, int fd) {
  howdah_loop_slot *slot = &loop->slots[fd];
  slot->serial = ++loop->serial;
  struct epoll_event event = {.events = EPOLLONESHOT, .data.u64 = (uint64_t)slot->serial << 32 | (uint32_t)fd};
  for (const howdah_watch *watch = slot->first; watch; watch = watch->next)
    event.events |= to_epoll(watch->events);

  int operation = slot->known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
  if (epoll_ctl(loop->epoll_fd, operation, fd, &event) < 0) {
    if (errno == ENOENT && operation == EPOLL_CTL_MOD) {
      operation = EPOLL_CTL_ADD;
    } else if (errno == EEXIST && operation == EPOLL_CTL_ADD) {
      operation = EPOLL_CTL_MOD;
    } else {
      return -1;
    }
    if (epoll_ctl(loop->epoll_fd, operation, fd, &event) < 0) return -1;
  }
  slot->known = true;
  return 0;
}

static void append(howdah_watch **first, howdah_watch *watch) {
  watch->next = NULL;
  watch->prev = NULL;
  if (!*first) {
    *first = watch;
    return;
  }
  howdah_watch *last = *first;
  while (last->next)
    last = last->next;
  last->next = watch;
  watch->prev = last;
}

static void take_out(howdah_loop *loop, howdah_watch *watch) {
  if (watch->next) watch->next->prev = watch->prev;
  if (watch->prev) {
    watch->prev->next = watch->next;
  } else if (loop->firing == watch) {
    loop->firing = watch->next;
  } else if (loop->closed == watch) {
    loop->closed = watch->next;
  } else {
    loop->slots[watch->fd].first = watch->next;
  }
  watch->prev = watch->next = NULL;
}

int howdah_loop_watch(howdah_loop *loop, howdah_watch *watch, int fd, unsigned events) {
  howdah_loop_unwatch(loop, watch);
  if (fd < 0) {
    errno = EBADF;
    return -1;
  }
  if (reserve_slot(loop, fd) < 0) return -1;
  watch->fd = fd;
  watch->events = events;
  append(&loop->slots[fd].first, watch);
  if (arm(loop, fd) < 0) {
    take_out(loop, watch);
    return -1;
  }
  watch->active = true;
  return 0;
}

void howdah_loop_unwatch(howdah_loop *loop, howdah_watch *watch) {
  if (!watch->active) return;
  take_out(loop, watch);
  watch->active = false;
}

/* Moves the watches of fd that want one of events to the end of those about to be called; last is that end. */
static howdah_watch *collect(howdah_loop *loop, int fd, unsigned events, bool sure, howdah_watch *last) {
  howdah_watch *next;
  for (howdah_watch *watch = loop->slots[fd].first; watch; watch = next) {
    next = watch->next;
    unsigned happened = events & (watch->events | HOWDAH_ERROR);
    if (!happened) continue;
    take_out(loop, watch);
    watch->events = happened;
    watch->sure = sure && !(happened & HOWDAH_ERROR);
    watch->prev = last;
    if (last) {
      last->next = watch;
    } else {
      loop->firing = watch;
    }
    last = watch;
  }
  return last;
}

static void tell(howdah_loop *loop) {
  while (loop->firing) {
    howdah_watch *watch = loop->firing;
    unsigned events = watch->events;
    howdah_loop_unwatch(loop, watch);
    /* While this one is served, the next one's memory comes nearer. */
    if (loop->firing && loop->firing->soon) loop->firing->soon(loop->firing->data);
    watch->ready(watch, events);
    howdah_loop_has_called(loop);
  }
}

static void tell_closed(howdah_task *task) {
  howdah_loop *loop = task->data;
  while (loop->closed) {
    howdah_watch *watch = loop->closed;
    howdah_loop_unwatch(loop, watch);
    watch->sure = false;
    watch->ready(watch, HOWDAH_ERROR);
  }
}

void howdah_loop_closed(howdah_loop *loop, int fd) {
  if (fd < 0 || (size_t)fd >= loop->slot_count) return;
  loop->slots[fd].known = false;
  while (loop->slots[fd].first) {
    howdah_watch *watch = loop->slots[fd].first;
    take_out(loop, watch);
    append(&loop->closed, watch);
  }
  if (!loop->closed) return;
  loop->closed_task.run = tell_closed;
  loop->closed_task.data = loop;
  howdah_loop_post(loop, &loop->closed_task);
}

int howdah_loop_poll(howdah_loop *loop, int timeout_ms) {
  struct epoll_event events[TURN_EVENTS];
  int count = epoll_wait(loop->epoll_fd, events, TURN_EVENTS, timeout_ms);
  if (count < 0) return errno == EINTR ? 0 : -1;

  howdah_watch *last = NULL;
  for (int i = 0; i < count; i++) {
    int fd = (int)(uint32_t)events[i].data.u64;
    if (fd == loop->wake_fd) {
      howdah_loop_take_thread_tasks(loop);
      continue;
    }
    const howdah_loop_slot *slot = &loop->slots[fd];
    bool alone = slot->first && !slot->first->next;
    last = collect(loop, fd, from_epoll(events[i].events), alone && slot->serial == events[i].data.u64 >> 32, last);
    /* The kernel fired for one watch and forgot the others; when it refuses to be reminded (the descriptor was closed), they
     * are told too, so that they look and see why. */
    if (loop->slots[fd].first && arm(loop, fd) < 0) {
      for (howdah_watch *watch = loop->slots[fd].first; watch; watch = watch->next)
        watch->events |= HOWDAH_ERROR;
      last = collect(loop, fd, HOWDAH_ERROR, false, last);
    }
  }
  tell(loop);
  return 0;
}
