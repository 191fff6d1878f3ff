/* Reading, writing and waiting for descriptors of every kind. */
#include "calls.h"

#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BIG = 1024 * 1024 };

static void put_byte(void *data) {
  char byte = 'x';
  if (write(*(int *)data, &byte, 1) != 1) abort();
}

static void set_nonblocking(int fd) {
  fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

static const char *pipes(void) {
  int ends[2];
  char text[16];
  CHECK(pipe(ends) == 0);
  int64_t start = now_ms();
  later(100, put_byte, &ends[1]);
  CHECK(read(ends[0], text, sizeof(text)) == 1 && text[0] == 'x' && took_ms(start, 100));
  CHECK(write(ends[1], "hello", 5) == 5 && read(ends[0], text, 3) == 3 && memcmp(text, "hel", 3) == 0);
  struct iovec parts[] = {{text, 1}, {text + 1, 8}};
  CHECK(readv(ends[0], parts, 2) == 2 && memcmp(text, "lo", 2) == 0);
  CHECK(writev(ends[1], (struct iovec[]){{"ab", 2}, {NULL, 0}, {"c", 1}}, 3) == 3 && read(ends[0], text, 16) == 3);
  CHECK(read(ends[0], text, 0) == 0 && write(ends[1], text, 0) == 0);
  set_nonblocking(ends[0]);
  CHECK(read(ends[0], text, 1) == -1 && errno == EAGAIN);
  CHECK(read(ends[1], text, 1) == -1 && errno == EBADF && write(ends[0], text, 1) == -1 && errno == EBADF);
  void *volatile nowhere = NULL;
  CHECK(write(ends[1], nowhere, 1) == -1 && errno == EFAULT);
  close(ends[1]);
  CHECK(read(ends[0], text, 1) == 0);
  close(ends[0]);
  CHECK(read(ends[0], text, 1) == -1 && errno == EBADF && write(-1, text, 1) == -1 && errno == EBADF);
  CHECK(readv(ends[0], parts, 2) == -1 && errno == EBADF);
  CHECK(pipe(ends) == 0);
  close(ends[0]);
  signal(SIGPIPE, SIG_IGN);
  CHECK(write(ends[1], "x", 1) == -1 && errno == EPIPE);
  close(ends[1]);
  return NULL;
}

typedef struct {
  int fd;
  size_t got;
  bool right;
} sink;

/* Reads slowly, so that the writer has to wait. */
static void *swallow(void *data) {
  sink *self = data;
  static __thread unsigned char block[65536];
  ssize_t part;
  nap_ms(100);
  self->right = true;
  while ((part = read(self->fd, block, sizeof(block))) > 0) {
    for (ssize_t i = 0; i < part; i++)
      if (block[i] != (unsigned char)((self->got + (size_t)i) % 251)) self->right = false;
    self->got += (size_t)part;
  }
  return NULL;
}

/* A blocking descriptor takes all of it. way: 0 write, 1 writev, 2 send, 3 sendmsg. */
static const char *write_big(int ends[2], int way) {
  pthread_t thread;
  sink it = {.fd = ends[0]};
  char *data = malloc(BIG);
  CHECK(data);
  for (size_t i = 0; i < BIG; i++)
    data[i] = (char)(i % 251);
  int64_t start = now_ms();
  struct iovec parts[] = {{data, 1000}, {data + 1000, BIG - 2000}, {data + BIG - 1000, 1000}};
  struct msghdr message = {.msg_iov = parts, .msg_iovlen = 3};
  CHECK(pthread_create(&thread, NULL, swallow, &it) == 0);
  ssize_t sent = way == 0   ? write(ends[1], data, BIG)
                 : way == 1 ? writev(ends[1], parts, 3)
                 : way == 2 ? send(ends[1], data, BIG, 0)
                            : sendmsg(ends[1], &message, 0);
  CHECK(sent == BIG && took_ms(start, 100));
  close(ends[1]);
  CHECK(pthread_join(thread, NULL) == 0);
  CHECK(it.got == BIG && it.right);
  close(ends[0]);
  free(data);
  return NULL;
}

static const char *big_pipe(void) {
  int ends[2];
  CHECK(pipe(ends) == 0);
  return write_big(ends, 0);
}

static const char *big_pipe_parts(void) {
  int ends[2];
  CHECK(pipe(ends) == 0);
  return write_big(ends, 1);
}

static const char *big_sockets(void) {
  for (int way = 0; way < 4; way++) {
    int ends[2];
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    const char *wrong = write_big(ends, way);
    if (wrong) return wrong;
  }
  return NULL;
}

static const char *nonblocking_pipe(void) {
  int ends[2];
  char *data = calloc(1, BIG);
  CHECK(data && pipe(ends) == 0);
  set_nonblocking(ends[1]);
  ssize_t part = write(ends[1], data, BIG);
  CHECK(part == 65536);
  CHECK(write(ends[1], data, 1) == -1 && errno == EAGAIN);
  CHECK(read(ends[0], data, 4096) == 4096 && write(ends[1], data, BIG) == 4096);
  close(ends[0]);
  close(ends[1]);
  free(data);
  return NULL;
}

static const char *files(void) {
  char path[] = "/tmp/howdah-file-XXXXXX", text[8192];
  int fd = mkstemp(path);
  CHECK(fd >= 0 && write(fd, "hello world", 11) == 11 && lseek(fd, 6, SEEK_SET) == 6);
  CHECK(read(fd, text, sizeof(text)) == 5 && memcmp(text, "world", 5) == 0 && read(fd, text, 1) == 0);
  int end = open(path, O_WRONLY | O_APPEND);
  CHECK(end >= 0 && writev(end, (struct iovec[]){{"a", 1}, {"b", 1}}, 2) == 2 && write(end, "c", 1) == 1);
  CHECK(read(fd, text, sizeof(text)) == 3 && memcmp(text, "abc", 3) == 0);
  CHECK(read(end, text, 1) == -1 && errno == EBADF);
  close(fd);
  close(end);
  unlink(path);
  fd = open("/tmp", O_RDONLY);
  CHECK(read(fd, text, 1) == -1 && errno == EISDIR);
  close(fd);
  fd = open("/dev/null", O_RDWR);
  CHECK(read(fd, text, 1) == 0 && write(fd, text, sizeof(text)) == sizeof(text));
  close(fd);
  fd = open("/dev/zero", O_RDONLY);
  CHECK(read(fd, text, sizeof(text)) == sizeof(text) && text[8191] == 0);
  close(fd);
  fd = open("/dev/full", O_WRONLY);
  CHECK(write(fd, "x", 1) == -1 && errno == ENOSPC);
  close(fd);
  fd = open("/proc/self/stat", O_RDONLY);
  CHECK(read(fd, text, sizeof(text)) > 10);
  close(fd);
  return NULL;
}

/* A number that was a disk file, then a pipe, then a socket, then a terminal. */
static const char *reused(void) {
  char text[8];
  int number = open("/etc/passwd", O_RDONLY), ends[2];
  CHECK(number >= 0 && read(number, text, 1) == 1);
  int64_t start = now_ms();
  CHECK(pipe(ends) == 0 && dup2(ends[0], number) == number);
  later(30, put_byte, &ends[1]);
  CHECK(read(number, text, 1) == 1 && took_ms(start, 30));
  int pair[2];
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0 && dup2(pair[0], number) == number);
  later(30, put_byte, &pair[1]);
  CHECK(read(number, text, 8) == 1 && took_ms(start, 60));
  int master = posix_openpt(O_RDWR | O_NOCTTY);
  CHECK(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
  int slave = open(ptsname(master), O_RDWR | O_NOCTTY);
  CHECK(slave >= 0 && dup3(slave, number, O_CLOEXEC) == number);
  CHECK(write(master, "line\n", 5) == 5);
  CHECK(read(number, text, 8) == 5 && memcmp(text, "line\n", 5) == 0);
  CHECK(write(number, "out", 3) == 3);
  int more[] = {ends[0], ends[1], pair[0], pair[1], master, slave, number};
  for (size_t i = 0; i < sizeof(more) / sizeof(*more); i++)
    close(more[i]);
  return NULL;
}

static const char *events(void) {
  uint64_t count = 0;
  int64_t start = now_ms();
  int timer = timerfd_create(CLOCK_MONOTONIC, 0), counter = eventfd(0, 0), notes = inotify_init();
  struct itimerspec once = {.it_value = {0, 100000000}};
  CHECK(timer >= 0 && timerfd_settime(timer, 0, &once, NULL) == 0);
  CHECK(read(timer, &count, 4) == -1 && errno == EINVAL);
  CHECK(read(timer, &count, 8) == 8 && count == 1 && took_ms(start, 100));
  count = 5;
  CHECK(write(counter, &count, 8) == 8 && read(counter, &count, 8) == 8 && count == 5);
  CHECK(write(counter, &count, 3) == -1 && errno == EINVAL);
  CHECK(inotify_add_watch(notes, "/tmp", IN_CREATE) >= 0);
  close(timer);
  close(counter);
  close(notes);
  return NULL;
}

static const char *sockets(void) {
  int pair[2];
  char text[16];
  struct timeval limit = {0, 50000};
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
  int64_t start = now_ms();
  CHECK(setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)) == 0);
  CHECK(read(pair[0], text, 1) == -1 && errno == EAGAIN && took_ms(start, 50));
  CHECK(recv(pair[0], text, 1, MSG_DONTWAIT) == -1 && errno == EAGAIN);
  CHECK(write(pair[1], "abc", 3) == 3);
  CHECK(recv(pair[0], text, 16, MSG_WAITALL) == 3 && took_ms(start, 100)); /* its time limit: what there is */
  limit.tv_usec = 0;
  CHECK(setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)) == 0);
  CHECK(write(pair[1], "ab", 2) == 2);
  later(20, put_byte, &pair[1]);
  CHECK(recv(pair[0], text, 3, MSG_WAITALL) == 3 && memcmp(text, "abx", 3) == 0);
  CHECK(write(pair[1], "ab", 2) == 2);
  later(20, put_byte, &pair[1]);
  CHECK(recv(pair[0], text, 3, MSG_WAITALL | MSG_PEEK) >= 2 && recv(pair[0], text, 3, MSG_WAITALL) == 3);
  CHECK(write(pair[1], "ab", 2) == 2 && recv(pair[0], text, 1, MSG_PEEK) == 1 && read(pair[0], text, 2) == 2);
  close(pair[1]);
  CHECK(recv(pair[0], text, 3, MSG_WAITALL) == 0 && read(pair[0], text, 3) == 0);
  CHECK(send(pair[0], text, 1, MSG_NOSIGNAL) == -1 && errno == EPIPE);
  close(pair[0]);
  CHECK(recv(pair[0], text, 1, 0) == -1 && errno == EBADF);
  CHECK(recv(0, text, 1, 0) == -1 && (errno == ENOTSOCK || errno == EBADF));
  CHECK(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) == 0 && write(pair[1], "abcdef", 6) == 6);
  CHECK(read(pair[0], text, 3) == 3 && send(pair[1], "", 0, 0) == 0 && read(pair[0], text, 3) == 0);
  close(pair[0]);
  close(pair[1]);
  return NULL;
}

static const char *connecting(void) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t len = sizeof(address);
  struct timeval limit = {0, 50000};
  int server = socket(AF_INET, SOCK_STREAM, 0), client = socket(AF_INET, SOCK_STREAM, 0);
  CHECK(bind(server, (struct sockaddr *)&address, len) == 0 && listen(server, 5) == 0);
  CHECK(getsockname(server, (struct sockaddr *)&address, &len) == 0);
  int64_t start = now_ms();
  CHECK(setsockopt(server, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)) == 0);
  CHECK(accept(server, NULL, NULL) == -1 && errno == EAGAIN && took_ms(start, 50));
  CHECK(connect(client, (struct sockaddr *)&address, len) == 0);
  int accepted = accept4(server, NULL, NULL, SOCK_CLOEXEC);
  CHECK(accepted >= 0 && (fcntl(accepted, F_GETFD) & FD_CLOEXEC) && !(fcntl(client, F_GETFL) & O_NONBLOCK));
  CHECK(connect(client, (struct sockaddr *)&address, len) == -1 && errno == EISCONN);
  set_nonblocking(server);
  CHECK(accept(server, NULL, NULL) == -1 && errno == EAGAIN);
  close(accepted);
  close(client);
  close(server);
  client = socket(AF_INET, SOCK_STREAM, 0);
  CHECK(connect(client, (struct sockaddr *)&address, len) == -1 && errno == ECONNREFUSED);
  close(client);
  CHECK(accept(0, NULL, NULL) == -1 && (errno == ENOTSOCK || errno == EBADF));
  return NULL;
}

/* A local server whose queue is full: connect() waits until there is room. */
typedef struct {
  int server, accepted[3];
  bool done;
} host;

static void accept_all(void *data) {
  host *self = data;
  for (int i = 0; i < 3; i++)
    self->accepted[i] = accept(self->server, NULL, NULL);
  __atomic_store_n(&self->done, true, __ATOMIC_RELEASE);
}

static const char *connecting_local(void) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  struct timeval limit = {0, 50000};
  host it = {.server = socket(AF_UNIX, SOCK_STREAM, 0)};
  socklen_t len = sizeof(sa_family_t); /* the kernel chooses a name */
  int clients[3];
  CHECK(bind(it.server, (struct sockaddr *)&address, len) == 0 && listen(it.server, 0) == 0);
  len = sizeof(address);
  CHECK(getsockname(it.server, (struct sockaddr *)&address, &len) == 0);
  for (int i = 0; i < 3; i++)
    clients[i] = socket(AF_UNIX, SOCK_STREAM, 0);
  CHECK(connect(clients[0], (struct sockaddr *)&address, len) == 0);
  CHECK(setsockopt(clients[1], SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit)) == 0);
  int64_t start = now_ms();
  CHECK(connect(clients[1], (struct sockaddr *)&address, len) == -1 && errno == EAGAIN && took_ms(start, 50));
  limit.tv_usec = 0;
  CHECK(setsockopt(clients[1], SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit)) == 0);
  later(50, accept_all, &it);
  CHECK(connect(clients[1], (struct sockaddr *)&address, len) == 0 && took_ms(start, 100));
  CHECK(connect(clients[2], (struct sockaddr *)&address, len) == 0);
  while (!__atomic_load_n(&it.done, __ATOMIC_ACQUIRE))
    nap_ms(1);
  for (int i = 0; i < 3; i++) {
    close(clients[i]);
    close(it.accepted[i]);
  }
  close(it.server);
  return NULL;
}

static const char *polls(void) {
  int ends[2];
  CHECK(pipe(ends) == 0);
  struct pollfd wanted = {.fd = ends[0], .events = POLLIN};
  struct timespec limit = {0, 25000000}, bad = {0, -1};
  sigset_t mask;
  sigemptyset(&mask);
  int64_t start = now_ms();
  CHECK(ppoll(&wanted, 1, &limit, NULL) == 0 && took_ms(start, 25));
  CHECK(ppoll(&wanted, 1, &limit, &mask) == 0 && took_ms(start, 50) && limit.tv_nsec == 25000000);
  CHECK(ppoll(&wanted, 1, &bad, NULL) == -1 && errno == EINVAL);
  fd_set reads;
  FD_ZERO(&reads);
  FD_SET(ends[0], &reads);
  CHECK(pselect(ends[0] + 1, &reads, NULL, NULL, &limit, &mask) == 0 && took_ms(start, 75) && !FD_ISSET(ends[0], &reads));
  CHECK(pselect(-1, NULL, NULL, NULL, &limit, NULL) == -1 && errno == EINVAL);
  later(25, put_byte, &ends[1]);
  FD_SET(ends[0], &reads);
  CHECK(pselect(ends[0] + 1, &reads, NULL, NULL, NULL, NULL) == 1 && took_ms(start, 100) && FD_ISSET(ends[0], &reads));
  CHECK(ppoll(&wanted, 1, NULL, NULL) == 1 && wanted.revents == POLLIN);
  close(ends[1]);
  CHECK(poll(&wanted, 1, -1) == 1 && wanted.revents == (POLLIN | POLLHUP));
  close(ends[0]);
  CHECK(poll(&wanted, 1, -1) == 1 && wanted.revents == POLLNVAL);
  FD_SET(ends[0], &reads);
  CHECK(pselect(ends[0] + 1, &reads, NULL, NULL, NULL, NULL) == -1 && errno == EBADF);
  return NULL;
}

static volatile sig_atomic_t signals;

static void count_signal(int signal) {
  (void)signal;
  signals++;
}

/* A signal that is blocked and that the mask lets in. */
static const char *masks(void) {
  sigset_t usr2, before, none;
  struct sigaction action = {.sa_handler = count_signal}, old;
  struct timespec limit = {1, 0};
  sigemptyset(&none);
  sigemptyset(&usr2);
  sigaddset(&usr2, SIGUSR2);
  sigaction(SIGUSR2, &action, &old);
  pthread_sigmask(SIG_BLOCK, &usr2, &before);
  signals = 0;
  raise(SIGUSR2);
  CHECK(signals == 0 && ppoll(NULL, 0, &limit, &none) == -1 && errno == EINTR && signals == 1);
  raise(SIGUSR2);
  CHECK(pselect(0, NULL, NULL, NULL, &limit, &none) == -1 && errno == EINTR && signals == 2);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  sigaction(SIGUSR2, &old, NULL);
  return NULL;
}

/* What is left of the last one is told; none rings before it is taken back. */
static const char *alarms(void) {
  struct itimerval hour = {.it_value = {3600, 0}}, none = {.it_value = {0, 0}}, bad = {.it_value = {0, -1}}, old;
  alarm(0);
  CHECK(alarm(100) == 0 && alarm(50) > 50 && alarm(0) > 0 && alarm(0) == 0);
  CHECK(setitimer(ITIMER_REAL, &hour, &old) == 0 && old.it_value.tv_sec == 0 && old.it_value.tv_usec == 0);
  CHECK(setitimer(ITIMER_REAL, &none, &old) == 0 && old.it_value.tv_sec >= 3500);
  CHECK(setitimer(ITIMER_REAL, &bad, NULL) == -1 && errno == EINVAL);
  return NULL;
}

/* Alone of these calls epoll_wait() is not begun anew where a process was stopped or frozen for a moment (signal(7)), whoever
 * did it. */
static const char *epoll(void) {
  int ends[2], set = epoll_create1(0);
  struct epoll_event event = {.events = EPOLLIN, .data.u32 = 7}, got[4];
  struct timespec limit = {0, 25000000};
  CHECK(set >= 0 && pipe(ends) == 0 && epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &event) == 0);
  int64_t start = now_ms();
  CHECK(TEMP_FAILURE_RETRY(epoll_wait(set, got, 4, 25)) == 0 && took_ms(start, 25));
  CHECK(TEMP_FAILURE_RETRY(epoll_pwait(set, got, 4, 25, NULL)) == 0 && took_ms(start, 50));
  CHECK(TEMP_FAILURE_RETRY(epoll_pwait2(set, got, 4, &limit, NULL)) == 0 && took_ms(start, 75));
  later(25, put_byte, &ends[1]);
  CHECK(TEMP_FAILURE_RETRY(epoll_wait(set, got, 4, -1)) == 1 && got[0].events == EPOLLIN && got[0].data.u32 == 7 &&
        took_ms(start, 100));
  CHECK(epoll_wait(set, got, 0, 5) == -1 && errno == EINVAL);
  CHECK(epoll_wait(ends[0], got, 4, 5) == -1 && errno == EINVAL);
  close(set);
  CHECK(epoll_wait(set, got, 4, 5) == -1 && errno == EBADF);
  close(ends[0]);
  close(ends[1]);
  return NULL;
}

/* By itself, so that MemcheckTest can leave it out: where a signal comes right before ppoll(), valgrind 3.24 calls it again
 * with the address of its own copy of the mask, and it fails with EFAULT (coregrind/m_syswrap/syswrap-linux.c,
 * blocking_syscall_sigmask_pre()). */
static const char *epoll_mask(void) {
  int set = epoll_create1(0);
  struct epoll_event got[4];
  struct timespec second = {1, 0};
  sigset_t usr2, before, none;
  struct sigaction action = {.sa_handler = count_signal}, old;
  sigemptyset(&none);
  sigemptyset(&usr2);
  sigaddset(&usr2, SIGUSR2);
  CHECK(set >= 0);
  int64_t start = now_ms();
  CHECK(epoll_pwait(set, got, 4, 25, &none) == 0 && took_ms(start, 25));
  sigaction(SIGUSR2, &action, &old);
  pthread_sigmask(SIG_BLOCK, &usr2, &before);
  signals = 0;
  raise(SIGUSR2);
  CHECK(signals == 0 && epoll_pwait(set, got, 4, 1000, &none) == -1 && errno == EINTR && signals == 1);
  raise(SIGUSR2);
  CHECK(epoll_pwait2(set, got, 4, &second, &none) == -1 && errno == EINTR && signals == 2);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  sigaction(SIGUSR2, &old, NULL);
  close(set);
  return NULL;
}

const named_call stream_calls[] = {
    {"pipes", pipes},
    {"big_pipe", big_pipe},
    {"big_pipe_parts", big_pipe_parts},
    {"big_sockets", big_sockets},
    {"nonblocking_pipe", nonblocking_pipe},
    {"files", files},
    {"reused", reused},
    {"events", events},
    {"sockets", sockets},
    {"connecting", connecting},
    {"connecting_local", connecting_local},
    {"polls", polls},
    {"masks", masks},
    {"alarms", alarms},
    {"epoll", epoll},
    {"epoll_mask", epoll_mask},
    {NULL, NULL},
};
