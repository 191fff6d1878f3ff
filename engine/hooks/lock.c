/* flock(2): sessions and LOCK_EX. Kind: timer.
 *
 * The realms of a worker wait in queues, one for each file. When one of them lets a lock go, the first in the queue is given it
 * at once, by the one who lets go: descriptors are the process's. The kernel cannot tell when another process lets go, so the
 * timer of the first one asks again and again, on the main stack.
 *
 * Invariants:
 *  1. Exclusive locks are given in the order in which they were asked for: nobody asks the kernel past those who wait. Shared
 *     ones may overtake after a while, because a realm that has one and asks for another (of the same file, on another
 *     descriptor) would wait for an exclusive one behind it, which waits for the realm.
 *  2. Who waits holds no lock on its descriptor: as the kernel (flock_lock_inode(), fs/locks.c, 6.1), which drops the old lock
 *     before it waits for the new one.
 *  3. A queue's first waiter has a running timer.
 *  4. A waiter lies on the stack of its coroutine, and is out of its queue when flock() returns. */
#include "lock.h"

#include "../coroutine/wait.h"
#include "hooked.h"
#include "caller.h"
#include "holder.h"

#include <errno.h>
#include <sys/file.h>
#include <sys/stat.h>

enum { FIRST_US = 500, LAST_US = 8000, OVERTAKE_US = 10000, BUCKETS = 64 };

typedef struct waiter waiter;
struct waiter {
  howdah_lock_file file;
  int fd, operation;
  int result, error;
  bool done;
  uint64_t pause_us;
  howdah_timer timer;
  howdah_coroutine *coroutine;
  waiter *prev, *next; /* of this bucket, in the order in which they came */
};

static struct { waiter *first, *last; } buckets[BUCKETS];
static unsigned waiting;

static size_t bucket_of(const howdah_lock_file *file) {
  return (size_t)(file->inode ^ file->device) % BUCKETS;
}

static waiter *first_for(const howdah_lock_file *file) {
  for (waiter *each = buckets[bucket_of(file)].first; each; each = each->next)
    if (each->file.inode == file->inode && each->file.device == file->device) return each;
  return NULL;
}

static void start_timer(waiter *self, uint64_t pause_us) {
  self->pause_us = pause_us;
  /* Without memory for a timer it asks again when a neighbour lets the lock go. */
  howdah_loop_timer_start(howdah_coroutine_loop(), &self->timer, pause_us);
}

static void take_out(waiter *self) {
  size_t bucket = bucket_of(&self->file);
  howdah_loop_timer_stop(howdah_coroutine_loop(), &self->timer);
  if (self->prev)
    self->prev->next = self->next;
  else
    buckets[bucket].first = self->next;
  if (self->next)
    self->next->prev = self->prev;
  else
    buckets[bucket].last = self->prev;
  waiting--;
  waiter *first = first_for(&self->file);
  if (first && (!first->timer.slot || first->pause_us == OVERTAKE_US)) start_timer(first, FIRST_US);
}

static void put_in(waiter *self) {
  size_t bucket = bucket_of(&self->file);
  bool is_first = !first_for(&self->file);
  self->prev = buckets[bucket].last;
  if (self->prev)
    self->prev->next = self;
  else
    buckets[bucket].first = self;
  buckets[bucket].last = self;
  waiting++;
  if (is_first)
    start_timer(self, FIRST_US);
  else if (self->operation & LOCK_SH)
    start_timer(self, OVERTAKE_US);
}

/* Asks the kernel for it; whether that is an answer. */
static bool ask(waiter *self) {
  int result = howdah_real_flock(self->fd, self->operation | LOCK_NB);
  if (result < 0 && errno == EWOULDBLOCK) return false;
  self->result = result;
  self->error = errno;
  if (result == 0) howdah_holder_note(self->fd, self->coroutine);
  self->done = true;
  take_out(self);
  howdah_coroutine_wake(self->coroutine);
  return true;
}

/* Gives the lock of a file to those who wait, as far as it goes. */
static void give(const howdah_lock_file *file) {
  waiter *first;
  while ((first = first_for(file)) && ask(first)) {
  }
}

static void on_time(howdah_timer *timer) {
  waiter *self = timer->data;
  bool is_first = first_for(&self->file) == self;
  howdah_lock_file file = self->file;
  if (ask(self)) { /* from here on it may be gone */
    if (is_first) give(&file);
    return;
  }
  if (!is_first)
    start_timer(self, OVERTAKE_US);
  else
    start_timer(self, self->pause_us * 2 > LAST_US ? LAST_US : self->pause_us * 2);
}

static bool identify(int fd, howdah_lock_file *file) {
  struct stat status;
  if (fstat(fd, &status) < 0) return false;
  *file = (howdah_lock_file){true, status.st_dev, status.st_ino};
  return true;
}

static int wait_in_queue(int fd, int operation, const howdah_lock_file *file) {
  howdah_coroutine *coroutine = howdah_coroutine_current();
  waiter self = {.file = *file, .fd = fd, .operation = operation, .coroutine = coroutine};
  self.timer = (howdah_timer){.fire = on_time, .data = &self};
  const howdah_subject subject = {.is_lock = true, .fd = fd};
  put_in(&self);
  coroutine->subject = &subject;
  while (!self.done) {
    if (howdah_wait_wake(HOWDAH_WAIT_LOCK) < 0 && !self.done) {
      coroutine->subject = NULL;
      take_out(&self);
      howdah_coroutine_unwind(); /* scripts take a lock for granted */
      errno = ECANCELED;
      return -1;
    }
  }
  coroutine->subject = NULL;
  errno = self.error;
  return self.result;
}

static int let_go(int fd, int operation) {
  howdah_lock_file file;
  bool known = waiting && identify(fd, &file);
  int result = howdah_real_flock(fd, operation), error = errno;
  if (known) give(&file);
  errno = error;
  return result;
}

/* Asks without waiting, where nobody is overtaken by it. */
static int try(int fd, int operation, const howdah_lock_file *file) {
  int result = howdah_real_flock(fd, operation | LOCK_NB), error = errno;
  if (result == 0) howdah_holder_note(fd, howdah_coroutine_current());
  /* A lock that was changed may have made room. */
  if (file->waited_for) give(file);
  errno = error;
  return result;
}

int howdah_hook_flock(int fd, int operation) {
  int kind = operation & ~LOCK_NB;
  if (!howdah_hooks_may_park()) return howdah_real_flock(fd, operation);
  if (kind == LOCK_UN) return let_go(fd, operation);
  if (kind != LOCK_SH && kind != LOCK_EX) return howdah_real_flock(fd, operation);

  howdah_lock_file file = {.waited_for = false};
  if (waiting && identify(fd, &file)) {
    give(&file);
    file.waited_for = first_for(&file) != NULL;
  }
  if (!file.waited_for || (operation & LOCK_NB) || howdah_holder_may_be(fd)) {
    int result = try(fd, operation, &file);
    if (result == 0 || errno != EWOULDBLOCK || (operation & LOCK_NB)) return result;
  }
  if (!identify(fd, &file)) return -1;
  return wait_in_queue(fd, kind, &file);
}

howdah_lock_file howdah_lock_before_close(int fd) {
  howdah_lock_file file = {.waited_for = false};
  if (waiting) identify(fd, &file);
  return file;
}

void howdah_lock_after_close(int fd, const howdah_lock_file *file) {
  if (!file->waited_for) return;
  for (waiter *each = buckets[bucket_of(file)].first, *next; each; each = next) {
    next = each->next;
    if (each->fd == fd) ask(each); /* EBADF */
  }
  give(file);
}
