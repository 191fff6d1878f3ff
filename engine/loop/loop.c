/* The loop's core: birth, death, and a turn. Watches are in watch.c, timers in timer.c, tasks in task.c. */
#include "driver.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

int howdah_loop_init(howdah_loop *loop, const howdah_loop_driver *driver) {
  memset(loop, 0, sizeof *loop);
  loop->driver = driver;
  loop->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
  if (loop->epoll_fd < 0) goto no_epoll;
  loop->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (loop->wake_fd < 0) goto no_eventfd;
  struct epoll_event wake = {.events = EPOLLIN, .data.u64 = (uint32_t)loop->wake_fd};
  if (epoll_ctl(loop->epoll_fd, EPOLL_CTL_ADD, loop->wake_fd, &wake) < 0) goto no_wake;
  int error = pthread_mutex_init(&loop->thread_lock, NULL);
  if (error) {
    errno = error;
    goto no_wake;
  }
  return 0;

no_wake:
  close(loop->wake_fd);
no_eventfd:
  close(loop->epoll_fd);
no_epoll:
  return -1;
}

void howdah_loop_fini(howdah_loop *loop) {
  pthread_mutex_destroy(&loop->thread_lock);
  close(loop->wake_fd);
  close(loop->epoll_fd);
  free(loop->heap);
  free(loop->tickets);
  free(loop->slots);
}

int howdah_loop_turn(howdah_loop *loop, int max_wait_ms) {
  bool is_busy = loop->tasks.first || loop->slices.first;
  if (howdah_loop_poll(loop, is_busy ? 0 : max_wait_ms) < 0) return -1;
  howdah_loop_run_timers(loop);
  howdah_loop_run_tasks(loop);
  howdah_loop_run_slice(loop);
  return 0;
}

uint64_t howdah_loop_now_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now); /* cannot fail: the clock exists and the address is good */
  return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

int howdah_loop_ms_until(uint64_t due_us, int max_ms) {
  uint64_t now_us = howdah_loop_now_us();
  if (due_us <= now_us) return 0;
  uint64_t wait_us = due_us - now_us;
  return wait_us > (uint64_t)max_ms * 1000 ? max_ms : (int)((wait_us + 999) / 1000);
}
