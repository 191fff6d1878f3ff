/* fcntl in opcache only: the reader's lock on its shared memory, counted per realm. Kind: note.
 *
 * opcache restarts (opcache_reset(), memory full) wipe the shared code, and wait until no process holds the reader's lock, which each
 * request takes and gives back (accel_activate_add(), accel_unlock_all(), ext/opcache/ZendAccelerator.c, 8.2). POSIX locks are per
 * process, so the first realm to end a request would give back the lock of all, and a realm that is parked would wake up without its
 * code. Here the lock is given back with the last reader of the process, and a realm that asks whether anybody reads
 * (accel_is_inactive()) is told of its neighbours, whom F_GETLK leaves out. */
#include "families.h"

#include "../coroutine/coroutine.h"
#include "hook.h"
#include "opcache.h"

#include <fcntl.h>

enum { READER_BYTE = 1 };

int (*howdah_real_fcntl)(int, int, void *);

static unsigned readers;

static int take(int fd, struct flock *lock) {
  howdah_coroutine *coroutine = howdah_coroutine_current();
  if (!coroutine->opcache_reader && readers == 0 && howdah_real_fcntl(fd, F_SETLK, lock) < 0) return -1;
  if (!coroutine->opcache_reader) readers++;
  coroutine->opcache_reader = true;
  return 0;
}

static int give_back(int fd, struct flock *lock) {
  howdah_opcache_reader_gone(howdah_coroutine_current());
  return readers > 0 ? 0 : howdah_real_fcntl(fd, F_SETLK, lock);
}

int howdah_hook_fcntl(int fd, int command, void *argument) {
  if ((command != F_SETLK && command != F_GETLK) || !howdah_coroutine_current())
    return howdah_real_fcntl(fd, command, argument);
  struct flock *lock = argument;
  bool is_reader = lock->l_start == READER_BYTE && lock->l_len == 1;
  bool is_all = lock->l_start == 0 && lock->l_len == 0;
  if (command == F_SETLK && is_reader && lock->l_type == F_RDLCK) return take(fd, lock);
  if (command == F_SETLK && (is_reader || is_all) && lock->l_type == F_UNLCK) return give_back(fd, lock);
  if (command == F_GETLK && is_reader && readers > 0) {
    lock->l_type = F_RDLCK;
    lock->l_pid = 0; /* nobody to be killed (kill_all_lockers()) */
    return 0;
  }
  return howdah_real_fcntl(fd, command, argument);
}

void howdah_opcache_reader_gone(howdah_coroutine *coroutine) {
  if (!coroutine->opcache_reader) return;
  coroutine->opcache_reader = false;
  readers--;
}
