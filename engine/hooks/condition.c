/* Condition variables. Kind: timer, and told.
 *
 * A coroutine cannot sleep inside libc, so it lets the mutex go, parks, takes the mutex again and returns 0: a spurious
 * wake-up, which POSIX allows and every correct caller expects. It goes on when another thread, or another realm, signals the
 * condition (those calls are hooked, too), or after 5 ms for whoever signals in a way that is not seen here.
 *
 * As the locks', these waits do not fail when a request is cancelled; one with a time limit then says that its time is over.
 *
 * Invariants:
 *  1. A waiter is in the list before its mutex is let go: a signal after that is not lost.
 *  2. A waiter lies on the stack of its coroutine and leaves the list, under the lock, before the wait returns. Other threads
 *     touch it under the lock only, and post a task that is nobody's. */
#include "hooked.h"
#include "condition.h"

#include "../coroutine/coroutine.h"
#include "caller.h"
#include "pause.h"

#include <errno.h>
#include <threads.h>

enum { LOOK_AGAIN_US = 5000 };

typedef struct waiter waiter;
struct waiter {
  const void *condition;
  howdah_coroutine *coroutine;
  bool signalled, told;
  waiter *prev, *next;
};

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static waiter *list;
static unsigned waiting; /* read without the lock */
static howdah_loop *loop;

static waiter *take_signalled(void) {
  pthread_mutex_lock(&list_lock);
  waiter *found = list;
  while (found && (!found->signalled || found->told))
    found = found->next;
  if (found) found->told = true;
  pthread_mutex_unlock(&list_lock);
  return found;
}

/* On the main stack: a coroutine that is woken leaves the list at once. */
static void look(howdah_task *task) {
  (void)task;
  waiter *found;
  while ((found = take_signalled()))
    howdah_coroutine_wake(found->coroutine);
}

static howdah_task look_task = {.run = look};

static void tell(const void *condition) {
  if (__atomic_load_n(&waiting, __ATOMIC_ACQUIRE) == 0) return;
  bool any = false;
  pthread_mutex_lock(&list_lock);
  for (waiter *each = list; each; each = each->next)
    if (each->condition == condition) any = each->signalled = true;
  /* Here, because the loop is there as long as somebody waits on it. */
  if (any) howdah_loop_post_from_thread(loop, &look_task);
  pthread_mutex_unlock(&list_lock);
}

static void put_in(waiter *self) {
  pthread_mutex_lock(&list_lock);
  loop = howdah_coroutine_loop();
  self->next = list;
  if (list) list->prev = self;
  list = self;
  __atomic_add_fetch(&waiting, 1, __ATOMIC_RELEASE);
  pthread_mutex_unlock(&list_lock);
}

static void take_out(waiter *self) {
  pthread_mutex_lock(&list_lock);
  if (self->prev)
    self->prev->next = self->next;
  else
    list = self->next;
  if (self->next) self->next->prev = self->prev;
  __atomic_sub_fetch(&waiting, 1, __ATOMIC_RELEASE);
  pthread_mutex_unlock(&list_lock);
}

void howdah_condition_forget(void) {
  waiting = 0;
}

/* 0, ETIMEDOUT when until_us is reached, or what letting the mutex go fails with. */
static int wait_until(const void *condition, pthread_mutex_t *mutex, uint64_t until_us) {
  waiter self = {.condition = condition, .coroutine = howdah_coroutine_current()};
  uint64_t now_us = howdah_loop_now_us();
  if (now_us >= until_us) return ETIMEDOUT;
  put_in(&self);
  int error = pthread_mutex_unlock(mutex);
  if (error == 0) {
    uint64_t left_us = until_us - now_us;
    howdah_pause_until(HOWDAH_WAIT_THREAD, &self.told, left_us < LOOK_AGAIN_US ? left_us : LOOK_AGAIN_US);
  }
  take_out(&self);
  if (error) return error;
  error = howdah_hook_mutex_lock(mutex);
  if (error || until_us == UINT64_MAX) return error;
  return self.signalled || (howdah_loop_now_us() < until_us && !self.coroutine->cancelled) ? 0 : ETIMEDOUT;
}

/* Which clock a condition's time limits are on is known to libc alone: the bit that pthread_condattr_setclock() sets is found
 * by its effect. */
static clockid_t clock_of(const pthread_cond_t *condition) {
  static unsigned monotonic_bit;
  if (!monotonic_bit) {
    pthread_condattr_t attributes;
    pthread_cond_t plain = PTHREAD_COND_INITIALIZER, monotonic;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&monotonic, &attributes);
    monotonic_bit = plain.__data.__wrefs ^ monotonic.__data.__wrefs;
    pthread_cond_destroy(&monotonic);
    pthread_condattr_destroy(&attributes);
  }
  return condition->__data.__wrefs & monotonic_bit ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

int howdah_hook_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) {
  if (!howdah_hooks_may_park()) return howdah_real_cond_wait(condition, mutex);
  return wait_until(condition, mutex, UINT64_MAX);
}

int howdah_hook_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *moment) {
  if (!howdah_is_moment(moment) || !howdah_hooks_may_park()) return howdah_real_cond_timedwait(condition, mutex, moment);
  return wait_until(condition, mutex, howdah_until_moment_us(clock_of(condition), moment));
}

int howdah_hook_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock,
                               const struct timespec *moment) {
  if (!howdah_is_moment(moment) || (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC) || !howdah_hooks_may_park())
    return howdah_real_cond_clockwait(condition, mutex, clock, moment);
  return wait_until(condition, mutex, howdah_until_moment_us(clock, moment));
}

int howdah_hook_cond_signal(pthread_cond_t *condition) {
  tell(condition);
  return howdah_real_cond_signal(condition);
}

int howdah_hook_cond_broadcast(pthread_cond_t *condition) {
  tell(condition);
  return howdah_real_cond_broadcast(condition);
}

/* C11's are the same objects in glibc (nptl/, 2.36). */
static int as_c11(int error) {
  return error == 0 ? thrd_success : error == ETIMEDOUT ? thrd_timedout : thrd_error;
}

int howdah_hook_cnd_wait(cnd_t *condition, mtx_t *mutex) {
  return as_c11(howdah_hook_cond_wait((pthread_cond_t *)condition, (pthread_mutex_t *)mutex));
}

int howdah_hook_cnd_timedwait(cnd_t *condition, mtx_t *mutex, const struct timespec *moment) {
  return as_c11(howdah_hook_cond_timedwait((pthread_cond_t *)condition, (pthread_mutex_t *)mutex, moment));
}

int howdah_hook_cnd_signal(cnd_t *condition) {
  tell(condition);
  return howdah_real_cnd_signal(condition);
}

int howdah_hook_cnd_broadcast(cnd_t *condition) {
  tell(condition);
  return howdah_real_cnd_broadcast(condition);
}
