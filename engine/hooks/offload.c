/* A bounded pool of threads, started on demand. See offload.h.
 *
 * Invariants:
 *  1. A job lies on the stack of a coroutine that is parked until the job is done: there are never more jobs than realms.
 *  2. Threads take no signals: nginx's and PHP's handlers run on the loop's thread.
 *  3. A job's end is posted to the loop; only the loop's thread wakes coroutines. */
#include "offload.h"

#include "../coroutine/coroutine.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>

enum { THREADS_MAX = 8 };

typedef struct job job;
struct job {
  void (*work)(void *data);
  void *data;
  int error; /* errno after work */
  bool done;
  howdah_coroutine *coroutine;
  howdah_loop *loop;
  howdah_task task;
  job *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static job *first, *last;
static pthread_t threads[THREADS_MAX];
static unsigned threads_count, idle_threads;
static bool stopping;

static void on_done(howdah_task *task) {
  job *self = task->data;
  self->done = true;
  howdah_coroutine_wake(self->coroutine);
}

static void *run(void *unused) {
  (void)unused;
  pthread_mutex_lock(&lock);
  for (;;) {
    idle_threads++;
    while (!first && !stopping)
      pthread_cond_wait(&more, &lock);
    idle_threads--;
    if (stopping) break;
    job *self = first;
    first = self->next;
    if (!first) last = NULL;
    pthread_mutex_unlock(&lock);
    errno = 0;
    self->work(self->data);
    self->error = errno;
    howdah_loop_post_from_thread(self->loop, &self->task);
    pthread_mutex_lock(&lock);
  }
  pthread_mutex_unlock(&lock);
  return NULL;
}

/* With the lock held. */
static int start_thread(void) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int result = pthread_create(&threads[threads_count], NULL, run, NULL);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (result == 0) threads_count++;
  return result;
}

int howdah_offload(void (*work)(void *data), void *data) {
  howdah_coroutine *coroutine = howdah_coroutine_current();
  job self = {.work = work, .data = data, .coroutine = coroutine, .loop = howdah_coroutine_loop()};
  self.task = (howdah_task){.run = on_done, .data = &self};
  pthread_mutex_lock(&lock);
  if (idle_threads == 0 && threads_count < THREADS_MAX && start_thread() != 0 && threads_count == 0) {
    pthread_mutex_unlock(&lock);
    return -1;
  }
  if (last)
    last->next = &self;
  else
    first = &self;
  last = &self;
  pthread_cond_signal(&more);
  pthread_mutex_unlock(&lock);
  while (!self.done) {
    coroutine->parked_us = howdah_loop_now_us();
    howdah_coroutine_park();
  }
  errno = self.error;
  return 0;
}

void howdah_offload_stop(void) {
  pthread_mutex_lock(&lock);
  stopping = true;
  pthread_cond_broadcast(&more);
  pthread_mutex_unlock(&lock);
  for (unsigned i = 0; i < threads_count; i++)
    pthread_join(threads[i], NULL);
  threads_count = 0;
  stopping = false;
}
