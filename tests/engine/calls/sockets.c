/* Sockets: the answers that are easily made in another way than the C library's. */
#include "calls.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

static void put_byte(void *data) {
  if (send(*(int *)data, "x", 1, 0) != 1) abort();
}

/* A connection from this host to itself. */
static bool connect_pair(int pair[2]) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t len = sizeof(address);
  int server = socket(AF_INET, SOCK_STREAM, 0);
  pair[1] = socket(AF_INET, SOCK_STREAM, 0);
  bool made = bind(server, (struct sockaddr *)&address, len) == 0 && listen(server, 1) == 0 &&
              getsockname(server, (struct sockaddr *)&address, &len) == 0 &&
              connect(pair[1], (struct sockaddr *)&address, len) == 0 && (pair[0] = accept(server, NULL, NULL)) >= 0;
  close(server);
  return made;
}

static const char *send_nothing(void) {
  int lone = socket(AF_INET, SOCK_DGRAM, 0), pair[2];
  struct msghdr message = {.msg_iovlen = 0};
  CHECK(send(lone, "", 0, 0) == -1 && errno == EDESTADDRREQ);
  CHECK(sendmsg(lone, &message, 0) == -1 && errno == EDESTADDRREQ);
  close(lone);
  CHECK(send(lone, "", 0, 0) == -1 && errno == EBADF);
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0 && send(pair[0], "", 0, 0) == 0);
  close(pair[0]);
  close(pair[1]);
  return NULL;
}

static const char *receive_all_from(void) {
  int pair[2];
  char text[4] = "";
  struct sockaddr_storage from;
  socklen_t len = sizeof(from);
  CHECK(connect_pair(pair));
  int64_t start = now_ms();
  put_byte(&pair[1]);
  later(100, put_byte, &pair[1]);
  CHECK(recvfrom(pair[0], text, 2, MSG_WAITALL, (struct sockaddr *)&from, &len) == 2);
  CHECK(memcmp(text, "xx", 2) == 0 && len == 0 && took_ms(start, 100));
  close(pair[0]);
  close(pair[1]);
  return NULL;
}

static const char *receive_all_parts(void) {
  int pair[2];
  char one[1], other[2];
  struct iovec parts[] = {{one, 1}, {NULL, 0}, {other, 2}};
  struct msghdr message = {.msg_iov = parts, .msg_iovlen = 3};
  CHECK(connect_pair(pair));
  int64_t start = now_ms();
  put_byte(&pair[1]);
  later(50, put_byte, &pair[1]);
  later(100, put_byte, &pair[1]);
  CHECK(recvmsg(pair[0], &message, MSG_WAITALL | MSG_PEEK) == 3 && took_ms(start, 100));
  CHECK(recvmsg(pair[0], &message, MSG_WAITALL) == 3 && memcmp(other, "xx", 2) == 0);
  start = now_ms();
  put_byte(&pair[1]);
  later(50, put_byte, &pair[1]);
  later(100, put_byte, &pair[1]);
  CHECK(recvmsg(pair[0], &message, MSG_WAITALL) == 3 && memcmp(other, "xx", 2) == 0 && took_ms(start, 100));
  put_byte(&pair[1]);
  close(pair[1]);
  CHECK(recvmsg(pair[0], &message, MSG_WAITALL) == 1 && recvmsg(pair[0], &message, MSG_WAITALL) == 0);
  close(pair[0]);
  return NULL;
}

/* A descriptor that comes along ends what one call receives. */
static const char *receive_descriptor(void) {
  int pair[2], got = -1;
  char text[4];
  union {
    char bytes[CMSG_SPACE(sizeof(int))];
    struct cmsghdr first;
  } control = {.first = {.cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS}};
  struct iovec part = {"a", 1};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)};
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
  memcpy(CMSG_DATA(&control.first), &pair[0], sizeof(int));
  CHECK(sendmsg(pair[1], &message, 0) == 1 && send(pair[1], "bcd", 3, 0) == 3);
  memset(&control, 0, sizeof(control));
  part = (struct iovec){text, 4};
  CHECK(recvmsg(pair[0], &message, MSG_WAITALL) == 1 && text[0] == 'a' && control.first.cmsg_type == SCM_RIGHTS);
  memcpy(&got, CMSG_DATA(&control.first), sizeof(int));
  CHECK(got >= 0 && close(got) == 0 && recv(pair[0], text, 3, MSG_WAITALL) == 3);
  close(pair[0]);
  close(pair[1]);
  return NULL;
}

enum { PARTS = 3000 };

typedef struct {
  int fd;
  bool over;
} trickle;

/* A byte each 20 ms, until nobody wants more: for a minute at most. */
static void *send_parts(void *data) {
  trickle *self = data;
  for (int i = 0; i < PARTS && !__atomic_load_n(&self->over, __ATOMIC_ACQUIRE); i++) {
    put_byte(&self->fd);
    nap_ms(20);
  }
  return NULL;
}

/* The time limit is the whole call's, however many parts come. Were it each part's, the call would last until no more come. */
static const char *receive_limit(void) {
  int pair[2];
  char text[PARTS + 1];
  pthread_t thread;
  struct timeval limit = {0, 100000};
  CHECK(connect_pair(pair) && setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)) == 0);
  trickle parts = {.fd = pair[1]};
  put_byte(&pair[1]);
  int64_t start = now_ms();
  CHECK(pthread_create(&thread, NULL, send_parts, &parts) == 0);
  ssize_t got = recv(pair[0], text, sizeof(text), MSG_WAITALL);
  __atomic_store_n(&parts.over, true, __ATOMIC_RELEASE);
  CHECK(pthread_join(thread, NULL) == 0 && got >= 1 && got < PARTS && took_ms(start, 100));
  while (recv(pair[0], text, sizeof(text), MSG_DONTWAIT) > 0)
    continue;
  limit.tv_usec = 0;
  later(100, put_byte, &pair[1]);
  CHECK(setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)) == 0 && recv(pair[0], text, 4, 0) == 1);
  close(pair[0]);
  close(pair[1]);
  return NULL;
}

/* What is never waited for on a socket that waits. */
static const char *receive_at_once(void) {
  int lone = socket(AF_INET, SOCK_DGRAM, 0), pair[2];
  char byte;
  struct iovec part = {&byte, 1};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  int64_t start = now_ms();
  CHECK(recvmsg(lone, &message, MSG_ERRQUEUE) == -1 && errno == EAGAIN);
  CHECK(recv(lone, &byte, 1, MSG_ERRQUEUE) == -1 && errno == EAGAIN);
  CHECK(connect_pair(pair) && recv(pair[0], &byte, 1, MSG_OOB) == -1 && errno == EINVAL);
  CHECK(took_less_ms(start, 1000));
  close(lone);
  close(pair[0]);
  close(pair[1]);
  return NULL;
}

static void half_close(void *data) {
  shutdown(*(int *)data, SHUT_WR);
}

static const char *half_closed(void) {
  int pair[2];
  CHECK(connect_pair(pair));
  struct pollfd wanted = {.fd = pair[0], .events = POLLRDHUP};
  int64_t start = now_ms();
  CHECK(poll(&wanted, 1, 20) == 0);
  later(80, half_close, &pair[1]);
  CHECK(poll(&wanted, 1, 20000) == 1 && wanted.revents == POLLRDHUP && took_ms(start, 100));
  CHECK(write(pair[0], "x", 1) == 1);
  wanted.events = POLLRDBAND;
  CHECK(poll(&wanted, 1, 20) == 0);
  wanted.events = POLLWRBAND | POLLIN;
  CHECK(poll(&wanted, 1, 20) == 1);
  close(pair[0]);
  close(pair[1]);
  return NULL;
}

typedef struct {
  int fd;
  unsigned got;
} reader;

static void read_all(void *data) {
  reader *self = data;
  char text[8];
  while (recv(self->fd, text, sizeof(text), MSG_DONTWAIT) > 0)
    self->got++;
}

/* A socket that sends to another whose queue is full, without being connected to it: poll(2) calls it writable. */
static const char *full_queue(void) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  socklen_t len = sizeof(sa_family_t); /* the kernel chooses a name */
  struct timeval limit = {0, 40000};
  reader *it = calloc(1, sizeof(*it)); /* stays: its thread may look once more when all is over */
  CHECK(it && (it->fd = socket(AF_UNIX, SOCK_DGRAM, 0)) >= 0);
  int from = socket(AF_UNIX, SOCK_DGRAM, 0);
  CHECK(bind(it->fd, (struct sockaddr *)&address, len) == 0);
  len = sizeof(address);
  CHECK(getsockname(it->fd, (struct sockaddr *)&address, &len) == 0);
  while (sendto(from, "x", 1, MSG_DONTWAIT, (struct sockaddr *)&address, len) == 1) {
  }
  CHECK(errno == EAGAIN && setsockopt(from, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit)) == 0);
  int64_t start = now_ms();
  CHECK(sendto(from, "y", 1, 0, (struct sockaddr *)&address, len) == -1 && errno == EAGAIN && took_ms(start, 40));
  limit.tv_usec = 0;
  CHECK(setsockopt(from, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit)) == 0);
  later(60, read_all, it);
  CHECK(sendto(from, "y", 1, 0, (struct sockaddr *)&address, len) == 1 && took_ms(start, 100));
  close(from);
  nap_ms(5);
  close(it->fd);
  return NULL;
}

/* Reads what comes until it ends, after a while. */
static void swallow(void *data) {
  static __thread char text[65536];
  int fd = *(int *)data;
  while (recv(fd, text, sizeof(text), 0) > 0) {
  }
  close(fd);
}

/* way: 0 close, 1 fclose, 2 dup2. */
static const char *linger(int way) {
  int pair[2], other = dup(STDERR_FILENO);
  struct linger how = {1, 20};
  char *much = calloc(1, 65536);
  CHECK(much && other >= 0 && connect_pair(pair));
  while (send(pair[0], much, 65536, MSG_DONTWAIT) > 0) {
  }
  CHECK(errno == EAGAIN && setsockopt(pair[0], SOL_SOCKET, SO_LINGER, &how, sizeof(how)) == 0);
  FILE *stream = way == 1 ? fdopen(pair[0], "r") : NULL;
  int64_t start = now_ms();
  later(100, swallow, &pair[1]);
  CHECK(way == 0 ? close(pair[0]) == 0 : way == 1 ? fclose(stream) == 0 : dup2(other, pair[0]) == pair[0]);
  CHECK(took_ms(start, 100));
  if (way == 2) CHECK(close(pair[0]) == 0);
  close(other);
  free(much);
  return NULL;
}

static const char *lingering(void) {
  const char *wrong = NULL;
  for (int way = 0; way < 3 && !wrong; way++)
    wrong = linger(way);
  return wrong;
}

/* A disk file has nothing of the kind that is asked for, and never will. */
static const char *select_file(void) {
  int file = open("/etc/passwd", O_RDONLY), ends[2];
  struct timeval limit = {0, 50000};
  fd_set reads, excepts;
  FD_ZERO(&reads);
  FD_ZERO(&excepts);
  FD_SET(file, &excepts);
  int64_t start = now_ms();
  CHECK(select(file + 1, NULL, NULL, &excepts, &limit) == 0 && took_ms(start, 50) && !FD_ISSET(file, &excepts));
  CHECK(pipe(ends) == 0);
  FD_SET(file, &excepts);
  FD_SET(ends[0], &reads);
  CHECK(select(ends[0] + 1, &reads, NULL, &excepts, &(struct timeval){0, 50000}) == 0 && took_ms(start, 100));
  struct pollfd wanted[] = {{.fd = file, .events = POLLPRI}, {.fd = ends[0], .events = POLLIN}};
  CHECK(write(ends[1], "x", 1) == 1 && poll(wanted, 2, 20000) == 1 && wanted[0].revents == 0);
  close(file);
  close(ends[0]);
  close(ends[1]);
  return NULL;
}

/* Four epoll descriptors one within the other: a fifth does not take them (ELOOP), as one does not that has no room (ENOSPC). */
static const char *poll_nested(void) {
  enum { DEPTH = 5 };
  int pair[2], sets[DEPTH], inner;
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
  inner = pair[0];
  for (int i = 0; i < DEPTH; i++) {
    struct epoll_event wanted = {.events = EPOLLIN};
    sets[i] = epoll_create1(0);
    CHECK(sets[i] >= 0 && epoll_ctl(sets[i], EPOLL_CTL_ADD, inner, &wanted) == 0);
    inner = sets[i];
  }
  struct pollfd wanted = {.fd = inner, .events = POLLIN};
  int64_t start = now_ms();
  CHECK(poll(&wanted, 1, 20) == 0 && took_ms(start, 20));
  later(80, put_byte, &pair[1]);
  CHECK(poll(&wanted, 1, 20000) == 1 && wanted.revents == POLLIN && took_ms(start, 100) && took_less_ms(start, 1000));
  for (int i = 0; i < DEPTH; i++)
    close(sets[i]);
  close(pair[0]);
  close(pair[1]);
  return NULL;
}

const named_call socket_calls[] = {
    {"send_nothing", send_nothing},
    {"receive_all_from", receive_all_from},
    {"receive_all_parts", receive_all_parts},
    {"receive_descriptor", receive_descriptor},
    {"receive_limit", receive_limit},
    {"receive_at_once", receive_at_once},
    {"half_closed", half_closed},
    {"full_queue", full_queue},
    {"lingering", lingering},
    {"select_file", select_file},
    {"poll_nested", poll_nested},
    {NULL, NULL},
};
