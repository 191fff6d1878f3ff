/* Time limits that no program should have: results and errno are the C library's, and none that is far away is over at once. */
#include "calls.h"

#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* In microseconds and of 64 bits these are, one after the other: too long, nothing at all, less than a second, below zero. */
static const time_t far[] = {LLONG_MAX, 1LL << 58, 18446744073710, 9223372036855, LLONG_MAX / 1000000};
enum { FAR = sizeof(far) / sizeof(*far), SOON_MS = 10 };

static void send_byte(void *fd) {
  char byte = 'x';
  if (send(*(int *)fd, &byte, 1, 0) != 1) perror("send");
}

/* A byte comes soon; the last one has been read. */
static bool expect(int ends[2], struct pollfd *one) {
  char byte;
  if (recv(ends[0], &byte, 1, MSG_DONTWAIT) > 1) return false;
  later(SOON_MS, send_byte, &ends[1]);
  *one = (struct pollfd){.fd = ends[0], .events = POLLIN};
  return true;
}

static const char *descriptors(int ends[2], time_t seconds) {
  const struct timespec limit = {seconds, 999999999};
  struct timeval time = {seconds, 0}, most;
  socklen_t size = sizeof(most);
  struct epoll_event event = {.events = EPOLLIN};
  struct pollfd one;
  char byte;
  fd_set set;
  int events = epoll_create1(EPOLL_CLOEXEC);
  CHECK(events >= 0 && epoll_ctl(events, EPOLL_CTL_ADD, ends[0], &event) == 0);
  CHECK(expect(ends, &one) && ppoll(&one, 1, &limit, NULL) == 1);
  CHECK(expect(ends, &one) && epoll_pwait2(events, &event, 1, &limit, NULL) == 1);
  FD_ZERO(&set);
  FD_SET(ends[0], &set);
  CHECK(expect(ends, &one) && select(ends[0] + 1, &set, NULL, NULL, &time) == 1 && time.tv_sec > 1000);
  CHECK(expect(ends, &one) && pselect(ends[0] + 1, &set, NULL, NULL, &limit, NULL) == 1);
  CHECK(recv(ends[0], &byte, 1, 0) == 1);
  time = (struct timeval){seconds, 999999};
  CHECK(setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &time, sizeof(time)) == 0);
  CHECK(getsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &most, &size) == 0 && (most.tv_sec == 0 || most.tv_sec > 1000));
  CHECK(expect(ends, &one) && recv(ends[0], &byte, 1, 0) == 1 && close(events) == 0);
  return NULL;
}

static void post(void *semaphore) {
  sem_post(semaphore);
}

static void undo(void *set) {
  struct sembuf up = {0, 1, 0};
  semop(*(int *)set, &up, 1);
}

static const char *moments(time_t seconds) {
  const struct timespec moment = {seconds, 999999999};
  struct sembuf down = {0, -1, 0};
  sem_t semaphore;
  int set = semget(IPC_PRIVATE, 1, 0600);
  sem_init(&semaphore, 0, 0);
  later(SOON_MS, post, &semaphore);
  CHECK(sem_timedwait(&semaphore, &moment) == 0);
  later(SOON_MS, post, &semaphore);
  CHECK(sem_clockwait(&semaphore, CLOCK_MONOTONIC, &moment) == 0);
  later(SOON_MS, undo, &set);
  CHECK(set >= 0 && semtimedop(set, &down, 1, &moment) == 0 && semctl(set, 0, IPC_RMID) == 0);
  return NULL;
}

static const char *far_limits(void) {
  int ends[2];
  CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
  const char *wrong = NULL;
  for (int i = 0; i < FAR && !wrong; i++) {
    wrong = descriptors(ends, far[i]);
    if (!wrong) wrong = moments(far[i]);
  }
  close(ends[0]);
  close(ends[1]);
  return wrong;
}

#define REFUSED(call) ((call) == -1 && errno == EINVAL)

/* What is no time is refused, or over: at once. */
static const char *bad_limits(void) {
  static const struct timespec bad[] = {{-1, 0},        {0, -1},       {0, 1000000000},
                                        {LLONG_MIN, 0}, {1, LONG_MAX}, {LLONG_MIN, LONG_MIN}};
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
  struct sembuf down = {0, -1, 0};
  sem_t semaphore;
  int set = semget(IPC_PRIVATE, 1, 0600), events = epoll_create1(EPOLL_CLOEXEC);
  struct epoll_event event;
  sem_init(&semaphore, 0, 0);
  CHECK(set >= 0 && events >= 0 && pthread_mutex_lock(&mutex) == 0);
  for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
    const struct timespec *one = &bad[i];
    struct timeval time = {one->tv_sec, one->tv_nsec < 0 ? one->tv_nsec : 0};
    bool is_past = one->tv_nsec == 0;
    CHECK(REFUSED(nanosleep(one, NULL)) && clock_nanosleep(CLOCK_MONOTONIC, 0, one, NULL) == EINVAL);
    CHECK(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, one, NULL) == EINVAL);
    CHECK(REFUSED(ppoll(NULL, 0, one, NULL)) && REFUSED(pselect(0, NULL, NULL, NULL, one, NULL)));
    CHECK(REFUSED(epoll_pwait2(events, &event, 1, one, NULL)) && REFUSED(semtimedop(set, &down, 1, one)));
    if (time.tv_sec < 0 || time.tv_usec < 0) CHECK(REFUSED(select(0, NULL, NULL, NULL, &time)));
    int error = is_past ? ETIMEDOUT : EINVAL;
    CHECK(pthread_cond_timedwait(&condition, &mutex, one) == error);
    CHECK(pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, one) == error);
    CHECK(sem_timedwait(&semaphore, one) == -1 && errno == error);
  }
  struct itimerval interval = {.it_interval = {0, 1000000}};
  CHECK(REFUSED(setitimer(ITIMER_VIRTUAL, &interval, NULL)));
  /* More microseconds than a second has are more seconds, and poll() waits for ever below zero. */
  struct timeval time = {0, 1050000};
  struct pollfd none = {.fd = -1};
  int64_t start = now_ms();
  CHECK(select(0, NULL, NULL, NULL, &time) == 0 && time.tv_sec == 0 && time.tv_usec == 0 && took_ms(start, 1050));
  CHECK(poll(&none, 1, 0) == 0 && usleep(0) == 0 && semctl(set, 0, IPC_RMID) == 0 && close(events) == 0);
  return NULL;
}

const named_call limit_calls[] = {{"far_limits", far_limits}, {"bad_limits", bad_limits}, {NULL, NULL}};
