/* The epoll driver: the process sleeps in the loop's own epoll descriptor. For the stand-alone runner and for tests. */
#include "driver.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

/* Nothing to prepare: each turn looks at the earliest timer and at the queue before it sleeps. */
static void ignore(howdah_loop *loop) {
  (void)loop;
}

static const howdah_loop_driver epoll_driver = {.timer_changed = ignore, .hurry = ignore};

howdah_loop *howdah_epoll_loop_new(void) {
  howdah_loop *loop = malloc(sizeof *loop);
  if (!loop) return NULL;
  if (howdah_loop_init(loop, &epoll_driver) < 0) {
    int error = errno;
    free(loop);
    errno = error;
    return NULL;
  }
  return loop;
}

void howdah_epoll_loop_free(howdah_loop *loop) {
  if (!loop) return;
  howdah_loop_fini(loop);
  free(loop);
}

int howdah_epoll_loop_turn(howdah_loop *loop, int max_wait_ms) {
  int wait_ms = max_wait_ms;
  uint64_t due_us = howdah_loop_next_due_us(loop);
  if (due_us != UINT64_MAX) wait_ms = howdah_loop_ms_until(due_us, max_wait_ms < 0 ? INT_MAX : max_wait_ms);
  return howdah_loop_turn(loop, wait_ms);
}
