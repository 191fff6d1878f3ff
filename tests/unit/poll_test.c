/* What the kernel is asked while a coroutine waits (engine/hooks/poll.c): the loop, the coroutine and poll(2) are the test's.
 * Each question is a system call, and an application that makes ten queries waits thirty times. */
#include "hooks/hooked.h"
#include "hooks/caller.h"
#include "hooks/pause.h"
#include "coroutine/wait.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { SOCKET = 7 };

static uint64_t now_us;

/* What the loop answers to a wait, and how often it is waited. */
static struct {
  int result, error;
  short found;
  uint64_t takes_us;
  unsigned times;
} loop;

/* The same of poll(2): one answer for each question, the last one for all that follow. */
static struct {
  short ready[4];
  unsigned times;
} kernel;

uint64_t howdah_loop_now_us(void) {
  return now_us;
}

bool howdah_hooks_may_park(void) {
  return true;
}

int howdah_pause(howdah_patience *patience) {
  (void)patience;
  return 0;
}

int howdah_wait_ready(const struct pollfd *fds, nfds_t count, int64_t timeout_us, short *found) {
  (void)fds;
  (void)count;
  (void)timeout_us;
  loop.times++;
  now_us += loop.takes_us;
  *found = loop.found;
  errno = loop.error;
  return loop.result;
}

static int ask_kernel(struct pollfd *fds, nfds_t count, int timeout_ms) {
  assert_int_equal(timeout_ms, 0);
  unsigned last = sizeof(kernel.ready) / sizeof(*kernel.ready) - 1;
  short ready = kernel.ready[kernel.times < last ? kernel.times : last];
  kernel.times++;
  for (nfds_t i = 0; i < count; i++)
    fds[i].revents = i == 0 ? ready : 0;
  return ready != 0;
}

static int begin(void **state) {
  (void)state;
  memset(&loop, 0, sizeof(loop));
  memset(&kernel, 0, sizeof(kernel));
  loop.result = 1;
  howdah_real_poll = ask_kernel;
  return 0;
}

static struct pollfd wanted(short events) {
  return (struct pollfd){.fd = SOCKET, .events = events, .revents = -1};
}

static void test_what_the_loop_is_sure_of_is_not_asked_again(void **state) {
  (void)state;
  const short usual[][2] = {{POLLIN, POLLIN}, {POLLIN | POLLERR | POLLHUP, POLLIN}, {POLLOUT, POLLOUT}};
  for (size_t i = 0; i < sizeof(usual) / sizeof(*usual); i++) {
    begin(NULL);
    loop.found = usual[i][1];
    struct pollfd one = wanted(usual[i][0]);
    assert_int_equal(howdah_hook_poll(&one, 1, -1), 1);
    assert_int_equal(one.revents, usual[i][1]);
    assert_int_equal(loop.times, 1);
    assert_int_equal(kernel.times, 1);
  }
}

static void test_what_the_loop_is_not_sure_of_is_asked_again(void **state) {
  (void)state;
  kernel.ready[2] = POLLIN | POLLHUP; /* the first wake-up was for nothing */
  struct pollfd one = wanted(POLLIN);
  assert_int_equal(howdah_hook_poll(&one, 1, -1), 1);
  assert_int_equal(one.revents, POLLIN | POLLHUP);
  assert_int_equal(loop.times, 2);
  assert_int_equal(kernel.times, 3);
}

static int select_none(int count, fd_set *reads, fd_set *writes, fd_set *excepts, struct timeval *timeout) {
  (void)writes;
  (void)excepts;
  assert_int_equal(count, SOCKET + 1);
  assert_true(FD_ISSET(SOCKET, reads));
  assert_int_equal(timeout->tv_sec + timeout->tv_usec, 0);
  return 1;
}

/* Its answer says that the time is over where poll(2)'s says that it is ready. */
static void test_select_asks_again_whatever_the_loop_is_sure_of(void **state) {
  (void)state;
  fd_set reads;
  FD_ZERO(&reads);
  FD_SET(SOCKET, &reads);
  howdah_real_select = select_none;
  loop.found = POLLIN;
  kernel.ready[2] = POLLIN; /* another process was quicker once */
  assert_int_equal(howdah_hook_select(SOCKET + 1, &reads, NULL, NULL, NULL), 1);
  assert_int_equal(loop.times, 2);
  assert_int_equal(kernel.times, 3);
}

static void test_what_is_ready_is_told_without_a_wait(void **state) {
  (void)state;
  kernel.ready[0] = kernel.ready[1] = POLLIN;
  struct pollfd both[2] = {wanted(POLLIN), wanted(POLLIN)}, one = wanted(POLLIN);
  assert_int_equal(howdah_hook_poll(both, 2, -1), 1);
  assert_int_equal(howdah_hook_poll(&one, 1, 0), 1);
  assert_int_equal(kernel.times, 2);
  assert_int_equal(loop.times, 0);
}

static void test_time_that_is_over_is_told_after_a_last_look(void **state) {
  (void)state;
  loop.result = 0;
  loop.takes_us = 1000;
  struct pollfd one = wanted(POLLIN);
  assert_int_equal(howdah_hook_poll(&one, 1, 1), 0);
  assert_int_equal(one.revents, 0);
  assert_int_equal(kernel.times, 2);
}

static void test_a_wait_that_is_cancelled_fails(void **state) {
  (void)state;
  loop.result = -1;
  loop.error = ECANCELED;
  struct pollfd one = wanted(POLLIN);
  assert_int_equal(howdah_hook_poll(&one, 1, -1), -1);
  assert_int_equal(errno, ECANCELED);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(test_what_the_loop_is_sure_of_is_not_asked_again, begin),
      cmocka_unit_test_setup(test_what_the_loop_is_not_sure_of_is_asked_again, begin),
      cmocka_unit_test_setup(test_select_asks_again_whatever_the_loop_is_sure_of, begin),
      cmocka_unit_test_setup(test_what_is_ready_is_told_without_a_wait, begin),
      cmocka_unit_test_setup(test_time_that_is_over_is_told_after_a_last_look, begin),
      cmocka_unit_test_setup(test_a_wait_that_is_cancelled_fails, begin),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
