/* A boot whose C code waits for a network drive that is dead, or computes without end, holds its worker: all its requests wait, and no
 * timer of the loop's ends it. It cannot be unwound. So the process ends, as by a crash: the log says where PHP was, nginx starts
 * another worker, and that one boots the script after a pause (nginx/relapse.c).
 *
 * While boots are under way, two timers of the kernel's run. The first sends SIGABRT to the loop's thread, whose handler makes
 * the report (sapi/crash.c). What waits in the kernel for NFS takes no signal but one that kills: the second sends SIGKILL.
 *
 * Where the loop turns, every boot is over before: told to end at its limit, and given up some seconds later (cancel.c). */
#include "overdue.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

/* After the limit. A boot is given up after 5 s, and a trial is killed after 10 (nginx/trial.c). */
enum { REPORT_US = 6000000, KILL_US = 9000000 };

static struct {
  timer_t report, kill;
  unsigned boots;
} overdue;

int howdah_overdue_start(void) {
  /* glibc has no name for this member of the union (sigevent(7)). */
  struct sigevent report = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGABRT, ._sigev_un = {._tid = gettid()}};
  struct sigevent kill = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL};
  overdue.boots = 0;
  if (timer_create(CLOCK_MONOTONIC, &report, &overdue.report) < 0) return -1;
  return timer_create(CLOCK_MONOTONIC, &kill, &overdue.kill);
}

/* It cannot fail: the timers exist, and times are good. 0: never. */
static void set(timer_t timer, uint64_t us) {
  struct itimerspec when = {.it_value = {.tv_sec = (time_t)(us / 1000000), .tv_nsec = (long)(us % 1000000) * 1000}};
  timer_settime(timer, 0, &when, NULL);
}

/* The last one that has begun is the last one that may take long. */
void howdah_overdue_begin(uint64_t limit_us) {
  if (!limit_us) return;
  overdue.boots++;
  set(overdue.report, limit_us + REPORT_US);
  set(overdue.kill, limit_us + KILL_US);
}

void howdah_overdue_end(uint64_t limit_us) {
  if (!limit_us || --overdue.boots > 0) return;
  set(overdue.report, 0);
  set(overdue.kill, 0);
}
