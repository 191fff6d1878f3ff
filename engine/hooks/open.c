/* open(2) and its relatives: a FIFO is open when somebody has opened its other end. Kind: timer: asked without waiting, again
 * and again. What else is opened never waits for another program, and costs a look at what it is; a file that must not be
 * closed yet is used again (held.h).
 *
 * Not seen: a FIFO that takes a file's place between the look and the open. */
#include "hooked.h"

#include "held.h"
#include "caller.h"
#include "pause.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdarg.h>
#include <string.h>
#include <sys/vfs.h>

typedef struct {
  int folder;
  const char *path;
  int flags;
  mode_t mode;
} wanted;

static bool takes_mode(int flags) {
  return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE;
}

/* Open for both, or not to wait, it does not (fifo(7)). */
static bool may_wait(const wanted *self) {
  int access = self->flags & O_ACCMODE, saved = errno;
  struct stat status;
  if ((access != O_RDONLY && access != O_WRONLY) || (self->flags & (O_NONBLOCK | O_PATH | O_DIRECTORY)) ||
      !howdah_hooks_may_park())
    return false;
  bool is_fifo = fstatat(self->folder, self->path, &status, 0) == 0 && S_ISFIFO(status.st_mode);
  errno = saved;
  return is_fifo;
}

/* A pipe without a name (/proc/self/fd/N) does not wait (fifo_open(), fs/pipe.c, Linux 6.1). */
static bool has_name(int fd) {
  struct statfs status;
  return fstatfs(fd, &status) < 0 || status.f_type != PIPEFS_MAGIC;
}

/* Whether the FIFO has, or had, a writer since it was opened. One that has written or left is seen by poll(2), one that is
 * there and silent by tee(2), which takes nothing out: EAGAIN, and 0 where there is none. */
static bool has_writer(int fd, int sink) {
  struct pollfd end = {.fd = fd, .events = POLLIN};
  return howdah_real_poll(&end, 1, 0) != 0 || tee(fd, sink, 1, SPLICE_F_NONBLOCK) != 0;
}

/* 0, or -1 with errno. Parks. */
static int wait_for_writer(int fd) {
  const struct pollfd end = {.fd = fd};
  howdah_patience patience = {.until_us = UINT64_MAX, .subject = {.fds = &end, .count = 1}};
  int sink[2], result = 0;
  if (pipe2(sink, O_CLOEXEC | O_NONBLOCK) < 0) return -1;
  while (!has_writer(fd, sink[1]) && (result = howdah_pause(&patience)) == 0) {
  }
  int error = errno;
  close(sink[0]);
  close(sink[1]);
  errno = error;
  return result;
}

static int try_open(const wanted *self) {
  return howdah_real_openat(self->folder, self->path, self->flags | O_NONBLOCK, self->mode);
}

/* A reader is one for those who want to write from now on, as one that waits in the kernel is. */
static int open_to_read(const wanted *self) {
  int fd = try_open(self);
  if (fd < 0 || !has_name(fd) || wait_for_writer(fd) == 0) return fd;
  int error = errno;
  howdah_real_close(fd);
  errno = error;
  return -1;
}

static int open_to_write(const wanted *self) {
  howdah_patience patience = {.until_us = UINT64_MAX, .subject = {.name = self->path}};
  int fd;
  while ((fd = try_open(self)) < 0 && errno == ENXIO && howdah_pause(&patience) == 0) {
  }
  return fd;
}

/* Opens what may_wait() has said yes to. Parks. */
static int open_fifo(const wanted *self) {
  int fd = (self->flags & O_ACCMODE) == O_RDONLY ? open_to_read(self) : open_to_write(self);
  if (fd >= 0) fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
  return fd;
}

int howdah_hook_openat(int folder, const char *path, int flags, ...) {
  wanted self = {folder, path, flags, 0};
  if (takes_mode(flags)) {
    va_list arguments;
    va_start(arguments, flags);
    self.mode = va_arg(arguments, mode_t);
    va_end(arguments);
  }
  int fd = howdah_held_open_again(folder, path, flags);
  if (fd >= 0) return fd;
  return may_wait(&self) ? open_fifo(&self) : howdah_real_openat(folder, path, flags, self.mode);
}

int howdah_hook_open(const char *path, int flags, ...) {
  mode_t mode = 0;
  if (takes_mode(flags)) {
    va_list arguments;
    va_start(arguments, flags);
    mode = va_arg(arguments, mode_t);
    va_end(arguments);
  }
  wanted self = {AT_FDCWD, path, flags, mode};
  int fd = howdah_held_open_again(AT_FDCWD, path, flags);
  if (fd >= 0) return fd;
  return may_wait(&self) ? open_fifo(&self) : howdah_real_open(path, flags, mode);
}

int howdah_hook_creat(const char *path, mode_t mode) {
  wanted self = {AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, mode};
  return may_wait(&self) ? open_fifo(&self) : howdah_real_creat(path, mode);
}

/* What these become with _FORTIFY_SOURCE where there is no mode; the originals abort if there should be one. */
int howdah_hook_open_2(const char *path, int flags) {
  wanted self = {AT_FDCWD, path, flags, 0};
  int fd = howdah_held_open_again(AT_FDCWD, path, flags);
  if (fd >= 0) return fd;
  return !takes_mode(flags) && may_wait(&self) ? open_fifo(&self) : howdah_real_open_2(path, flags);
}

int howdah_hook_openat_2(int folder, const char *path, int flags) {
  wanted self = {folder, path, flags, 0};
  int fd = howdah_held_open_again(folder, path, flags);
  if (fd >= 0) return fd;
  return !takes_mode(flags) && may_wait(&self) ? open_fifo(&self) : howdah_real_openat_2(folder, path, flags);
}

/* The flags of a stream that is not open for both; -1: it is, or has more to say than the descriptor knows. */
static int flags_of(const char *mode) {
  if (!mode || strpbrk(mode, "+,")) return -1;
  int flags = *mode == 'r'   ? O_RDONLY
              : *mode == 'w' ? O_WRONLY | O_CREAT | O_TRUNC
              : *mode == 'a' ? O_WRONLY | O_CREAT | O_APPEND
                             : -1;
  if (flags >= 0 && strchr(mode, 'e')) flags |= O_CLOEXEC;
  if (flags >= 0 && strchr(mode, 'x')) flags |= O_EXCL;
  return flags;
}

FILE *howdah_hook_fopen(const char *path, const char *mode) {
  wanted self = {AT_FDCWD, path, flags_of(mode), 0666};
  if (self.flags < 0 || !may_wait(&self)) return howdah_real_fopen(path, mode);
  int fd = open_fifo(&self);
  FILE *stream = fd < 0 ? NULL : fdopen(fd, mode);
  if (fd < 0 || stream) return stream;
  int error = errno;
  howdah_real_close(fd);
  errno = error;
  return NULL;
}
