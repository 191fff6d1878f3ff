/* Locks on parts of files: fcntl's F_SETLK, F_SETLKW, F_GETLK and F_OFD_SETLKW, and lockf(3). Kind: timer: asked for without
 * waiting, again and again.
 *
 * fcntl's and lockf's belong to the process for the kernel, and to the realm here (held.h). F_OFD_SETLKW belongs to the open
 * file and keeps realms apart by itself. Deadlocks (EDEADLK) are found only for those who wait in the kernel, which no realm
 * does; and where a realm that must not park asks for what a parked one has. */
#include "hooked.h"

#include "held.h"
#include "caller.h"
#include "pause.h"
#include "record.h"

#include <errno.h>
#include <fcntl.h>

int64_t howdah_record_owner(howdah_coroutine *coroutine) {
  static int64_t numbers;
  if (!coroutine->record_owner) coroutine->record_owner = ++numbers;
  return coroutine->record_owner;
}

/* The realm that runs; outside of realms, and on other threads, the process. */
static int64_t owner_here(void) {
  return howdah_hooks_in_realm() ? howdah_record_owner(howdah_coroutine_current()) : HOWDAH_OWNER_PROCESS;
}

void howdah_record_owner_gone(howdah_coroutine *coroutine) {
  howdah_held_gone(coroutine->record_owner);
  coroutine->record_owner = HOWDAH_OWNER_PROCESS;
}

/* After an attempt has failed: whether to try again. */
static bool try_again(howdah_patience *patience) {
  if (errno != EAGAIN && errno != EACCES) return false;
  return howdah_pause(patience) == 0;
}

/* Where nothing may park: the thread waits, but not for a realm that is parked on it. */
static int wait_in_kernel(int fd, struct flock *lock, int64_t owner) {
  bool inside;
  int result = howdah_held_change(fd, lock, owner, &inside);
  if (result == 0 || (errno != EAGAIN && errno != EACCES)) return result;
  if (inside) {
    errno = EDEADLK;
    return -1;
  }
  result = howdah_real_record(fd, F_SETLKW, lock);
  return result == 0 ? howdah_held_change(fd, lock, owner, &inside) : result;
}

static int wait_for(int fd, struct flock *lock, int64_t owner) {
  bool inside;
  if (!howdah_hooks_may_park()) return wait_in_kernel(fd, lock, owner);
  howdah_patience patience = {
      .until_us = UINT64_MAX, .kind = HOWDAH_WAIT_LOCK, .subject = {.is_lock = true, .fd = fd, .record = lock}};
  int result;
  while ((result = howdah_held_change(fd, lock, owner, &inside)) < 0 && try_again(&patience)) {
  }
  return result;
}

static int wait_for_open_file(int fd, void *lock) {
  if (!howdah_hooks_may_park()) return howdah_real_record(fd, F_OFD_SETLKW, lock);
  howdah_patience patience = {
      .until_us = UINT64_MAX, .kind = HOWDAH_WAIT_LOCK, .subject = {.is_lock = true, .fd = fd, .record = lock}};
  int result;
  while ((result = howdah_real_record(fd, F_OFD_SETLK, lock)) < 0 && try_again(&patience)) {
  }
  return result;
}

static int record(int fd, int command, void *argument, int64_t owner) {
  bool inside;
  switch (command) {
  case F_SETLK:
    return howdah_held_change(fd, argument, owner, &inside);
  case F_SETLKW:
    return wait_for(fd, argument, owner);
  case F_GETLK:
    return howdah_held_test(fd, argument, owner, NULL);
  case F_OFD_SETLKW:
    return wait_for_open_file(fd, argument);
  default:
    return howdah_real_record(fd, command, argument);
  }
}

/* Who gives no argument has a command that uses none, as with the original (sysdeps/unix/sysv/linux/fcntl64.c, glibc 2.36). */
int howdah_hook_record(int fd, int command, ...) {
  va_list rest;
  va_start(rest, command);
  void *argument = va_arg(rest, void *);
  va_end(rest);
  return record(fd, command, argument, owner_here());
}

/* For who keeps a pointer to it in a table of its own (held.h). */
int howdah_hook_record_of_process(int fd, int command, ...) {
  va_list rest;
  va_start(rest, command);
  void *argument = va_arg(rest, void *);
  va_end(rest);
  return record(fd, command, argument, HOWDAH_OWNER_PROCESS);
}

/* As glibc's (io/lockf.c, 2.36): from where the file stands, and exclusive. */
int howdah_hook_lockf(int fd, int command, off_t len) {
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_CUR, .l_len = len};
  bool inside;
  switch (command) {
  case F_LOCK:
    return wait_for(fd, &lock, owner_here());
  case F_TLOCK:
    return howdah_held_change(fd, &lock, owner_here(), &inside);
  case F_ULOCK:
    lock.l_type = F_UNLCK;
    return howdah_held_change(fd, &lock, owner_here(), &inside);
  case F_TEST:
    lock.l_type = F_RDLCK;
    if (howdah_held_test(fd, &lock, owner_here(), NULL) < 0) return -1;
    if (lock.l_type == F_UNLCK) return 0;
    errno = EACCES;
    return -1;
  default:
    return howdah_real_lockf(fd, command, len);
  }
}
