/* Blocking calls on sockets that do not poll first: ext/sockets, client libraries of their own making. Kind: ready.
 *
 * The kernel takes MSG_DONTWAIT, so the call itself is the question, and a descriptor that is ready costs nothing more. A
 * descriptor that the program has made non-blocking stays so: EAGAIN is its answer. */
#include "hooked.h"
#include "attempt.h"

#include "../coroutine/wait.h"
#include "caller.h"
#include "pause.h"
#include "watchdog.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>

bool howdah_is_blocking(int fd) {
  int flags = fcntl(fd, F_GETFL);
  return flags >= 0 && !(flags & O_NONBLOCK);
}

/* SO_RCVTIMEO or SO_SNDTIMEO; -1: no limit. */
static int64_t limit_us(int fd, short events) {
  struct timeval limit;
  socklen_t size = sizeof(limit);
  if (getsockopt(fd, SOL_SOCKET, events & POLLIN ? SO_RCVTIMEO : SO_SNDTIMEO, &limit, &size) < 0) return HOWDAH_WAIT_FOREVER;
  int64_t us = (int64_t)howdah_us_of_timeval(&limit);
  return us > 0 ? us : HOWDAH_WAIT_FOREVER;
}

/* The call's time limit begins now, unless it has begun. */
static uint64_t begin(howdah_attempt *attempt, int fd, short events) {
  if (attempt->patience.until_us == 0) {
    int64_t us = limit_us(fd, events);
    attempt->patience.until_us = us < 0 ? UINT64_MAX : howdah_loop_now_us() + (uint64_t)us;
  }
  return attempt->patience.until_us;
}

/* True: try; false: errno says why not (EAGAIN: the time limit). */
static bool pause_for(howdah_attempt *attempt, int fd, short events) {
  begin(attempt, fd, events);
  int over = howdah_pause(&attempt->patience);
  if (over > 0) errno = EAGAIN;
  return over == 0;
}

/* Some are said to be ready and are not: a local socket that sends to another whose queue is full (unix_dgram_poll() knows only
 * the one that it is connected to, net/unix/af_unix.c, Linux 6.1), one with a message in its queue of errors. They are asked
 * again after pauses. */
static bool become_ready(howdah_attempt *attempt, int fd, short events) {
  uint64_t until_us = begin(attempt, fd, events), now_us = howdah_loop_now_us(), switches = howdah_coroutine_switches();
  struct pollfd wanted = {.fd = fd, .events = events};
  int64_t left_us = until_us == UINT64_MAX ? HOWDAH_WAIT_FOREVER : until_us > now_us ? (int64_t)(until_us - now_us) : 0;
  int ready = howdah_poll_us(&wanted, 1, left_us);
  if (ready == 0) errno = EAGAIN;
  if (ready <= 0) return false;
  attempt->in_vain = howdah_coroutine_switches() == switches ? attempt->in_vain + 1 : 0;
  return attempt->in_vain < 2 || pause_for(attempt, fd, events);
}

bool howdah_try_again(howdah_attempt *attempt, int fd, short events) {
  if (errno != EAGAIN && errno != EWOULDBLOCK) return false;
  if (howdah_is_blocking(fd)) return become_ready(attempt, fd, events);
  /* Who tries again although its wait was refused would do so until the peer answers (php_openssl_sockop_io(), xp_ssl.c, 8.2). */
  howdah_coroutine *coroutine = howdah_coroutine_current();
  if (coroutine->refused > 0 && !howdah_coroutine_may_wait()) errno = ECANCELED;
  return false;
}

ssize_t howdah_hook_recv(int fd, void *buffer, size_t size, int flags) {
  return howdah_hook_recvfrom(fd, buffer, size, flags, NULL, NULL);
}

static int option_of(int fd, int option) {
  int value = 0;
  socklen_t size = sizeof(value);
  return getsockopt(fd, SOL_SOCKET, option, &value, &size) == 0 ? value : -1;
}

/* Urgent data and the queue of errors are never waited for, whatever the socket is set to (tcp_recv_urg(), net/ipv4/tcp.c;
 * sock_recv_errqueue(), net/core/sock.c, Linux 6.1). */
static bool receives_at_once(int flags) {
  return flags & (MSG_DONTWAIT | MSG_OOB | MSG_ERRQUEUE);
}

/* MSG_WAITALL on a stream: all of it, unless the stream or the time ends before. The address comes with the beginning. */
static ssize_t receive_all(howdah_attempt *attempt, int fd, char *buffer, size_t size, int flags, struct sockaddr *from,
                           socklen_t *from_len) {
  size_t got = 0;
  for (;;) {
    ssize_t part = howdah_real_recvfrom(fd, buffer + got, size - got, flags | MSG_DONTWAIT, from, from_len);
    if (part == 0 || (part < 0 && !howdah_try_again(attempt, fd, POLLIN))) return part < 0 && got == 0 ? -1 : (ssize_t)got;
    if (part < 0) continue;
    from = NULL;
    from_len = NULL;
    if (!(flags & MSG_PEEK)) got += (size_t)part;
    if (got == size || ((flags & MSG_PEEK) && (size_t)part == size) || !howdah_is_blocking(fd))
      return got ? (ssize_t)got : part;
    /* What was only looked at stays readable: nothing tells that there is more. */
    if ((flags & MSG_PEEK) && !pause_for(attempt, fd, POLLIN)) return part;
  }
}

ssize_t howdah_hook_recvfrom(int fd, void *buffer, size_t size, int flags, struct sockaddr *from, socklen_t *from_len) {
  if (receives_at_once(flags) || !howdah_hooks_may_park()) return howdah_real_recvfrom(fd, buffer, size, flags, from, from_len);
  howdah_attempt attempt = {.in_vain = 0};
  if ((flags & MSG_WAITALL) && size > 0 && option_of(fd, SO_TYPE) == SOCK_STREAM)
    return receive_all(&attempt, fd, buffer, size, flags & ~MSG_WAITALL, from, from_len);
  ssize_t got;
  while ((got = howdah_real_recvfrom(fd, buffer, size, flags | MSG_DONTWAIT, from, from_len)) < 0 &&
         howdah_try_again(&attempt, fd, POLLIN)) {
  }
  return got;
}

static size_t size_of(const struct msghdr *message) {
  size_t size = 0;
  for (size_t i = 0; i < message->msg_iovlen; i++)
    size += message->msg_iov[i].iov_len;
  return size;
}

/* Where what is at this place in a message's parts lies; the rest of that part. */
static struct iovec part_at(const struct msghdr *message, size_t at) {
  size_t i = 0;
  while (at >= message->msg_iov[i].iov_len)
    at -= message->msg_iov[i++].iov_len;
  return (struct iovec){(char *)message->msg_iov[i].iov_base + at, message->msg_iov[i].iov_len - at};
}

/* Descriptors that came with what was received: nothing after them is received by the same call (unix_stream_read_generic(),
 * net/unix/af_unix.c, Linux 6.1). */
static bool has_descriptors(struct msghdr *message) {
  if (message->msg_flags & MSG_CTRUNC) return true;
  for (struct cmsghdr *each = CMSG_FIRSTHDR(message); each; each = CMSG_NXTHDR(message, each))
    if (each->cmsg_level == SOL_SOCKET && each->cmsg_type == SCM_RIGHTS) return true;
  return false;
}

/* The rest of what MSG_WAITALL on a stream wants. */
static ssize_t receive_rest(howdah_attempt *attempt, int fd, struct msghdr *message, size_t got, int flags) {
  size_t size = size_of(message);
  while (got < size && howdah_is_blocking(fd)) {
    struct iovec rest = part_at(message, got);
    ssize_t more = receive_all(attempt, fd, rest.iov_base, rest.iov_len, flags, NULL, NULL);
    if (more > 0) got += (size_t)more;
    if (more < (ssize_t)rest.iov_len) break;
  }
  return (ssize_t)got;
}

ssize_t howdah_hook_recvmsg(int fd, struct msghdr *message, int flags) {
  if (receives_at_once(flags) || !howdah_hooks_may_park()) return howdah_real_recvmsg(fd, message, flags);
  const struct msghdr wanted = *message; /* the original writes sizes into it */
  bool all = (flags & MSG_WAITALL) && option_of(fd, SO_TYPE) == SOCK_STREAM;
  howdah_attempt attempt = {.in_vain = 0};
  for (;;) {
    ssize_t got = howdah_real_recvmsg(fd, message, (flags & ~MSG_WAITALL) | MSG_DONTWAIT);
    if (got < 0 && howdah_try_again(&attempt, fd, POLLIN)) continue;
    if (!all || got <= 0 || (size_t)got == size_of(message) || has_descriptors(message)) return got;
    if (!(flags & MSG_PEEK)) return receive_rest(&attempt, fd, message, (size_t)got, flags & ~MSG_WAITALL);
    if (!howdah_is_blocking(fd) || !pause_for(&attempt, fd, POLLIN)) return got;
    *message = wanted;
  }
}

ssize_t howdah_hook_send(int fd, const void *data, size_t len, int flags) {
  return howdah_hook_sendto(fd, data, len, flags, NULL, 0);
}

/* A blocking stream socket takes all of it, or fails. A local one's time limit begins anew with each piece
 * (unix_stream_sendmsg(), net/unix/af_unix.c, Linux 6.1). */
static ssize_t send_all(howdah_attempt *attempt, int fd, const char *data, size_t len, int flags, const struct sockaddr *to,
                        socklen_t to_len) {
  size_t sent = 0;
  for (;;) {
    ssize_t part = howdah_real_sendto(fd, data + sent, len - sent, flags | MSG_DONTWAIT, to, to_len);
    if (part < 0 && !howdah_try_again(attempt, fd, POLLOUT)) return sent > 0 ? (ssize_t)sent : -1;
    if (part < 0) continue;
    sent += (size_t)part;
    if (sent >= len || !howdah_is_blocking(fd)) return (ssize_t)sent;
    if (option_of(fd, SO_DOMAIN) == AF_UNIX) *attempt = (howdah_attempt){.in_vain = 0};
  }
}

ssize_t howdah_hook_sendto(int fd, const void *data, size_t len, int flags, const struct sockaddr *to, socklen_t to_len) {
  if ((flags & MSG_DONTWAIT) || !howdah_hooks_may_park()) return howdah_real_sendto(fd, data, len, flags, to, to_len);
  return send_all(&(howdah_attempt){.in_vain = 0}, fd, data, len, flags, to, to_len);
}

/* What a blocking stream has not taken yet. */
static ssize_t send_rest(howdah_attempt *attempt, int fd, const struct msghdr *message, size_t sent, int flags) {
  for (size_t size = size_of(message); sent < size;) {
    struct iovec rest = part_at(message, sent);
    ssize_t more = send_all(attempt, fd, rest.iov_base, rest.iov_len, flags, NULL, 0);
    if (more > 0) sent += (size_t)more;
    if (more < (ssize_t)rest.iov_len) break;
  }
  return (ssize_t)sent;
}

ssize_t howdah_hook_sendmsg(int fd, const struct msghdr *message, int flags) {
  if ((flags & MSG_DONTWAIT) || !howdah_hooks_may_park()) return howdah_real_sendmsg(fd, message, flags);
  howdah_attempt attempt = {.in_vain = 0};
  ssize_t sent;
  while ((sent = howdah_real_sendmsg(fd, message, flags | MSG_DONTWAIT)) < 0 && howdah_try_again(&attempt, fd, POLLOUT)) {
  }
  if (sent <= 0 || (size_t)sent >= size_of(message) || !howdah_is_blocking(fd)) return sent;
  return send_rest(&attempt, fd, message, (size_t)sent, flags);
}

/* With the descriptor set not to wait. A second call tells how the first one ended, and leaves the socket as a waiting one
 * would. A local socket's full queue (EAGAIN) is not to be polled for. */
static int connect_in_steps(int fd, const struct sockaddr *address, socklen_t len) {
  howdah_attempt attempt = {.in_vain = 0};
  bool begun = false;
  for (;;) {
    if (howdah_real_connect(fd, address, len) == 0 || (begun && errno == EISCONN)) return 0;
    if (errno == EINPROGRESS || (begun && errno == EALREADY)) {
      begun = true;
      if (become_ready(&attempt, fd, POLLOUT)) continue;
      if (errno == EAGAIN) errno = EINPROGRESS; /* SO_SNDTIMEO: what connect(2) says then */
      return -1;
    }
    if (errno != EAGAIN || address->sa_family != AF_UNIX || !pause_for(&attempt, fd, POLLOUT)) return -1;
  }
}

/* Until it is connected the kernel does not tell with whom. */
static void note_peer(int fd, const struct sockaddr *address, socklen_t len) {
  howdah_coroutine *coroutine = howdah_coroutine_current();
  coroutine->connects = -1;
  if (len < sizeof(address->sa_family) || len > sizeof(coroutine->connects_to)) return;
  memcpy(coroutine->connects_to, address, len);
  coroutine->connects = fd;
}

int howdah_hook_connect(int fd, const struct sockaddr *address, socklen_t len) {
  int flags = howdah_hooks_may_park() ? fcntl(fd, F_GETFL) : -1;
  if (flags >= 0 && address) note_peer(fd, address, len);
  if (flags < 0 || (flags & O_NONBLOCK) || !address || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0)
    return howdah_real_connect(fd, address, len);
  int result = connect_in_steps(fd, address, len), error = errno;
  fcntl(fd, F_SETFL, flags);
  errno = error;
  return result;
}

/* Asked once more after a wait: of all who wait for the connection one alone gets it. */
bool howdah_poll_first(howdah_attempt *attempt, int fd, short events) {
  struct pollfd wanted = {.fd = fd, .events = events};
  while (howdah_real_poll(&wanted, 1, 0) == 0)
    if (!become_ready(attempt, fd, events)) return false;
  return true;
}

/* There is no MSG_DONTWAIT for it, so poll(2) is asked; where another process has taken the connection meanwhile it is asked
 * again. */
int howdah_hook_accept4(int fd, struct sockaddr *address, socklen_t *len, int flags) {
  if (!howdah_hooks_may_park() || !howdah_is_blocking(fd)) return howdah_real_accept4(fd, address, len, flags);
  howdah_attempt attempt = {.in_vain = 0};
  int accepted;
  do {
    if (!howdah_poll_first(&attempt, fd, POLLIN)) return -1;
    howdah_watchdog_begin();
    accepted = howdah_real_accept4(fd, address, len, flags);
    howdah_watchdog_end();
  } while (accepted < 0 && errno == EINTR);
  return accepted;
}

int howdah_hook_accept(int fd, struct sockaddr *address, socklen_t *len) {
  return howdah_hook_accept4(fd, address, len, 0);
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
