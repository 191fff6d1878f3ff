/* setitimer, alarm and sigaction: max_execution_time and set_time_limit, per realm; and the slices of those who compute. Kind:
 * note.
 *
 * PHP arms one ITIMER_PROF for the process (zend_set_timeout_ex(), Zend/zend_execute_API.c, 8.2), which realms would overwrite
 * for each other, and installs its SIGPROF handler over anybody's. Here PHP's calls only note the limit; one timer for the
 * loop's thread ticks while it uses CPU, and each tick is charged to the coroutine that runs. Nothing is paid at a switch. Not
 * the process's timer: that counts what threads of libraries use, too, and its signal goes to whichever thread runs then, whose
 * poll() fails with EINTR: the threads of librdkafka do not expect that.
 *
 * The other timers (alarm(), ITIMER_REAL, ITIMER_VIRTUAL) are noted, so that a library gets its last value back, and never
 * ring: a signal is the process's, its handler would run in whatever realm is in place, and SIGALRM is nginx's. Their purpose,
 * to end a blocking call, is the request's time limit's here. PHP itself uses none of them (its pcntl functions are withheld). */
#include "hooked.h"

#include "../coroutine/coroutine.h"
#include "deadline.h"
#include "duration.h"
#include "caller.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TICK_MS = 10, TICK_US = 1000 * TICK_MS, HOLDS_TICKS = 10 };

static int64_t (*on_expiry)(void);
static void (*on_slice)(void);
static void (*on_hold)(void);
static unsigned slice_ticks; /* 0: nobody is interrupted */

static void tick(int signal) {
  (void)signal;
  howdah_coroutine *coroutine = howdah_coroutine_current();
  if (!coroutine) return;
  /* No timer of the loop's could tell of it: the loop stands still, too. */
  if (++coroutine->held_ticks % HOLDS_TICKS == 0) on_hold();
  if (coroutine->ending) on_slice();
  /* The first tick may come when it has hardly begun: that is no slice, and to yield costs a short request two turns of the
   * loop. */
  if (slice_ticks && ++coroutine->ticks > slice_ticks) {
    coroutine->ticks = 1;
    coroutine->preempted = true;
    on_slice();
  }
  if (coroutine->cpu_left_us == INT64_MAX) return;
  coroutine->cpu_left_us -= TICK_US;
  if (coroutine->cpu_left_us > 0) return;
  coroutine->cpu_left_us = on_expiry();
}

int howdah_deadline_start(uint64_t slice_ms, int64_t (*expiry)(void), void (*slice)(void), void (*holds)(void)) {
  on_hold = holds;
  on_expiry = expiry;
  on_slice = slice;
  uint64_t ticks = slice_ms / TICK_MS + (slice_ms % TICK_MS != 0);
  slice_ticks = ticks < UINT_MAX ? (unsigned)ticks : UINT_MAX;
  struct sigaction action;
  memset(&action, 0, sizeof(action));
  action.sa_handler = tick;
  /* Not on the stack of who computes: at its end there is no room for the kernel's frame, and what could have been told
   * (sapi/overflow.c) would end the process. */
  action.sa_flags = SA_RESTART | SA_ONSTACK;
  /* glibc has no name for this member of the union (sigevent(7)). */
  struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGPROF, ._sigev_un = {._tid = gettid()}};
  struct timespec each = {.tv_nsec = TICK_US * 1000L};
  struct itimerspec every = {.it_interval = each, .it_value = each};
  timer_t timer;
  if (howdah_real_sigaction(SIGPROF, &action, NULL) < 0) return -1;
  if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer) < 0) return -1;
  return timer_settime(timer, 0, &every, NULL);
}

static bool is_time(const struct timeval *time) {
  return time->tv_sec >= 0 && time->tv_usec >= 0 && time->tv_usec < 1000000;
}

static int64_t us_of(const struct timeval *time) {
  return (int64_t)howdah_us_of_timeval(time);
}

static struct timeval time_of(int64_t us) {
  return (struct timeval){.tv_sec = us / 1000000, .tv_usec = us % 1000000};
}

/* Sets the alarm that never rings, 0: none; what was left of the last one. */
static uint64_t note_alarm(uint64_t us) {
  howdah_coroutine *coroutine = howdah_coroutine_current();
  uint64_t now_us = howdah_loop_now_us(), due_us = coroutine->alarm_us;
  coroutine->alarm_us = us ? now_us + us : 0;
  return due_us > now_us ? due_us - now_us : 0;
}

unsigned howdah_hook_alarm(unsigned seconds) {
  if (!howdah_hooks_may_park()) return howdah_real_alarm(seconds);
  return (unsigned)((note_alarm((uint64_t)seconds * 1000000) + 999999) / 1000000);
}

int howdah_hook_setitimer(__itimer_which_t which, const struct itimerval *value, struct itimerval *old) {
  if ((which != ITIMER_PROF && which != ITIMER_REAL && which != ITIMER_VIRTUAL) || !howdah_hooks_may_park())
    return howdah_real_setitimer(which, value, old);
  howdah_coroutine *coroutine = howdah_coroutine_current();
  if (value && !(is_time(&value->it_value) && is_time(&value->it_interval))) {
    errno = EINVAL;
    return -1;
  }
  if (which != ITIMER_PROF) {
    if (!value) return howdah_real_setitimer(which, value, old);
    uint64_t left_us = note_alarm((uint64_t)us_of(&value->it_value));
    if (old) *old = (struct itimerval){.it_value = time_of((int64_t)left_us)};
    return 0;
  }
  if (old) {
    int64_t left_us = coroutine->cpu_left_us;
    memset(old, 0, sizeof(*old));
    if (left_us != INT64_MAX) old->it_value = time_of(left_us > 0 ? left_us : 1);
  }
  if (!value) return 0;
  int64_t us = us_of(&value->it_value);
  coroutine->cpu_left_us = us > 0 ? us : INT64_MAX;
  return 0;
}

int howdah_hook_sigaction(int signal, const struct sigaction *action, struct sigaction *old) {
  if (signal != SIGPROF || !howdah_hooks_may_park()) return howdah_real_sigaction(signal, action, old);
  if (old) memset(old, 0, sizeof(*old));
  return 0;
}
