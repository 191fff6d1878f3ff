/* A time limit for one system call: for those that take no "do not wait", as accept(2), and read(2) on an eventfd or a
 * terminal. Before them poll(2) is asked, but who shares the open file may be quicker: another process, or a thread of a
 * library. Then the call would block the worker until the next connection comes.
 *
 * A timer of the thread's interrupts it with a signal, again and again, because the first signal may come before the call has
 * begun; the caller asks poll(2) again. What would look simpler is wrong for the other processes: O_NONBLOCK and SO_RCVTIMEO
 * belong to the open file, so their own accept() would fail with EAGAIN, and of two that set and restore it one may restore
 * what the other one has set. A thread that accepts cannot be called back when its request is cancelled: it would take a
 * connection for nobody.
 *
 * The signal is SIGURG: what does not expect it ignores it by default. */
#include "watchdog.h"

#include "hooked.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Long beside a call that does not block (some microseconds), short beside what a client notices. */
enum { LIMIT_NS = 200000 };

static timer_t timer;
static volatile sig_atomic_t signals;
static sigset_t before; /* the thread's mask at the beginning */

static void count(int signal) {
  (void)signal;
  signals = 1;
}

int howdah_watchdog_start(void) {
  struct sigaction action;
  memset(&action, 0, sizeof(action));
  action.sa_handler = count;
  action.sa_flags = SA_ONSTACK; /* and no SA_RESTART: the call has to end */
  /* glibc has no name for this member of the union (sigevent(7)). */
  struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGURG, ._sigev_un = {._tid = gettid()}};
  if (howdah_real_sigaction(SIGURG, &action, NULL) < 0) return -1;
  return timer_create(CLOCK_MONOTONIC, &event, &timer);
}

/* These calls cannot fail: the timer exists, times and masks are good. */
static void set_limit(long ns) {
  struct timespec each = {.tv_nsec = ns};
  timer_settime(timer, 0, &(struct itimerspec){.it_interval = each, .it_value = each}, NULL);
}

/* A realm may have blocked the signal. */
void howdah_watchdog_begin(void) {
  sigset_t urgent;
  sigemptyset(&urgent);
  sigaddset(&urgent, SIGURG);
  howdah_real_pthread_sigmask(SIG_UNBLOCK, &urgent, &before);
  signals = 0;
  set_limit(LIMIT_NS);
}

bool howdah_watchdog_end(void) {
  int error = errno;
  set_limit(0);
  if (sigismember(&before, SIGURG)) howdah_real_pthread_sigmask(SIG_SETMASK, &before, NULL);
  errno = error;
  return signals;
}
