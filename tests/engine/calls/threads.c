/* Mutexes, conditions, semaphores, threads. */
#include "calls.h"

#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static struct timespec in_ms(clockid_t clock, int ms) {
  struct timespec at;
  clock_gettime(clock, &at);
  at.tv_nsec += ms * 1000000L;
  at.tv_sec += at.tv_nsec / 1000000000;
  at.tv_nsec %= 1000000000;
  return at;
}

typedef struct {
  pthread_mutex_t mutex;
  pthread_cond_t condition;
  bool ready;
} gate;

static void open_gate(void *data) {
  gate *self = data;
  pthread_mutex_lock(&self->mutex);
  self->ready = true;
  pthread_cond_signal(&self->condition);
  pthread_mutex_unlock(&self->mutex);
}

static const char *cond_wait(void) {
  gate it = {.mutex = PTHREAD_MUTEX_INITIALIZER, .condition = PTHREAD_COND_INITIALIZER};
  int64_t start = now_ms();
  later(100, open_gate, &it);
  pthread_mutex_lock(&it.mutex);
  while (!it.ready)
    CHECK(pthread_cond_wait(&it.condition, &it.mutex) == 0);
  CHECK(pthread_mutex_trylock(&it.mutex) == EBUSY);
  pthread_mutex_unlock(&it.mutex);
  CHECK(took_ms(start, 100));
  return NULL;
}

static const char *timed(clockid_t clock) {
  gate it = {.mutex = PTHREAD_MUTEX_INITIALIZER};
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, clock);
  pthread_cond_init(&it.condition, &attributes);
  pthread_mutex_lock(&it.mutex);
  int64_t start = now_ms();
  struct timespec until = in_ms(clock, 50), bad = {0, -1}, past = {0, 0};
  int error;
  while ((error = pthread_cond_timedwait(&it.condition, &it.mutex, &until)) == 0) {
  }
  CHECK(error == ETIMEDOUT && took_ms(start, 50));
  CHECK(pthread_mutex_trylock(&it.mutex) == EBUSY);
  CHECK(pthread_cond_timedwait(&it.condition, &it.mutex, &bad) == EINVAL);
  CHECK(pthread_cond_timedwait(&it.condition, &it.mutex, &past) == ETIMEDOUT);
  until = in_ms(CLOCK_MONOTONIC, 50);
  while ((error = pthread_cond_clockwait(&it.condition, &it.mutex, CLOCK_MONOTONIC, &until)) == 0) {
  }
  CHECK(error == ETIMEDOUT && took_ms(start, 100));
  later(0, open_gate, &it);
  until = in_ms(clock, 5000);
  while (!it.ready)
    CHECK(pthread_cond_timedwait(&it.condition, &it.mutex, &until) == 0);
  pthread_mutex_unlock(&it.mutex);
  return NULL;
}

static const char *cond_timedwait(void) {
  return timed(CLOCK_REALTIME);
}

static const char *cond_timedwait_monotonic(void) {
  return timed(CLOCK_MONOTONIC);
}

/* Two threads that answer each other a hundred times: the signal is what wakes, not the time. */
typedef struct {
  pthread_mutex_t mutex;
  pthread_cond_t condition;
  int turns;
} table_tennis;

static void *answer(void *data) {
  table_tennis *self = data;
  pthread_mutex_lock(&self->mutex);
  while (self->turns < 199) {
    while (self->turns % 2 == 0)
      pthread_cond_wait(&self->condition, &self->mutex);
    self->turns++;
    pthread_cond_broadcast(&self->condition);
  }
  pthread_mutex_unlock(&self->mutex);
  return NULL;
}

static const char *play(bool *quick) {
  pthread_t thread;
  table_tennis it = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0};
  int64_t start = now_ms();
  CHECK(pthread_create(&thread, NULL, answer, &it) == 0);
  pthread_mutex_lock(&it.mutex);
  while (it.turns < 199) {
    it.turns++;
    pthread_cond_broadcast(&it.condition);
    while (it.turns % 2 == 1)
      CHECK(pthread_cond_wait(&it.condition, &it.mutex) == 0);
  }
  pthread_mutex_unlock(&it.mutex);
  CHECK(pthread_join(thread, NULL) == 0);
  *quick = took_less_ms(start, 400);
  return NULL;
}

/* By time alone it would be 100 times 5 ms; a busy machine gets several tries. */
static const char *cond_ping(void) {
  bool quick = false;
  for (int tries = 0; tries < 10 && !quick; tries++) {
    const char *wrong = play(&quick);
    if (wrong) return wrong;
  }
  CHECK(quick || too_late());
  return NULL;
}

static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;

static void *hold(void *data) {
  pthread_mutex_lock(&held);
  sem_post(data);
  nap_ms(100);
  pthread_mutex_unlock(&held);
  return data;
}

/* One after another: the mutex is the library's own. */
static const char *mutex_lock(void) {
  sem_t has_it;
  pthread_t thread;
  void *result = NULL;
  sem_init(&has_it, 0, 0);
  CHECK(pthread_create(&thread, NULL, hold, &has_it) == 0);
  CHECK(sem_wait(&has_it) == 0);
  CHECK(pthread_mutex_lock(&held) == 0);
  CHECK(pthread_mutex_unlock(&held) == 0);
  CHECK(pthread_join(thread, &result) == 0 && result == &has_it);
  return NULL;
}

/* Whoever has it sleeps where another realm runs. */
static const char *mutex_over_wait(void) {
  static int inside;
  CHECK(pthread_mutex_lock(&held) == 0);
  CHECK(inside++ == 0);
  usleep(5000);
  CHECK(inside-- == 1);
  CHECK(pthread_mutex_unlock(&held) == 0);
  return NULL;
}

static const char *mutex_kinds(void) {
  pthread_mutexattr_t kind;
  pthread_mutex_t mutex;
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_init(&mutex, &kind);
  CHECK(pthread_mutex_lock(&mutex) == 0 && pthread_mutex_lock(&mutex) == EDEADLK && pthread_mutex_unlock(&mutex) == 0);
  CHECK(pthread_mutex_unlock(&mutex) == EPERM);
  pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&mutex, &kind);
  CHECK(pthread_mutex_lock(&mutex) == 0 && pthread_mutex_lock(&mutex) == 0);
  CHECK(pthread_mutex_unlock(&mutex) == 0 && pthread_mutex_unlock(&mutex) == 0 && pthread_mutex_unlock(&mutex) == EPERM);
  return NULL;
}

static const char *rwlock(void) {
  static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
  static int readers, writers;
  CHECK(pthread_rwlock_rdlock(&lock) == 0);
  readers++;
  CHECK(writers == 0);
  usleep(2000);
  readers--;
  CHECK(pthread_rwlock_unlock(&lock) == 0);
  CHECK(pthread_rwlock_wrlock(&lock) == 0);
  CHECK(readers == 0 && writers++ == 0);
  usleep(2000);
  writers--;
  CHECK(pthread_rwlock_unlock(&lock) == 0);
  return NULL;
}

static void *sleeper(void *data) {
  nap_ms(100);
  return data;
}

static const char *join(void) {
  pthread_t thread;
  void *result = NULL;
  int64_t start = now_ms();
  CHECK(pthread_create(&thread, NULL, sleeper, &start) == 0);
  CHECK(pthread_join(thread, &result) == 0 && result == &start && took_ms(start, 100));
  CHECK(pthread_join(pthread_self(), NULL) == EDEADLK);
  return NULL;
}

static void post(void *data) {
  sem_post(data);
}

static const char *semaphore(void) {
  sem_t it;
  struct timespec until = in_ms(CLOCK_REALTIME, 50), bad = {0, 1000000000};
  int64_t start = now_ms();
  sem_init(&it, 0, 0);
  CHECK(sem_timedwait(&it, &until) == -1 && errno == ETIMEDOUT && took_ms(start, 50));
  CHECK(sem_timedwait(&it, &bad) == -1 && errno == EINVAL);
  until = in_ms(CLOCK_MONOTONIC, 20);
  CHECK(sem_clockwait(&it, CLOCK_MONOTONIC, &until) == -1 && errno == ETIMEDOUT && took_ms(start, 70));
  later(30, post, &it);
  CHECK(sem_wait(&it) == 0 && took_ms(start, 100));
  later(10, post, &it);
  until = in_ms(CLOCK_REALTIME, 5000);
  CHECK(sem_timedwait(&it, &until) == 0 && sem_trywait(&it) == -1 && errno == EAGAIN);
  return NULL;
}

typedef struct {
  mtx_t mutex;
  cnd_t condition;
  bool ready;
} c11_gate;

static int open_c11_gate(void *data) {
  c11_gate *self = data;
  nap_ms(100);
  mtx_lock(&self->mutex);
  self->ready = true;
  cnd_signal(&self->condition);
  mtx_unlock(&self->mutex);
  return 7;
}

static const char *c11(void) {
  c11_gate it = {.ready = false};
  thrd_t thread;
  int result = 0;
  int64_t start = now_ms();
  CHECK(mtx_init(&it.mutex, mtx_plain) == thrd_success && cnd_init(&it.condition) == thrd_success);
  CHECK(thrd_create(&thread, open_c11_gate, &it) == thrd_success);
  CHECK(mtx_lock(&it.mutex) == thrd_success);
  while (!it.ready)
    CHECK(cnd_wait(&it.condition, &it.mutex) == thrd_success);
  CHECK(took_ms(start, 100));
  struct timespec until = in_ms(CLOCK_REALTIME, 20);
  int timed;
  while ((timed = cnd_timedwait(&it.condition, &it.mutex, &until)) == thrd_success) {
  }
  CHECK(timed == thrd_timedout);
  mtx_unlock(&it.mutex);
  CHECK(thrd_join(thread, &result) == thrd_success && result == 7);
  return NULL;
}

/* A library's lock that another thread has for 100 ms. */
typedef struct {
  pthread_mutex_t mutex;
  pthread_rwlock_t lock;
  mtx_t c11;
  sem_t has_them, enough;
} locks;

static void *hold_locks(void *data) {
  locks *self = data;
  pthread_mutex_lock(&self->mutex);
  pthread_rwlock_wrlock(&self->lock);
  mtx_lock(&self->c11);
  sem_post(&self->has_them);
  sem_wait(&self->enough);
  nap_ms(20);
  mtx_unlock(&self->c11);
  pthread_rwlock_unlock(&self->lock);
  pthread_mutex_unlock(&self->mutex);
  return NULL;
}

#define AFTER_MS(clock, ms) (&(struct timespec[]){in_ms(clock, ms)}[0])

static const char *out_of_time(locks *it) {
  int64_t start = now_ms();
  CHECK(pthread_mutex_timedlock(&it->mutex, AFTER_MS(CLOCK_REALTIME, 20)) == ETIMEDOUT && took_ms(start, 20));
  CHECK(pthread_mutex_clocklock(&it->mutex, CLOCK_MONOTONIC, AFTER_MS(CLOCK_MONOTONIC, 20)) == ETIMEDOUT);
  CHECK(took_ms(start, 40));
  CHECK(pthread_rwlock_timedrdlock(&it->lock, AFTER_MS(CLOCK_REALTIME, 20)) == ETIMEDOUT);
  CHECK(pthread_rwlock_timedwrlock(&it->lock, AFTER_MS(CLOCK_REALTIME, 20)) == ETIMEDOUT && took_ms(start, 80));
  CHECK(pthread_rwlock_clockrdlock(&it->lock, CLOCK_MONOTONIC, AFTER_MS(CLOCK_MONOTONIC, 10)) == ETIMEDOUT);
  CHECK(pthread_rwlock_clockwrlock(&it->lock, CLOCK_MONOTONIC, AFTER_MS(CLOCK_MONOTONIC, 10)) == ETIMEDOUT);
  CHECK(mtx_timedlock(&it->c11, AFTER_MS(CLOCK_REALTIME, 10)) == thrd_timedout && took_ms(start, 110));
  struct timespec bad = {0, 1000000000}, past = {0, 0};
  CHECK(pthread_mutex_timedlock(&it->mutex, &bad) == EINVAL && pthread_mutex_timedlock(&it->mutex, &past) == ETIMEDOUT);
  CHECK(pthread_mutex_clocklock(&it->mutex, 12345, &past) == EINVAL);
  CHECK(pthread_rwlock_timedrdlock(&it->lock, &bad) == EINVAL && pthread_rwlock_timedwrlock(&it->lock, &bad) == EINVAL);
  return NULL;
}

static const char *timed_locks(void) {
  locks it = {.mutex = PTHREAD_MUTEX_INITIALIZER, .lock = PTHREAD_RWLOCK_INITIALIZER};
  pthread_t thread;
  sem_init(&it.has_them, 0, 0);
  sem_init(&it.enough, 0, 0);
  CHECK(mtx_init(&it.c11, mtx_timed) == thrd_success && pthread_create(&thread, NULL, hold_locks, &it) == 0);
  CHECK(sem_wait(&it.has_them) == 0);
  const char *wrong = out_of_time(&it);
  int64_t start = now_ms();
  CHECK(sem_post(&it.enough) == 0);
  if (!wrong) {
    CHECK(pthread_mutex_timedlock(&it.mutex, AFTER_MS(CLOCK_REALTIME, 9000)) == 0 && took_ms(start, 20));
    CHECK(pthread_rwlock_timedrdlock(&it.lock, AFTER_MS(CLOCK_REALTIME, 9000)) == 0);
    CHECK(mtx_timedlock(&it.c11, AFTER_MS(CLOCK_REALTIME, 9000)) == thrd_success && mtx_unlock(&it.c11) == thrd_success);
    CHECK(pthread_mutex_trylock(&it.mutex) == EBUSY && pthread_mutex_unlock(&it.mutex) == 0);
    CHECK(pthread_rwlock_trywrlock(&it.lock) == EBUSY && pthread_rwlock_unlock(&it.lock) == 0);
  }
  pthread_join(thread, NULL);
  return wrong;
}

static void *wait_for_word(void *data) {
  sem_wait(data);
  nap_ms(60);
  return data;
}

static const char *timed_join(void) {
  pthread_t thread;
  sem_t word;
  void *result = NULL;
  sem_init(&word, 0, 0);
  int64_t start = now_ms();
  CHECK(pthread_create(&thread, NULL, wait_for_word, &word) == 0);
  CHECK(pthread_timedjoin_np(thread, &result, AFTER_MS(CLOCK_REALTIME, 20)) == ETIMEDOUT && took_ms(start, 20));
  CHECK(pthread_clockjoin_np(thread, &result, CLOCK_MONOTONIC, AFTER_MS(CLOCK_MONOTONIC, 20)) == ETIMEDOUT);
  CHECK(took_ms(start, 40) && !result);
  CHECK(pthread_timedjoin_np(pthread_self(), &result, AFTER_MS(CLOCK_REALTIME, 20)) == EDEADLK);
  CHECK(sem_post(&word) == 0);
  CHECK(pthread_timedjoin_np(thread, &result, AFTER_MS(CLOCK_REALTIME, 9000)) == 0 && result == &word && took_ms(start, 100));
  CHECK(pthread_create(&thread, NULL, wait_for_word, &word) == 0 && sem_post(&word) == 0);
  CHECK(pthread_timedjoin_np(thread, &result, NULL) == 0 && result == &word);
  return NULL;
}

static const char *sleeps(void) {
  int64_t start = now_ms();
  struct timespec time = {0, 50000000}, bad = {0, -1}, at;
  CHECK(thrd_sleep(&time, NULL) == 0 && took_ms(start, 50) && thrd_sleep(&bad, NULL) < -1);
  CHECK(clock_nanosleep(CLOCK_BOOTTIME, 0, &time, NULL) == 0 && took_ms(start, 100));
  at = in_ms(CLOCK_BOOTTIME, 20);
  CHECK(clock_nanosleep(CLOCK_BOOTTIME, TIMER_ABSTIME, &at, NULL) == 0 && took_ms(start, 120));
  CHECK(clock_nanosleep(12345, 0, &time, NULL) == EINVAL);
  return NULL;
}

static int initialised;

static void initialise(void) {
  usleep(30000);
  initialised++;
}

static void initialise_too(void) {
  usleep(30000);
  initialised += 10;
}

static const char *once(void) {
  static pthread_once_t control = PTHREAD_ONCE_INIT;
  static once_flag flag = ONCE_FLAG_INIT;
  CHECK(pthread_once(&control, initialise) == 0 && initialised % 10 == 1);
  call_once(&flag, initialise_too);
  CHECK(initialised == 11 && pthread_once(&control, initialise) == 0 && initialised == 11);
  return NULL;
}

/* What std::call_once() leaves for whoever waits is still there when it goes on. The first realm initialises. */
static const char *once_in_cpp(void) {
  static pthread_once_t control = PTHREAD_ONCE_INIT;
  static int turn;
  int mine = ++turn;
  void *library = dlopen("libstdc++.so.6", RTLD_LAZY);
  CHECK(library);
  void **call = dlsym(library, "_ZSt11__once_call"), **callable = dlsym(library, "_ZSt15__once_callable");
  CHECK(call && callable);
  *call = *callable = &mine;
  CHECK(pthread_once(&control, initialise) == 0 && initialised == 1);
  CHECK(mine == 1 || (*call == &mine && *callable == &mine));
  *call = *callable = NULL;
  return NULL;
}

/* Whoever has it sleeps where another realm runs. */
static const char *spin(void) {
  static pthread_spinlock_t lock;
  static int made, inside;
  if (made++ == 0) pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
  CHECK(pthread_spin_lock(&lock) == 0 && inside++ == 0);
  usleep(5000);
  CHECK(inside-- == 1 && pthread_spin_unlock(&lock) == 0);
  return NULL;
}

const named_call thread_calls[] = {
    {"cond_wait", cond_wait},
    {"cond_timedwait", cond_timedwait},
    {"cond_timedwait_monotonic", cond_timedwait_monotonic},
    {"cond_ping", cond_ping},
    {"mutex_lock", mutex_lock},
    {"mutex_over_wait", mutex_over_wait},
    {"mutex_kinds", mutex_kinds},
    {"rwlock", rwlock},
    {"join", join},
    {"timed_locks", timed_locks},
    {"timed_join", timed_join},
    {"sleeps", sleeps},
    {"once", once},
    {"once_in_cpp", once_in_cpp},
    {"spin", spin},
    {"semaphore", semaphore},
    {"c11", c11},
    {NULL, NULL},
};
