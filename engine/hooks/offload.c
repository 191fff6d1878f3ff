/* A bounded pool of threads, started on demand. See offload.h.
 *
 *   queued -> running -> done            the waiter releases it
 *      ^         |\-> abandoned          the thread releases it
 *      |         \-> queued              it asks a server, and no more of those may
 *      \-> (taken back, released)        done, told \-> (released when the loop comes to it)
 *
 * Invariants:
 *  1. A job's state changes under the lock only. Whoever makes the last change releases it: once.
 *  2. Threads take no signals but those of their own crash: nginx's and PHP's handlers run on the loop's thread.
 *  3. A job's end is posted to the loop; only the loop's thread wakes coroutines.
 *  4. Jobs that ask servers never have all threads. A thread looks what a job is when it has taken it. */
#include "offload.h"

#include "../coroutine/wait.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

enum { ASKING_MAX = 64, LOCAL_THREADS = 2, THREADS_MAX = ASKING_MAX + LOCAL_THREADS };
enum { QUEUED, RUNNING, ABANDONED, DONE, TOLD };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
typedef struct {
  howdah_job *first, *last;
  unsigned length;
} queue;
static queue fresh, late; /* late: they ask servers, and wait for others that do */
static unsigned asking;   /* jobs that are being done and ask servers */
static unsigned asking_most = ASKING_MAX;
static pthread_t threads[THREADS_MAX];
/* What each of them does: its own to write, and to read in a signal handler. */
static struct {
  pid_t thread;
  const howdah_job *volatile job;
} places[THREADS_MAX];
static unsigned idle_threads;
static howdah_offload_stats stats;
static bool stopping;

/* On the main stack: the loop lets go of the job's task only now. */
static void on_done(howdah_task *task) {
  howdah_job *self = task->data;
  pthread_mutex_lock(&lock);
  bool abandoned = self->state == ABANDONED;
  self->state = TOLD;
  pthread_mutex_unlock(&lock);
  if (abandoned)
    self->release(self);
  else
    howdah_coroutine_wake(self->coroutine);
}

/* ---- Queues: with the lock held ---- */

static void put(queue *to, howdah_job *job) {
  job->state = QUEUED;
  job->next = NULL;
  if (to->last)
    to->last->next = job;
  else
    to->first = job;
  to->last = job;
  to->length++;
  if (++stats.queued > stats.queued_most) stats.queued_most = stats.queued;
}

/* False when it is not in there. */
static bool take(queue *from, howdah_job *job) {
  howdah_job *before = NULL, *each = from->first;
  for (; each && each != job; each = each->next)
    before = each;
  if (!each) return false;
  if (before)
    before->next = job->next;
  else
    from->first = job->next;
  if (from->last == job) from->last = before;
  from->length--;
  stats.queued--;
  return true;
}

/* ---- On threads ---- */

/* Takes no lock: a place is written by its thread before anybody can find it. NULL: of a job that is alone, or none of ours. */
static const howdah_job *volatile *place_of(pid_t thread) {
  for (unsigned i = 0; i < THREADS_MAX; i++)
    if (__atomic_load_n(&places[i].thread, __ATOMIC_RELAXED) == thread) return &places[i].job;
  return NULL;
}

const char *howdah_offload_doing(pid_t thread) {
  const howdah_job *volatile *place = place_of(thread);
  const howdah_job *job = place ? *place : NULL;
  return job ? job->name ? job->name : "" : NULL;
}

/* With the lock held; gives it up meanwhile, and is seen to do so. The job is running. */
static bool without_lock(howdah_job *self, bool (*act)(howdah_job *job)) {
  const howdah_job *volatile *here = place_of(gettid());
  if (here) *here = self;
  pthread_mutex_unlock(&lock);
  bool result = act(self);
  if (here) *here = NULL;
  pthread_mutex_lock(&lock);
  return result;
}

static bool work(howdah_job *self) {
  errno = 0;
  self->work(self);
  self->error = errno;
  return true;
}

static bool asks_server(howdah_job *self) {
  return !self->is_local || !self->is_local(self);
}

/* With the lock held; works without it. The job is running. */
static void do_job(howdah_job *self) {
  without_lock(self, work);
  stats.running--;
  stats.done++;
  if (self->state == ABANDONED) {
    stats.abandoned--;
    self->release(self);
    return;
  }
  self->state = DONE;
  howdah_loop_post_from_thread(self->loop, &self->task);
}

/* With the lock held. */
static void begin(howdah_job *job) {
  job->state = RUNNING;
  stats.running++;
}

static void *run_alone(void *job) {
  pthread_mutex_lock(&lock);
  do_job(job);
  pthread_mutex_unlock(&lock);
  return NULL;
}

/* With the lock held. */
static void ask(howdah_job *job) {
  asking++;
  do_job(job);
  asking--;
}

static void do_fresh(howdah_job *job) {
  take(&fresh, job);
  begin(job);
  bool asks = without_lock(job, asks_server);
  if (job->state == ABANDONED) {
    stats.running--;
    stats.abandoned--;
    job->release(job);
  } else if (!asks) {
    do_job(job);
  } else if (asking < asking_most) {
    ask(job);
  } else {
    stats.running--;
    put(&late, job);
  }
}

static void do_late(howdah_job *job) {
  take(&late, job);
  begin(job);
  ask(job);
}

static void *run(void *number) {
  pthread_mutex_lock(&lock); /* other threads look for theirs */
  __atomic_store_n(&places[(uintptr_t)number].thread, gettid(), __ATOMIC_RELAXED);
  while (!stopping) {
    if (late.first && asking < asking_most) {
      do_late(late.first);
    } else if (fresh.first) {
      do_fresh(fresh.first);
    } else {
      idle_threads++;
      pthread_cond_wait(&more, &lock);
      idle_threads--;
    }
  }
  pthread_mutex_unlock(&lock);
  return NULL;
}

/* With the lock held: a thread takes it when it begins. Signals of a crash are the thread's own, and where they are blocked
 * nobody is told of it. */
static int create_thread(pthread_t *thread, void *(*main)(void *), void *data) {
  static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
  sigset_t all, before;
  sigfillset(&all);
  for (size_t i = 0; i < sizeof(crashes) / sizeof(*crashes); i++)
    sigdelset(&all, crashes[i]);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int result = pthread_create(thread, NULL, main, data);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return result;
}

/* With the lock held. */
static int start_thread(void) {
  int result = create_thread(&threads[stats.threads], run, (void *)(uintptr_t)stats.threads);
  if (result == 0) stats.threads++;
  /* Where the system has no more of them one is left for what is local, all the same. */
  asking_most = result == 0 ? ASKING_MAX : stats.threads > 1 ? stats.threads - 1 : 1;
  return result;
}

static int start_alone(howdah_job *job) {
  pthread_t thread;
  pthread_mutex_lock(&lock);
  int result = create_thread(&thread, run_alone, job);
  if (result == 0) {
    begin(job);
    pthread_detach(thread);
  }
  pthread_mutex_unlock(&lock);
  return result == 0 ? 0 : -1;
}

static int put_in_queue(howdah_job *job) {
  pthread_mutex_lock(&lock);
  /* An idle thread may have been meant for a job before this one. */
  if (fresh.length >= idle_threads && stats.threads < THREADS_MAX && start_thread() != 0 && stats.threads == 0) {
    pthread_mutex_unlock(&lock);
    return -1;
  }
  put(&fresh, job);
  pthread_cond_signal(&more);
  pthread_mutex_unlock(&lock);
  return 0;
}

static void abandon(howdah_job *job) {
  pthread_mutex_lock(&lock);
  int state = job->state;
  if (state == QUEUED && !take(&fresh, job)) take(&late, job);
  if (state == RUNNING) stats.abandoned++;
  if (state == RUNNING || state == DONE) job->state = ABANDONED;
  pthread_mutex_unlock(&lock);
  if (state == QUEUED || state == TOLD) job->release(job);
}

static bool is_told(const howdah_job *job) {
  pthread_mutex_lock(&lock);
  bool told = job->state == TOLD;
  pthread_mutex_unlock(&lock);
  return told;
}

int howdah_offload(howdah_job *job) {
  job->coroutine = howdah_coroutine_current();
  job->loop = howdah_coroutine_loop();
  job->task = (howdah_task){.run = on_done, .data = job};
  if ((job->alone ? start_alone(job) : put_in_queue(job)) < 0) {
    job->release(job);
    errno = EAGAIN;
    return -1;
  }
  howdah_coroutine *self = howdah_coroutine_current();
  const howdah_subject subject = {.name = job->name};
  bool told;
  self->subject = &subject;
  while (!(told = is_told(job)) && howdah_wait_wake(HOWDAH_WAIT_THREAD) == 0) {
  }
  self->subject = NULL;
  if (told) return 0;
  abandon(job);
  errno = ECANCELED;
  return -1;
}

void howdah_offload_get_stats(howdah_offload_stats *copy) {
  pthread_mutex_lock(&lock);
  *copy = stats;
  pthread_mutex_unlock(&lock);
}

void howdah_offload_stop(void) {
  pthread_mutex_lock(&lock);
  stopping = true;
  pthread_cond_broadcast(&more);
  unsigned count = stats.threads;
  pthread_mutex_unlock(&lock);
  for (unsigned i = 0; i < count; i++) {
    pthread_join(threads[i], NULL);
    places[i].thread = 0;
  }
  stats.threads = 0;
  stopping = false;
}
