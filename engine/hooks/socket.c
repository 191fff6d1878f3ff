/* Blocking calls on sockets that do not poll first: ext/sockets, client libraries of their own making. Kind: ready.
 *
 * The kernel takes MSG_DONTWAIT, so the call itself is the question, and a descriptor that is ready costs nothing more. A descriptor
 * that the program has made non-blocking stays so: EAGAIN is its answer. */
#include "families.h"

#include "../coroutine/wait.h"
#include "hook.h"
#include "pause.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>

ssize_t (*howdah_real_recv)(int, void *, size_t, int);
ssize_t (*howdah_real_recvfrom)(int, void *, size_t, int, struct sockaddr *, socklen_t *);
ssize_t (*howdah_real_recvmsg)(int, struct msghdr *, int);
ssize_t (*howdah_real_send)(int, const void *, size_t, int);
ssize_t (*howdah_real_sendto)(int, const void *, size_t, int, const struct sockaddr *, socklen_t);
ssize_t (*howdah_real_sendmsg)(int, const struct msghdr *, int);
ssize_t (*howdah_real_recv_chk)(int, void *, size_t, size_t, int);
ssize_t (*howdah_real_recvfrom_chk)(int, void *, size_t, size_t, int, struct sockaddr *, socklen_t *);
int (*howdah_real_connect)(int, const struct sockaddr *, socklen_t);
int (*howdah_real_accept)(int, struct sockaddr *, socklen_t *);
int (*howdah_real_accept4)(int, struct sockaddr *, socklen_t *, int);

bool howdah_is_blocking(int fd) {
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

bool howdah_become_ready(int fd, short events) {
  struct pollfd wanted = {.fd = fd, .events = events};
  int ready = howdah_poll_us(&wanted, 1, limit_us(fd, events));
  if (ready == 0) errno = EAGAIN;
  return ready > 0;
}

bool howdah_try_again(int fd, short events) {
  if (errno != EAGAIN && errno != EWOULDBLOCK) return false;
  if (howdah_is_blocking(fd)) return howdah_become_ready(fd, events);
  /* Who tries again although its wait was refused would do so until the peer answers (php_openssl_sockop_io(), xp_ssl.c, 8.2). */
  howdah_coroutine *coroutine = howdah_coroutine_current();
  if (coroutine->refused > 0 && !howdah_coroutine_may_wait()) errno = ECANCELED;
  return false;
}

ssize_t howdah_hook_recv(int fd, void *buffer, size_t size, int flags) {
  return howdah_hook_recvfrom(fd, buffer, size, flags, NULL, NULL);
}

static bool is_stream(int fd) {
  int type = 0;
  socklen_t size = sizeof(type);
  return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_STREAM;
}

/* MSG_WAITALL on a stream: all of it, unless the stream or the time ends before. */
static ssize_t receive_all(int fd, char *buffer, size_t size, int flags) {
  size_t got = 0;
  howdah_patience patience = {.until_us = UINT64_MAX};
  for (;;) {
    ssize_t part = howdah_real_recvfrom(fd, buffer + got, size - got, flags | MSG_DONTWAIT, NULL, NULL);
    if (part == 0 || (part < 0 && !howdah_try_again(fd, POLLIN))) return part < 0 && got == 0 ? -1 : (ssize_t)got;
    if (part < 0) continue;
    if (!(flags & MSG_PEEK)) got += (size_t)part;
    if (got == size || (flags & (MSG_PEEK | MSG_OOB) && (size_t)part == size) || !howdah_is_blocking(fd))
      return got ? (ssize_t)got : part;
    /* What was only looked at stays readable: nothing tells that there is more. */
    if ((flags & MSG_PEEK) && howdah_pause(&patience) < 0) return part;
  }
}

ssize_t howdah_hook_recvfrom(int fd, void *buffer, size_t size, int flags, struct sockaddr *from, socklen_t *from_len) {
  if ((flags & MSG_DONTWAIT) || !howdah_hooks_may_park()) return howdah_real_recvfrom(fd, buffer, size, flags, from, from_len);
  if ((flags & MSG_WAITALL) && !from && size > 0 && is_stream(fd)) return receive_all(fd, buffer, size, flags & ~MSG_WAITALL);
  ssize_t got;
  while ((got = howdah_real_recvfrom(fd, buffer, size, flags | MSG_DONTWAIT, from, from_len)) < 0 &&
         howdah_try_again(fd, POLLIN)) {
  }
  return got;
}

/* MSG_WAITALL is more than one wait: it waits here for the beginning, and the kernel for the rest. */
ssize_t howdah_hook_recvmsg(int fd, struct msghdr *message, int flags) {
  if ((flags & MSG_DONTWAIT) || !howdah_hooks_may_park()) return howdah_real_recvmsg(fd, message, flags);
  if (flags & MSG_WAITALL) {
    if (howdah_is_blocking(fd) && !howdah_become_ready(fd, POLLIN)) return -1;
    return howdah_real_recvmsg(fd, message, flags);
  }
  ssize_t got;
  while ((got = howdah_real_recvmsg(fd, message, flags | MSG_DONTWAIT)) < 0 && howdah_try_again(fd, POLLIN)) {
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
    if (sent == len || (part >= 0 && !howdah_is_blocking(fd))) return (ssize_t)sent;
    if (part < 0 && !howdah_try_again(fd, POLLOUT)) return sent > 0 ? (ssize_t)sent : -1;
  }
}

/* What a blocking stream has not taken yet. */
static ssize_t send_rest(int fd, const struct msghdr *message, size_t sent, int flags) {
  size_t skipped = 0;
  for (size_t i = 0; i < message->msg_iovlen; i++) {
    const struct iovec *part = &message->msg_iov[i];
    if (skipped + part->iov_len <= sent) {
      skipped += part->iov_len;
      continue;
    }
    size_t from = sent - skipped, wanted = part->iov_len - from;
    ssize_t more = howdah_hook_sendto(fd, (const char *)part->iov_base + from, wanted, flags, NULL, 0);
    if (more < 0) break;
    sent += (size_t)more;
    skipped += part->iov_len;
    if ((size_t)more < wanted) break;
  }
  return (ssize_t)sent;
}

static size_t size_of(const struct msghdr *message) {
  size_t size = 0;
  for (size_t i = 0; i < message->msg_iovlen; i++)
    size += message->msg_iov[i].iov_len;
  return size;
}

ssize_t howdah_hook_sendmsg(int fd, const struct msghdr *message, int flags) {
  if ((flags & MSG_DONTWAIT) || !howdah_hooks_may_park()) return howdah_real_sendmsg(fd, message, flags);
  ssize_t sent;
  while ((sent = howdah_real_sendmsg(fd, message, flags | MSG_DONTWAIT)) < 0 && howdah_try_again(fd, POLLOUT)) {
  }
  if (sent <= 0 || (size_t)sent >= size_of(message) || !howdah_is_blocking(fd)) return sent;
  return send_rest(fd, message, (size_t)sent, flags);
}

/* With the descriptor set not to wait. A second call tells how the first one ended, and leaves the socket as a waiting one would. A local
 * socket's full queue (EAGAIN) is not to be polled for. */
static int connect_in_steps(int fd, const struct sockaddr *address, socklen_t len) {
  int64_t most_us = limit_us(fd, POLLOUT);
  howdah_patience patience = {.until_us = most_us < 0 ? UINT64_MAX : howdah_loop_now_us() + (uint64_t)most_us};
  bool begun = false;
  for (;;) {
    if (howdah_real_connect(fd, address, len) == 0 || (begun && errno == EISCONN)) return 0;
    if (errno == EINPROGRESS || (begun && errno == EALREADY)) {
      begun = true;
      if (howdah_become_ready(fd, POLLOUT)) continue;
      if (errno == EAGAIN) errno = EINPROGRESS; /* SO_SNDTIMEO: what connect(2) says then */
      return -1;
    }
    if (errno != EAGAIN || address->sa_family != AF_UNIX) return -1;
    int over = howdah_pause(&patience);
    if (over > 0) errno = EAGAIN;
    if (over) return -1;
  }
}

int howdah_hook_connect(int fd, const struct sockaddr *address, socklen_t len) {
  int flags = howdah_hooks_may_park() ? fcntl(fd, F_GETFL) : -1;
  if (flags < 0 || (flags & O_NONBLOCK) || !address || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0)
    return howdah_real_connect(fd, address, len);
  int result = connect_in_steps(fd, address, len), error = errno;
  fcntl(fd, F_SETFL, flags);
  errno = error;
  return result;
}

bool howdah_poll_first(int fd, short events) {
  struct pollfd wanted = {.fd = fd, .events = events};
  return howdah_real_poll(&wanted, 1, 0) != 0 || !howdah_is_blocking(fd) || howdah_become_ready(fd, events);
}

int howdah_hook_accept(int fd, struct sockaddr *address, socklen_t *len) {
  if (howdah_hooks_may_park() && !howdah_poll_first(fd, POLLIN)) return -1;
  return howdah_real_accept(fd, address, len);
}

int howdah_hook_accept4(int fd, struct sockaddr *address, socklen_t *len, int flags) {
  if (howdah_hooks_may_park() && !howdah_poll_first(fd, POLLIN)) return -1;
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
