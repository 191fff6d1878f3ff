/* The record locks that this process holds. See held.h. */
#include "held.h"
#include "bridge.h"
#include "hooked.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>

typedef struct {
  uint64_t device, inode;
} identity;

typedef struct held_file held_file;
struct held_file {
  identity id;
  howdah_ranges ranges;
  int *kept; /* descriptors that the program has closed, and that are open */
  size_t kept_count;
  held_file *next;
};

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static held_file *files; /* those with a lock */
static pid_t process;    /* whose locks these are; 0: nobody's yet */

void howdah_held_attach(void) {
  process = getpid();
}

/* A child has its own memory, but after vfork(). */
static bool is_ours(void) {
  return process && process == getpid();
}

/* Most processes have none, and pay for this look only. */
static bool has_locks(void) {
  return __atomic_load_n(&files, __ATOMIC_ACQUIRE) != NULL;
}

/* Regular files only. Asks no server of a network file system. */
static bool identify(int folder, const char *path, int flags, identity *id) {
  struct statx status;
  if (statx(folder, path, flags | AT_STATX_DONT_SYNC, STATX_TYPE | STATX_INO, &status) < 0) return false;
  *id = (identity){(uint64_t)status.stx_dev_major << 32 | status.stx_dev_minor, status.stx_ino};
  return S_ISREG(status.stx_mode);
}

static bool identify_open(int fd, identity *id) {
  return identify(fd, "", AT_EMPTY_PATH, id);
}

static held_file **find(const identity *id) {
  held_file **at = &files;
  while (*at && ((*at)->id.inode != id->inode || (*at)->id.device != id->device))
    at = &(*at)->next;
  return at;
}

static held_file *find_or_add(const identity *id) {
  held_file **at = find(id);
  if (*at) return *at;
  held_file *file = calloc(1, sizeof(*file));
  if (file) file->id = *id;
  __atomic_store_n(at, file, __ATOMIC_RELEASE);
  return file;
}

/* ---- What the program has closed and is still open ---- */

static void close_kept(held_file *file) {
  while (file->kept_count > 0)
    howdah_real_close(file->kept[--file->kept_count]);
}

/* A close takes the locks along whoever knows the descriptor. Without memory to remember it, it stays open. */
static void keep(held_file *file, int fd) {
  fcntl(fd, F_SETFD, FD_CLOEXEC);
  flock(fd, LOCK_UN); /* with the descriptor the program has given this up, too */
  int *kept = realloc(file->kept, (file->kept_count + 1) * sizeof(*kept));
  if (!kept) return;
  file->kept = kept;
  kept[file->kept_count++] = fd;
}

/* What an open file cannot become afterwards, and what does something to the file. */
static bool is_opened_so(int fd, int flags) {
  const int lasting = O_ACCMODE | O_APPEND | O_NONBLOCK | O_DIRECT | O_SYNC | O_NOATIME;
  return ((fcntl(fd, F_GETFL) ^ flags) & lasting) == 0;
}

int howdah_held_open_again(int folder, const char *path, int flags) {
  const int others = O_TRUNC | O_EXCL | O_PATH | O_DIRECTORY | O_NOFOLLOW;
  int wanted = (flags & O_ACCMODE) == O_RDONLY ? R_OK : (flags & O_ACCMODE) == O_WRONLY ? W_OK : R_OK | W_OK;
  int saved = errno, fd = -1;
  identity id;
  if (!has_locks() || !is_ours() || (flags & others)) return -1;
  if (identify(folder, path, 0, &id) && faccessat(folder, path, wanted, AT_EACCESS) == 0) {
    pthread_mutex_lock(&guard);
    held_file *file = *find(&id);
    for (size_t i = 0; file && fd < 0 && i < file->kept_count; i++) {
      if (!is_opened_so(file->kept[i], flags)) continue;
      fd = file->kept[i];
      file->kept[i] = file->kept[--file->kept_count];
    }
    pthread_mutex_unlock(&guard);
  }
  if (fd >= 0) {
    lseek(fd, 0, SEEK_SET);
    fcntl(fd, F_SETFD, flags & O_CLOEXEC ? FD_CLOEXEC : 0);
  }
  errno = saved;
  return fd;
}

/* Of a file without locks. */
static void drop_if_free(held_file *file) {
  if (file->ranges.count > 0) return;
  close_kept(file);
  __atomic_store_n(find(&file->id), file->next, __ATOMIC_RELEASE);
  howdah_ranges_free(&file->ranges);
  free(file->kept);
  free(file);
}

/* ---- Closing ---- */

/* When an exclusive lock has gone: what was kept for it. */
static void settle(held_file *file) {
  if (file->ranges.count > 0 && file->kept_count > 0 && howdah_bridge_build(&file->ranges, -1)) {
    close_kept(file);
    howdah_bridge_cross(&file->ranges, -1);
  }
  drop_if_free(file);
}

/* ---- Invariant 4 ---- */

/* What is in the table and not in the kernel: somebody has closed a descriptor where no hook could see it. */
static void forget_lost(held_file *file, int fd) {
  struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  if (howdah_real_record(fd, F_OFD_GETLK, &all) == 0 && all.l_type == F_UNLCK) {
    file->ranges.count = 0;
    return;
  }
  for (size_t i = 0; i < file->ranges.count; i++) {
    identity id;
    if (identify_open(file->ranges.items[i].fd, &id) && id.inode == file->id.inode && id.device == file->id.device) continue;
    file->ranges.items[i--] = file->ranges.items[--file->ranges.count];
  }
}

/* ---- Taking and giving up ---- */

/* false: what the kernel has an error for. */
static bool range_of(int fd, const struct flock *lock, int64_t owner, howdah_range *range) {
  struct stat status;
  off_t base = 0;
  if (lock->l_whence == SEEK_CUR) base = lseek(fd, 0, SEEK_CUR);
  if (lock->l_whence == SEEK_END) base = fstat(fd, &status) < 0 ? -1 : status.st_size;
  if (base < 0 || (lock->l_whence != SEEK_SET && lock->l_whence != SEEK_CUR && lock->l_whence != SEEK_END)) return false;
  *range = (howdah_range){.owner = owner, .fd = fd, .exclusive = lock->l_type == F_WRLCK};
  return howdah_ranges_place(range, base, lock->l_start, lock->l_len);
}

/* Gives up in the kernel what nobody else has. */
static int unlock(const held_file *file, int fd, int64_t owner, off_t first, off_t last) {
  off_t gap_last;
  int result = 0;
  while (result == 0 && howdah_ranges_gap(&file->ranges, owner, &first, last, &gap_last)) {
    result = howdah_bridge_ask(fd, F_SETLK, F_UNLCK, first, gap_last);
    if (gap_last == last) break;
    first = gap_last + 1;
  }
  return result;
}

static int change(held_file *file, const howdah_range *range, short type, bool *inside) {
  if (!howdah_ranges_reserve(&file->ranges, 2)) {
    errno = ENOLCK;
    return -1;
  }
  if (type == F_UNLCK) {
    if (unlock(file, range->fd, range->owner, range->first, range->last) < 0) return -1;
    howdah_ranges_remove(&file->ranges, range->owner, range->first, range->last);
    return 0;
  }
  if (howdah_ranges_conflict(&file->ranges, range)) {
    forget_lost(file, range->fd);
    *inside = howdah_ranges_conflict(&file->ranges, range) != NULL;
    errno = EAGAIN;
    if (*inside) return -1;
  }
  if (howdah_bridge_ask(range->fd, F_SETLK, type, range->first, range->last) < 0) return -1;
  howdah_ranges_put(&file->ranges, range);
  return 0;
}

int howdah_held_change(int fd, const struct flock *lock, int64_t owner, bool *inside) {
  identity id;
  howdah_range range;
  *inside = false;
  bool is_known = lock && (lock->l_type == F_RDLCK || lock->l_type == F_WRLCK || lock->l_type == F_UNLCK);
  if (!is_known || !is_ours() || !identify_open(fd, &id) || !range_of(fd, lock, owner, &range))
    return howdah_real_record(fd, F_SETLK, (void *)lock);
  pthread_mutex_lock(&guard);
  held_file *file = find_or_add(&id);
  int result = -1, error = ENOLCK;
  if (file) {
    result = change(file, &range, lock->l_type, inside);
    error = errno;
    settle(file);
  }
  pthread_mutex_unlock(&guard);
  if (result < 0) errno = error;
  return result;
}

int howdah_held_test(int fd, struct flock *lock, int64_t owner, int64_t *holder) {
  identity id;
  howdah_range range;
  const howdah_range *found = NULL;
  if (!lock || !has_locks() || !is_ours() || !identify_open(fd, &id) || !range_of(fd, lock, owner, &range))
    return howdah_real_record(fd, F_GETLK, lock);
  pthread_mutex_lock(&guard);
  held_file *file = *find(&id);
  if (file && howdah_ranges_conflict(&file->ranges, &range)) {
    forget_lost(file, fd);
    found = howdah_ranges_conflict(&file->ranges, &range);
  }
  if (found)
    *lock = (struct flock){.l_type = found->exclusive ? F_WRLCK : F_RDLCK,
                           .l_whence = SEEK_SET,
                           .l_start = found->first,
                           .l_len = found->last == INT64_MAX ? 0 : found->last - found->first + 1,
                           .l_pid = process};
  if (found && holder) *holder = found->owner;
  if (file) settle(file);
  pthread_mutex_unlock(&guard);
  return found ? 0 : howdah_real_record(fd, F_GETLK, lock);
}

/* ---- Ends ---- */

/* Those of a descriptor, or of an owner, end; the others stay. In the kernel, too, where it does not know yet. */
static void give_up(held_file *file, int fd, int64_t owner, bool in_kernel) {
  for (size_t i = 0; i < file->ranges.count; i++) {
    howdah_range each = file->ranges.items[i];
    if (each.fd != fd && each.owner != owner) continue;
    file->ranges.items[i--] = file->ranges.items[--file->ranges.count];
    if (in_kernel) unlock(file, each.fd, HOWDAH_OWNER_NOBODY, each.first, each.last);
  }
}

void howdah_held_gone(int64_t owner) {
  if (owner == HOWDAH_OWNER_PROCESS || !has_locks() || !is_ours()) return;
  pthread_mutex_lock(&guard);
  for (held_file *file = files, *next; file; file = next) {
    next = file->next;
    give_up(file, -1, owner, true);
    settle(file);
  }
  pthread_mutex_unlock(&guard);
}

static howdah_closing close_held(held_file *file, int fd, bool may_keep, int (*really)(void *), void *what, int *result) {
  bool others = false;
  forget_lost(file, fd);
  for (size_t i = 0; i < file->ranges.count; i++)
    others = others || howdah_bridge_carries(&file->ranges.items[i], fd);
  if (!others || howdah_bridge_build(&file->ranges, fd)) {
    *result = really(what);
    int error = errno;
    close_kept(file);
    howdah_bridge_cross(&file->ranges, fd);
    if (may_keep || *result >= 0) give_up(file, fd, HOWDAH_OWNER_NOBODY, false); /* dup2() that fails closes nothing */
    drop_if_free(file);
    errno = error;
    return HOWDAH_CLOSED;
  }
  if (!may_keep) return HOWDAH_REFUSED;
  give_up(file, fd, HOWDAH_OWNER_NOBODY, true);
  keep(file, fd);
  settle(file);
  return HOWDAH_KEPT;
}

howdah_closing howdah_held_close(int fd, bool may_keep, int (*really)(void *what), void *what, int *result) {
  identity id;
  held_file *file;
  howdah_closing closing = HOWDAH_CLOSED;
  if (!has_locks() || !is_ours() || !identify_open(fd, &id)) {
    *result = really(what);
    return closing;
  }
  pthread_mutex_lock(&guard);
  if ((file = *find(&id))) closing = close_held(file, fd, may_keep, really, what, result);
  pthread_mutex_unlock(&guard);
  if (!file) *result = really(what);
  return closing;
}
