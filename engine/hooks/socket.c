/* Blocking calls on sockets and pipes that do not poll first: ext/sockets, proc_open()'s pipes, client libraries of their own making.
 * Kind: ready.
 *
 * Where the kernel takes MSG_DONTWAIT the call itself is the question, so a descriptor that is ready costs nothing more; read and
 * write have no such flag and ask with poll(2). A descriptor that the program has made non-blocking stays so: EAGAIN is its answer. */
#include "families.h"

#include "../coroutine/wait.h"
#include "hook.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>

ssize_t (*howdah_real_recv)(int, void *, size_t, int);
ssize_t (*howdah_real_recvfrom)(int, void *, size_t, int, struct sockaddr *, socklen_t *);
ssize_t (*howdah_real_recvmsg)(int, struct msghdr *, int);
ssize_t (*howdah_real_send)(int, const void *, size_t, int);
ssize_t (*howdah_real_sendto)(int, const void *, size_t, int, const struct sockaddr *, socklen_t);
ssize_t (*howdah_real_sendmsg)(int, const struct msghdr *, int);
ssize_t (*howdah_real_read)(int, void *, size_t);
ssize_t (*howdah_real_write)(int, const void *, size_t);
ssize_t (*howdah_real_recv_chk)(int, void *, size_t, size_t, int);
ssize_t (*howdah_real_recvfrom_chk)(int, void *, size_t, size_t, int, struct sockaddr *, socklen_t *);
ssize_t (*howdah_real_read_chk)(int, void *, size_t, size_t);
int (*howdah_real_connect)(int, const struct sockaddr *, socklen_t);
int (*howdah_real_accept)(int, struct sockaddr *, socklen_t *);
int (*howdah_real_accept4)(int, struct sockaddr *, socklen_t *, int);

static bool is_blocking(int fd) {
  int flags = fcntl(fd, F_GETFL);
  return flags >= 0 && !(flags & O_NONBLOCK);
}

/* SO_RCVTIMEO or SO_SNDTIMEO; -1: no limit. */
static int64_t limit_us(int fd, short events) {
  struct timeval limit;
  socklen_t size = sizeof(limit);
  if (getsockopt(fd, SOL_SOCKET, events & POLLIN ? SO_RCVTIMEO : SO_SNDTIMEO, &limit, &size) < 0) return HOWDAH_WAIT_FOREVER;
  int64_t us = (int64_t)limit.tv_sec * 1000000 + limit.tv_usec;
  return us > 0 ? us : HOWDAH_WAIT_FOREVER;
}

/* Parks until the descriptor is ready. True: try; false: errno says why not (EAGAIN: its own time limit, as the original's). */
static bool become_ready(int fd, short events) {
  struct pollfd wanted = {.fd = fd, .events = events};
  int ready = howdah_poll_us(&wanted, 1, limit_us(fd, events));
  if (ready == 0) errno = EAGAIN;
  return ready > 0;
}

/* After a call with MSG_DONTWAIT has failed: whether to try again. */
static bool try_again(int fd, short events) {
  if ((errno != EAGAIN && errno != EWOULDBLOCK) || !is_blocking(fd)) return false;
  return become_ready(fd, events);
}

ssize_t howdah_hook_recv(int fd, void *buffer, size_t size, int flags) {
  return howdah_hook_recvfrom(fd, buffer, size, flags, NULL, NULL);
}

ssize_t howdah_hook_recvfrom(int fd, void *buffer, size_t size, int flags, struct sockaddr *from, socklen_t *from_len) {
  /* MSG_WAITALL is more than one wait: rare, and left to the kernel. */
  if ((flags & (MSG_DONTWAIT | MSG_WAITALL)) || !howdah_hooks_may_park())
    return howdah_real_recvfrom(fd, buffer, size, flags, from, from_len);
  ssize_t got;
  while ((got = howdah_real_recvfrom(fd, buffer, size, flags | MSG_DONTWAIT, from, from_len)) < 0 && try_again(fd, POLLIN)) {
  }
  return got;
}

ssize_t howdah_hook_recvmsg(int fd, struct msghdr *message, int flags) {
  if ((flags & (MSG_DONTWAIT | MSG_WAITALL)) || !howdah_hooks_may_park()) return howdah_real_recvmsg(fd, message, flags);
  ssize_t got;
  while ((got = howdah_real_recvmsg(fd, message, flags | MSG_DONTWAIT)) < 0 && try_again(fd, POLLIN)) {
  }
  return got;
}

ssize_t howdah_hook_send(int fd, const void *data, size_t len, int flags) {
  return howdah_hook_sendto(fd, data, len, flags, NULL, 0);
}

/* A blocking stream socket takes all of it, or fails. */
ssize_t howdah_hook_sendto(int fd, const void *data, size_t len, int flags, const struct sockaddr *to, socklen_t to_len) {
  if ((flags & MSG_DONTWAIT) || !howdah_hooks_may_park()) return howdah_real_sendto(fd, data, len, flags, to, to_len);
  size_t sent = 0;
  for (;;) {
    ssize_t part = howdah_real_sendto(fd, (const char *)data + sent, len - sent, flags | MSG_DONTWAIT, to, to_len);
    if (part >= 0) sent += (size_t)part;
    if (sent == len || (part >= 0 && !is_blocking(fd))) return (ssize_t)sent;
    if (part < 0 && !try_again(fd, POLLOUT)) return sent > 0 ? (ssize_t)sent : -1;
  }
}

/* One message: the kernel sends a part of it only where the original would have, too, or where the buffer is full; PHP's callers
 * take a short count. */
ssize_t howdah_hook_sendmsg(int fd, const struct msghdr *message, int flags) {
  if ((flags & MSG_DONTWAIT) || !howdah_hooks_may_park()) return howdah_real_sendmsg(fd, message, flags);
  ssize_t sent;
  while ((sent = howdah_real_sendmsg(fd, message, flags | MSG_DONTWAIT)) < 0 && try_again(fd, POLLOUT)) {
  }
  return sent;
}

/* Disk files are always ready: one question more, and the original. */
ssize_t howdah_hook_read(int fd, void *buffer, size_t size) {
  struct pollfd wanted = {.fd = fd, .events = POLLIN};
  if (howdah_hooks_may_park() && howdah_real_poll(&wanted, 1, 0) == 0 && is_blocking(fd) && !become_ready(fd, POLLIN))
    return -1;
  return howdah_real_read(fd, buffer, size);
}

ssize_t howdah_hook_write(int fd, const void *data, size_t len) {
  struct stat status;
  if (!howdah_hooks_may_park() || fstat(fd, &status) < 0 || S_ISREG(status.st_mode) || !is_blocking(fd))
    return howdah_real_write(fd, data, len);
  if (S_ISSOCK(status.st_mode)) return howdah_hook_sendto(fd, data, len, 0, NULL, 0);
  /* A pipe that is writable takes PIPE_BUF bytes at once (pipe(7)). */
  size_t written = 0;
  while (written < len) {
    if (!become_ready(fd, POLLOUT)) return written > 0 ? (ssize_t)written : -1;
    size_t most = len - written < PIPE_BUF ? len - written : PIPE_BUF;
    ssize_t part = howdah_real_write(fd, (const char *)data + written, most);
    if (part < 0) return written > 0 ? (ssize_t)written : -1;
    written += (size_t)part;
  }
  return (ssize_t)written;
}

int howdah_hook_connect(int fd, const struct sockaddr *address, socklen_t len) {
  int flags = howdah_hooks_may_park() ? fcntl(fd, F_GETFL) : -1;
  if (flags < 0 || (flags & O_NONBLOCK) || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0)
    return howdah_real_connect(fd, address, len);
  int result = howdah_real_connect(fd, address, len), error = errno;
  if (result < 0 && error == EINPROGRESS) {
    socklen_t size = sizeof(error);
    if (!become_ready(fd, POLLOUT))
      error = errno == EAGAIN ? EINPROGRESS : errno; /* SO_SNDTIMEO: what connect(2) says then */
    else if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) < 0)
      error = errno;
    result = error ? -1 : 0;
  }
  fcntl(fd, F_SETFL, flags);
  errno = error;
  return result;
}

int howdah_hook_accept(int fd, struct sockaddr *address, socklen_t *len) {
  if (howdah_hooks_may_park() && is_blocking(fd) && !become_ready(fd, POLLIN)) return -1;
  return howdah_real_accept(fd, address, len);
}

int howdah_hook_accept4(int fd, struct sockaddr *address, socklen_t *len, int flags) {
  if (howdah_hooks_may_park() && is_blocking(fd) && !become_ready(fd, POLLIN)) return -1;
  return howdah_real_accept4(fd, address, len, flags);
}

/* What these become with _FORTIFY_SOURCE; the originals check the size and abort, as the caller's build wants it. */
ssize_t howdah_hook_recv_chk(int fd, void *buffer, size_t size, size_t buffer_size, int flags) {
  if (size > buffer_size) return howdah_real_recv_chk(fd, buffer, size, buffer_size, flags);
  return howdah_hook_recv(fd, buffer, size, flags);
}

ssize_t howdah_hook_recvfrom_chk(int fd, void *buffer, size_t size, size_t buffer_size, int flags, struct sockaddr *from,
                                 socklen_t *from_len) {
  if (size > buffer_size) return howdah_real_recvfrom_chk(fd, buffer, size, buffer_size, flags, from, from_len);
  return howdah_hook_recvfrom(fd, buffer, size, flags, from, from_len);
}

ssize_t howdah_hook_read_chk(int fd, void *buffer, size_t size, size_t buffer_size) {
  if (size > buffer_size) return howdah_real_read_chk(fd, buffer, size, buffer_size);
  return howdah_hook_read(fd, buffer, size);
}
