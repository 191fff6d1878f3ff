/* A boot whose C code waits for a network drive that is dead, or computes without end, holds its worker: all its requests wait, and no
 * timer of the loop's ends it. It cannot be unwound. So the process ends, as by a crash: the log says where PHP was, nginx starts
 * another worker, and that one boots the script after a pause (nginx/relapse.c).
 *
 * While a realm runs that boots, two timers of the kernel's do. The first sends SIGABRT to the loop's thread, whose handler makes
 * the report (sapi/crash.c). What waits in the kernel for NFS takes no signal but one that kills: the second sends SIGKILL.
 *
 * A boot that parks is told to end at its limit (cancel.c). So it has these seconds for each run, however late that begins: another
 * realm's C code, or a debugger, may have held the worker meanwhile. */
#include "overdue.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

/* After the limit. A trial is killed after 10 s (nginx/trial.c). */
enum { REPORT_US = 6000000, KILL_US = 9000000 };

static struct { timer_t report, kill; } overdue;

int howdah_overdue_start(void) {
  /* glibc has no name for this member of the union (sigevent(7)). */
  struct sigevent report = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGABRT, ._sigev_un = {._tid = gettid()}};
  struct sigevent kill = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL};
  if (timer_create(CLOCK_MONOTONIC, &report, &overdue.report) < 0) return -1;
  return timer_create(CLOCK_MONOTONIC, &kill, &overdue.kill);
}

/* Fails only in a child of PHP's, which has no timers. 0: never. */
static void set(timer_t timer, uint64_t us) {
  struct itimerspec when = {.it_value = {.tv_sec = (time_t)(us / 1000000), .tv_nsec = (long)(us % 1000000) * 1000}};
  (void)timer_settime(timer, 0, &when, NULL);
}

static void before_run(howdah_coroutine *coroutine) {
  const howdah_realm *realm = (howdah_realm *)coroutine;
  uint64_t now_us = howdah_loop_now_us(), left_us = realm->boot_due_us > now_us ? realm->boot_due_us - now_us : 0;
  set(overdue.report, left_us + REPORT_US);
  set(overdue.kill, left_us + KILL_US);
}

void howdah_overdue_watch(howdah_realm *realm, uint64_t limit_us) {
  if (!limit_us) return;
  realm->boot_due_us = realm->boot_us + limit_us;
  realm->coroutine.before_run = before_run;
}

void howdah_overdue_ran(howdah_realm *realm) {
  set(overdue.report, 0);
  set(overdue.kill, 0);
  if (realm->booted) realm->coroutine.before_run = NULL;
}
