/* fcntl in opcache only: the reader's lock on its shared memory, counted per realm, and who has taken the writer's. Kind: note.
 *
 * opcache restarts (opcache_reset(), memory full) wipe the shared code, and wait until no process holds the reader's lock, which each
 * request takes and gives back (accel_activate_add(), accel_unlock_all(), ext/opcache/ZendAccelerator.c, 8.2). POSIX locks are per
 * process, so the first realm to end a request would give back the lock of all, and a realm that is parked would wake up without its
 * code. Here the lock is given back with the last reader of the process, and a realm that asks whether anybody reads
 * (accel_is_inactive()) is told of its neighbours, whom F_GETLK leaves out.
 *
 * Since PHP 8.5 opcache is a part of libphp, and all of libphp calls this: other files' locks are record.c's. */
#include "hooked.h"

#include "../coroutine/coroutine.h"
#include "caller.h"
#include "opcache.h"
#include "restart.h"
#include "../state/php_headers.h"
#include "../state/version.h"

#include <fcntl.h>

enum { READER_BYTE = 1, RESTART_BYTE = 2 };

static unsigned readers;
static int lock_file = -1; /* opcache's, the same for as long as the process lives; -1: no request has used its memory yet */

/* The pattern cache of ext/pcre, which realms share, takes a permanent string for its key as it is, and opcache's are wiped with its
 * memory: a reset makes each realm remove all patterns under such keys when it begins its next request (accel_reset_pcre_cache(),
 * 8.2), also those that another realm is matching with. While the memory is still there, such keys become the cache's own. */
void howdah_opcache_own_pattern_keys(void) {
  if (HOWDAH_PCRE_CACHE_PRIVATE) return; /* each realm removes its own patterns, between two requests */
  static HashTable *cache;               /* ext/pcre is always there: a part of libphp */
  static uint32_t used, count;
  if (!cache) {
    const zend_module_entry *pcre = zend_hash_str_find_ptr(&module_registry, "pcre", sizeof("pcre") - 1);
    cache = pcre ? pcre->globals_ptr : NULL;
  }
  /* Nothing new; but a cache that has been full drops patterns, and then numbers do not tell. */
  enum { FULL = 4096 }; /* PCRE_CACHE_SIZE, ext/pcre/php_pcre.c */
  if (!cache || (cache->nNumUsed == used && cache->nNumOfElements == count && used < FULL)) return;
  used = cache->nNumUsed;
  count = cache->nNumOfElements;
  Bucket *bucket;
  ZEND_HASH_MAP_FOREACH_BUCKET(cache, bucket) {
    if (!bucket->key || !ZSTR_IS_INTERNED(bucket->key)) continue;
    zend_string *own = zend_string_init(ZSTR_VAL(bucket->key), ZSTR_LEN(bucket->key), 1);
    GC_MAKE_PERSISTENT_LOCAL(own);
    ZSTR_H(own) = bucket->h;
    bucket->key = own;
    HT_FLAGS(cache) &= ~HASH_FLAG_STATIC_KEYS; /* it frees its keys */
  }
  ZEND_HASH_FOREACH_END();
}

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

/* accel_is_inactive(): only where a restart is asked for. */
static int ask_for_readers(int fd, struct flock *lock) {
  int result = 0;
  howdah_restart_asked();
  if (readers > 0)
    lock->l_type = F_RDLCK;
  else
    result = howdah_real_fcntl(fd, F_GETLK, lock);
  if (lock->l_type != F_UNLCK) lock->l_pid = 0; /* nobody to be killed: it would be a whole worker (kill_all_lockers()) */
  return result;
}

/* Until a request has used its memory it is known by the places that opcache locks there. */
static bool is_opcaches(int fd, const struct flock *lock) {
  if (lock_file >= 0) return fd == lock_file;
  return (lock->l_start >= 0 && lock->l_start <= RESTART_BYTE && lock->l_len == 1) || (lock->l_start == 0 && lock->l_len == 0);
}

/* Who gives no argument has a command that uses none, as with the original (sysdeps/unix/sysv/linux/fcntl64.c, glibc 2.36). */
int howdah_hook_fcntl(int fd, int command, ...) {
  va_list rest;
  va_start(rest, command);
  void *argument = va_arg(rest, void *);
  va_end(rest);
  bool is_lock = command == F_SETLK || command == F_SETLKW || command == F_GETLK;
  if (!is_lock || !is_opcaches(fd, argument)) return howdah_hook_record(fd, command, argument);
  /* zend_shared_alloc_lock(): to put a script, or machine code, there. */
  if (command == F_SETLKW && howdah_coroutine_current()) howdah_coroutine_current()->compiled = true;
  if (command == F_SETLKW || !howdah_coroutine_current()) return howdah_real_fcntl(fd, command, argument);
  struct flock *lock = argument;
  bool is_reader = lock->l_start == READER_BYTE && lock->l_len == 1;
  if (is_reader) lock_file = fd;
  bool is_all = lock->l_start == 0 && lock->l_len == 0;
  if (command == F_SETLK && is_reader && lock->l_type == F_RDLCK) return take(fd, lock);
  if (command == F_SETLK && (is_reader || is_all) && lock->l_type == F_UNLCK) return give_back(fd, lock);
  if (command == F_GETLK && is_reader) return ask_for_readers(fd, lock);
  int result = howdah_real_fcntl(fd, command, argument);
  if (command == F_SETLK && lock->l_start == RESTART_BYTE && lock->l_type == F_UNLCK) howdah_restart_done();
  return result;
}

void howdah_opcache_reader_gone(howdah_coroutine *coroutine) {
  if (!coroutine->opcache_reader) return;
  howdah_opcache_own_pattern_keys();
  coroutine->opcache_reader = false;
  readers--;
}
