/* Locks with a time limit, spin locks, and the end of a thread with a time limit. Kind: timer. As mutex.c, but that these have
 * a way to say that nothing came: a cancelled request's time is over.
 *
 * What the originals refuse whether they have to wait or not, a bad moment or clock, they are asked to refuse. */
#include "hooked.h"
#include "mutex.h"

#include "../coroutine/coroutine.h"
#include "caller.h"
#include "pause.h"

#include <errno.h>
#include <threads.h>

static bool can_wait(clockid_t clock, const struct timespec *moment) {
  return (clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC) && howdah_is_moment(moment) && howdah_hooks_may_park();
}

/* Between two attempts: 0, or ETIMEDOUT. */
static int pause_until(howdah_patience *patience) {
  return howdah_pause(patience) == 0 ? 0 : ETIMEDOUT;
}

int howdah_hook_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *moment) {
  if (!can_wait(clock, moment)) return howdah_real_mutex_clocklock(mutex, clock, moment);
  int error = pthread_mutex_trylock(mutex);
  if (error == EBUSY && howdah_mutex_is_checked(mutex)) return howdah_real_mutex_clocklock(mutex, clock, moment);
  for (howdah_patience patience = {.until_us = howdah_until_moment_us(clock, moment), .kind = HOWDAH_WAIT_LOCK};
       error == EBUSY;)
    if ((error = pause_until(&patience)) == 0) error = pthread_mutex_trylock(mutex);
  return error;
}

int howdah_hook_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *moment) {
  if (!can_wait(CLOCK_REALTIME, moment)) return howdah_real_mutex_timedlock(mutex, moment);
  return howdah_hook_mutex_clocklock(mutex, CLOCK_REALTIME, moment);
}

/* C11's are the same objects in glibc (nptl/, 2.36). */
int howdah_hook_mtx_timedlock(mtx_t *mutex, const struct timespec *moment) {
  int error = howdah_hook_mutex_timedlock((pthread_mutex_t *)mutex, moment);
  return error == 0 ? thrd_success : error == ETIMEDOUT ? thrd_timedout : thrd_error;
}

int howdah_hook_rwlock_clockrdlock(pthread_rwlock_t *lock, clockid_t clock, const struct timespec *moment) {
  if (!can_wait(clock, moment)) return howdah_real_rwlock_clockrdlock(lock, clock, moment);
  int error = pthread_rwlock_tryrdlock(lock);
  for (howdah_patience patience = {.until_us = howdah_until_moment_us(clock, moment), .kind = HOWDAH_WAIT_LOCK};
       error == EBUSY;)
    if ((error = pause_until(&patience)) == 0) error = pthread_rwlock_tryrdlock(lock);
  return error;
}

int howdah_hook_rwlock_clockwrlock(pthread_rwlock_t *lock, clockid_t clock, const struct timespec *moment) {
  if (!can_wait(clock, moment)) return howdah_real_rwlock_clockwrlock(lock, clock, moment);
  int error = pthread_rwlock_trywrlock(lock);
  for (howdah_patience patience = {.until_us = howdah_until_moment_us(clock, moment), .kind = HOWDAH_WAIT_LOCK};
       error == EBUSY;)
    if ((error = pause_until(&patience)) == 0) error = pthread_rwlock_trywrlock(lock);
  return error;
}

int howdah_hook_rwlock_timedrdlock(pthread_rwlock_t *lock, const struct timespec *moment) {
  if (!can_wait(CLOCK_REALTIME, moment)) return howdah_real_rwlock_timedrdlock(lock, moment);
  return howdah_hook_rwlock_clockrdlock(lock, CLOCK_REALTIME, moment);
}

int howdah_hook_rwlock_timedwrlock(pthread_rwlock_t *lock, const struct timespec *moment) {
  if (!can_wait(CLOCK_REALTIME, moment)) return howdah_real_rwlock_timedwrlock(lock, moment);
  return howdah_hook_rwlock_clockwrlock(lock, CLOCK_REALTIME, moment);
}

/* Has no limit, and must not fail. */
int howdah_hook_spin_lock(pthread_spinlock_t *lock) {
  int error = pthread_spin_trylock(lock);
  if (error != EBUSY || !howdah_hooks_may_park()) return error == EBUSY ? howdah_real_spin_lock(lock) : error;
  for (howdah_patience patience = {.until_us = UINT64_MAX, .steadfast = true, .kind = HOWDAH_WAIT_LOCK}; error == EBUSY;) {
    howdah_pause(&patience);
    error = pthread_spin_trylock(lock);
  }
  return error;
}

static int join_until(pthread_t thread, void **result, uint64_t until_us) {
  howdah_patience patience = {.until_us = until_us, .kind = HOWDAH_WAIT_LOCK};
  int error;
  while ((error = pthread_tryjoin_np(thread, result)) == EBUSY && (error = pause_until(&patience)) == 0) {
  }
  return error;
}

/* NULL: no limit, as pthread_join(). */
int howdah_hook_timedjoin(pthread_t thread, void **result, const struct timespec *moment) {
  if (!moment) return howdah_hook_join(thread, result);
  if (!can_wait(CLOCK_REALTIME, moment) || pthread_equal(thread, pthread_self()))
    return howdah_real_timedjoin(thread, result, moment);
  return join_until(thread, result, howdah_until_moment_us(CLOCK_REALTIME, moment));
}

int howdah_hook_clockjoin(pthread_t thread, void **result, clockid_t clock, const struct timespec *moment) {
  if (!moment || !can_wait(clock, moment) || pthread_equal(thread, pthread_self()))
    return howdah_real_clockjoin(thread, result, clock, moment);
  return join_until(thread, result, howdah_until_moment_us(clock, moment));
}
