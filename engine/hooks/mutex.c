/* What threads wait for: mutexes, read-write locks, semaphores, the end of a thread. Kind: timer: tried again and again.
 *
 * Libraries start threads (curl's resolver, librdkafka, gRPC), and a lock may also be held by a realm of this very thread that
 * is parked in a callback: waiting inside libc would be for ever. None of these calls may fail because a request is cancelled:
 * the library would go on without its lock. So they wait on.
 *
 * A recursive lock is its thread's: realms of one worker do not keep each other out with it, as nothing in PHP's libraries parks
 * while it holds one. A lock that is free costs what trying it costs. */
#include "hooked.h"
#include "mutex.h"

#include "../coroutine/coroutine.h"
#include "caller.h"
#include "pause.h"

#include <errno.h>
#include <threads.h>

static const howdah_patience endless = {.until_us = UINT64_MAX, .steadfast = true, .kind = HOWDAH_WAIT_LOCK};

/* Another thread lets a lock go within microseconds: the first wait is one turn of the loop. */
static void pause_for_lock(howdah_patience *patience) {
  if (patience->next_us == 0) {
    patience->next_us = 1;
    howdah_coroutine_yield();
    return;
  }
  if (patience->next_us == 1) patience->next_us = 0;
  howdah_pause(patience);
}

/* The original refuses what its thread holds already, and says so at once. */
bool howdah_mutex_is_checked(const pthread_mutex_t *mutex) {
  return (mutex->__data.__kind & 3) == PTHREAD_MUTEX_ERRORCHECK_NP;
}

int howdah_hook_mutex_lock(pthread_mutex_t *mutex) {
  int error = pthread_mutex_trylock(mutex);
  if (error != EBUSY) return error;
  if (howdah_mutex_is_checked(mutex) || !howdah_hooks_may_park()) return howdah_real_mutex_lock(mutex);
  howdah_patience patience = endless;
  do {
    pause_for_lock(&patience);
  } while ((error = pthread_mutex_trylock(mutex)) == EBUSY);
  return error;
}

int howdah_hook_rwlock_rdlock(pthread_rwlock_t *lock) {
  int error = pthread_rwlock_tryrdlock(lock);
  if (error != EBUSY) return error;
  if (!howdah_hooks_may_park()) return howdah_real_rwlock_rdlock(lock);
  howdah_patience patience = endless;
  do {
    pause_for_lock(&patience);
  } while ((error = pthread_rwlock_tryrdlock(lock)) == EBUSY);
  return error;
}

int howdah_hook_rwlock_wrlock(pthread_rwlock_t *lock) {
  int error = pthread_rwlock_trywrlock(lock);
  if (error != EBUSY) return error;
  if (!howdah_hooks_may_park()) return howdah_real_rwlock_wrlock(lock);
  howdah_patience patience = endless;
  do {
    pause_for_lock(&patience);
  } while ((error = pthread_rwlock_trywrlock(lock)) == EBUSY);
  return error;
}

int howdah_hook_join(pthread_t thread, void **result) {
  if (!howdah_hooks_may_park() || pthread_equal(thread, pthread_self())) return howdah_real_join(thread, result);
  howdah_patience patience = {.until_us = UINT64_MAX, .steadfast = true, .kind = HOWDAH_WAIT_THREAD};
  int error;
  while ((error = pthread_tryjoin_np(thread, result)) == EBUSY)
    howdah_pause(&patience);
  return error;
}

/* C11's are the same objects in glibc (nptl/, 2.36). */
int howdah_hook_mtx_lock(mtx_t *mutex) {
  int error = howdah_hook_mutex_lock((pthread_mutex_t *)mutex);
  return error == 0 ? thrd_success : thrd_error;
}

int howdah_hook_thrd_join(thrd_t thread, int *result) {
  void *value;
  if (howdah_hook_join(thread, &value) != 0) return thrd_error;
  if (result) *result = (int)(intptr_t)value;
  return thrd_success;
}

int howdah_hook_sem_wait(sem_t *semaphore) {
  if (!howdah_hooks_may_park()) return howdah_real_sem_wait(semaphore);
  howdah_patience patience = endless;
  int result;
  while ((result = sem_trywait(semaphore)) < 0 && errno == EAGAIN)
    howdah_pause(&patience);
  return result;
}

/* These have a way to say that nothing came: a cancelled request's time is over. */
static int wait_until(sem_t *semaphore, clockid_t clock, const struct timespec *moment) {
  howdah_patience patience = {.until_us = howdah_until_moment_us(clock, moment), .kind = HOWDAH_WAIT_LOCK};
  for (;;) {
    if (sem_trywait(semaphore) == 0) return 0;
    if (errno != EAGAIN) return -1;
    if (howdah_pause(&patience) == 0) continue;
    errno = ETIMEDOUT;
    return -1;
  }
}

int howdah_hook_sem_timedwait(sem_t *semaphore, const struct timespec *moment) {
  if (!howdah_is_moment(moment) || !howdah_hooks_may_park()) return howdah_real_sem_timedwait(semaphore, moment);
  return wait_until(semaphore, CLOCK_REALTIME, moment);
}

int howdah_hook_sem_clockwait(sem_t *semaphore, clockid_t clock, const struct timespec *moment) {
  if (!howdah_is_moment(moment) || (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC) || !howdah_hooks_may_park())
    return howdah_real_sem_clockwait(semaphore, clock, moment);
  return wait_until(semaphore, clock, moment);
}
