/* read(2) and write(2) and their forms with vectors, on whatever a descriptor is. Kind: ready.
 *
 * A descriptor that is ready should cost one system call, so what the number is (kinds.h) decides how it is asked: sockets with
 * MSG_DONTWAIT, pipes with RWF_NOWAIT where the kernel has it for them (6.4), what is left (terminals, timers) with poll(2)
 * first, and with a time limit for the call itself, because somebody else may have been quicker (watchdog.h). Disk files never
 * wait: the original. Where a guess can be wrong it costs a system call, and the answer is right all the same; only that a
 * number is a disk file is believed, until it is closed. */
#include "attempt.h"
#include "caller.h"
#include "hooked.h"
#include "kinds.h"
#include "watchdog.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

static howdah_kind find_kind(int fd) {
  struct stat status;
  if (fstat(fd, &status) < 0) return HOWDAH_KIND_FILE; /* the original knows the error */
  howdah_kind kind = HOWDAH_KIND_POLLED;
  if (S_ISSOCK(status.st_mode)) kind = HOWDAH_KIND_SOCKET;
  if (S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode)) kind = HOWDAH_KIND_STREAM;
  if (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode) || S_ISBLK(status.st_mode)) kind = HOWDAH_KIND_FILE;
  howdah_kind_note(fd, kind);
  return kind;
}

static howdah_kind kind_of(int fd) {
  if (fd < 0) return HOWDAH_KIND_FILE;
  howdah_kind kind = howdah_kind_known(fd);
  return kind == HOWDAH_KIND_UNKNOWN ? find_kind(fd) : kind;
}

/* After a call with RWF_NOWAIT has failed: whether to poll instead, which is remembered. */
static bool refuses_nowait(int fd) {
  if (errno != EOPNOTSUPP && errno != EINVAL && errno != ENOSYS) return false;
  howdah_kind_note(fd, HOWDAH_KIND_POLLED);
  return true;
}

/* ---- Reading ---- */

static ssize_t really_read(int fd, const struct iovec *parts, int count) {
  return count == 1 ? howdah_real_read(fd, parts->iov_base, parts->iov_len) : howdah_real_readv(fd, parts, count);
}

static ssize_t read_polled(int fd, const struct iovec *parts, int count) {
  howdah_attempt attempt = {.in_vain = 0};
  if (!howdah_is_blocking(fd)) return really_read(fd, parts, count);
  ssize_t got;
  do {
    if (!howdah_poll_first(&attempt, fd, POLLIN)) return -1;
    howdah_watchdog_begin();
    got = really_read(fd, parts, count);
    howdah_watchdog_end();
  } while (got < 0 && errno == EINTR);
  return got;
}

static ssize_t read_stream(int fd, const struct iovec *parts, int count) {
  ssize_t got = preadv2(fd, parts, count, -1, RWF_NOWAIT);
  if (got >= 0 || (errno != EAGAIN && !refuses_nowait(fd))) return got;
  return read_polled(fd, parts, count);
}

static ssize_t read_socket(int fd, const struct iovec *parts, int count) {
  ssize_t got;
  if (count == 1) {
    got = howdah_hook_recvfrom(fd, parts->iov_base, parts->iov_len, 0, NULL, NULL);
  } else {
    struct msghdr message = {.msg_iov = (struct iovec *)parts, .msg_iovlen = (size_t)count};
    got = howdah_hook_recvmsg(fd, &message, 0);
  }
  if (got >= 0 || errno != ENOTSOCK) return got;
  find_kind(fd);
  return read_polled(fd, parts, count);
}

/* In a coroutine; of a kind that may wait. */
static ssize_t read_parts(int fd, howdah_kind kind, const struct iovec *parts, int count) {
  if (kind == HOWDAH_KIND_SOCKET) return read_socket(fd, parts, count);
  return kind == HOWDAH_KIND_STREAM ? read_stream(fd, parts, count) : read_polled(fd, parts, count);
}

ssize_t howdah_hook_read(int fd, void *buffer, size_t size) {
  howdah_kind kind;
  if (size == 0 || !howdah_hooks_may_park() || (kind = kind_of(fd)) == HOWDAH_KIND_FILE)
    return howdah_real_read(fd, buffer, size);
  return read_parts(fd, kind, &(struct iovec){buffer, size}, 1);
}

ssize_t howdah_hook_readv(int fd, const struct iovec *parts, int count) {
  howdah_kind kind;
  if (count <= 0 || count > IOV_MAX || !howdah_hooks_may_park() || (kind = kind_of(fd)) == HOWDAH_KIND_FILE)
    return howdah_real_readv(fd, parts, count);
  return read_parts(fd, kind, parts, count);
}

/* What it becomes with _FORTIFY_SOURCE; the original checks the size and aborts, as the caller's build wants it. */
ssize_t howdah_hook_read_chk(int fd, void *buffer, size_t size, size_t buffer_size) {
  if (size > buffer_size) return howdah_real_read_chk(fd, buffer, size, buffer_size);
  return howdah_hook_read(fd, buffer, size);
}

/* ---- Writing: a blocking descriptor takes all of it, or fails ---- */

/* As much as fits; a pipe that is writable takes PIPE_BUF bytes at once (pipe(7)). */
static ssize_t write_polled(int fd, const char *data, size_t len) {
  howdah_attempt attempt = {.in_vain = 0};
  size_t written = 0;
  if (!howdah_is_blocking(fd)) return howdah_real_write(fd, data, len);
  while (written < len) {
    if (!howdah_poll_first(&attempt, fd, POLLOUT)) return written > 0 ? (ssize_t)written : -1;
    size_t most = len - written < PIPE_BUF ? len - written : PIPE_BUF;
    howdah_watchdog_begin();
    ssize_t part = howdah_real_write(fd, data + written, most);
    bool cut_short = howdah_watchdog_end();
    if (part < 0 && errno == EINTR) continue;
    if (part < 0) return written > 0 ? (ssize_t)written : -1;
    written += (size_t)part;
    if ((size_t)part < most && !cut_short) break; /* as the original: a device took what it took */
  }
  return (ssize_t)written;
}

/* A number that is another file's by now may say EAGAIN for other reasons. Keeps errno. */
static bool is_another(int fd) {
  int error = errno;
  bool is_none = find_kind(fd) != HOWDAH_KIND_STREAM;
  errno = error;
  return is_none;
}

static ssize_t write_stream(int fd, const char *data, size_t len) {
  howdah_attempt attempt = {.in_vain = 0};
  size_t written = 0;
  do {
    struct iovec rest = {(char *)data + written, len - written};
    ssize_t part = pwritev2(fd, &rest, 1, -1, RWF_NOWAIT);
    if (part > 0) {
      written += (size_t)part;
    } else if (part < 0 && (errno == EAGAIN ? is_another(fd) : refuses_nowait(fd))) {
      part = write_polled(fd, data + written, len - written);
      return part < 0 && written > 0 ? (ssize_t)written : part + (ssize_t)written;
    } else if (part == 0 || !howdah_try_again(&attempt, fd, POLLOUT)) {
      return written > 0 ? (ssize_t)written : part;
    }
  } while (written < len);
  return (ssize_t)written;
}

static ssize_t write_socket(int fd, const char *data, size_t len) {
  ssize_t sent = howdah_hook_sendto(fd, data, len, 0, NULL, 0);
  if (sent >= 0 || errno != ENOTSOCK) return sent;
  return find_kind(fd) == HOWDAH_KIND_FILE ? howdah_real_write(fd, data, len) : write_polled(fd, data, len);
}

static ssize_t write_all(int fd, howdah_kind kind, const char *data, size_t len) {
  if (kind == HOWDAH_KIND_SOCKET) return write_socket(fd, data, len);
  return kind == HOWDAH_KIND_STREAM ? write_stream(fd, data, len) : write_polled(fd, data, len);
}

ssize_t howdah_hook_write(int fd, const void *data, size_t len) {
  howdah_kind kind;
  if (len == 0 || !howdah_hooks_may_park() || (kind = kind_of(fd)) == HOWDAH_KIND_FILE) return howdah_real_write(fd, data, len);
  return write_all(fd, kind, data, len);
}

/* Part after part, until one is cut short. */
ssize_t howdah_hook_writev(int fd, const struct iovec *parts, int count) {
  howdah_kind kind;
  if (count <= 0 || count > IOV_MAX || !howdah_hooks_may_park() || (kind = kind_of(fd)) == HOWDAH_KIND_FILE)
    return howdah_real_writev(fd, parts, count);
  if (kind == HOWDAH_KIND_SOCKET) {
    struct msghdr message = {.msg_iov = (struct iovec *)parts, .msg_iovlen = (size_t)count};
    ssize_t sent = howdah_hook_sendmsg(fd, &message, 0);
    if (sent >= 0 || errno != ENOTSOCK) return sent;
    kind = find_kind(fd);
    if (kind == HOWDAH_KIND_FILE) return howdah_real_writev(fd, parts, count);
  }
  size_t written = 0;
  for (int i = 0; i < count; i++) {
    if (parts[i].iov_len == 0) continue;
    ssize_t part = write_all(fd, kind, parts[i].iov_base, parts[i].iov_len);
    if (part < 0) return written > 0 ? (ssize_t)written : -1;
    written += (size_t)part;
    if ((size_t)part < parts[i].iov_len) break;
  }
  return (ssize_t)written;
}
