/* A thread of a library calls what is hooked while realms do: each side has descriptors, streams, locks and children of its
 * own. What the engine keeps for its own thread is not the other one's to look at. */
#include "calls.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <pwd.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <syslog.h>
#include <unistd.h>

typedef struct {
  pthread_mutex_t mutex;
  pthread_cond_t condition;
  sem_t semaphore;
  int pair[2], events, file;
  FILE *memory;
  char *text;
  size_t len;
} tools;

static const char *make(tools *self) {
  struct epoll_event event = {.events = EPOLLIN};
  *self = (tools){.mutex = PTHREAD_MUTEX_INITIALIZER, .condition = PTHREAD_COND_INITIALIZER};
  sem_init(&self->semaphore, 0, 0);
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, self->pair) == 0 && (self->events = epoll_create1(0)) >= 0);
  CHECK(epoll_ctl(self->events, EPOLL_CTL_ADD, self->pair[0], &event) == 0);
  CHECK((self->file = memfd_create("beside", MFD_CLOEXEC)) >= 0);
  CHECK((self->memory = open_memstream(&self->text, &self->len)) != NULL);
  return NULL;
}

static const char *wait_for_time(tools *self) {
  struct pollfd wanted = {.fd = self->pair[0], .events = POLLIN};
  struct timespec soon, moment = {0, 1};
  struct timeval limit = {0, 1000};
  struct epoll_event event;
  fd_set reads;
  FD_ZERO(&reads);
  FD_SET(self->pair[0], &reads);
  soon = (struct timespec){0, 1000000};
  CHECK(usleep(1000) == 0 && nanosleep(&soon, NULL) == 0 && clock_nanosleep(CLOCK_MONOTONIC, 0, &soon, NULL) == 0);
  CHECK(poll(&wanted, 1, 1) == 0 && ppoll(&wanted, 1, &soon, NULL) == 0);
  CHECK(select(self->pair[0] + 1, &reads, NULL, NULL, &limit) == 0);
  CHECK(TEMP_FAILURE_RETRY(epoll_wait(self->events, &event, 1, 1)) == 0); /* as in calls/streams.c */
  CHECK(pthread_mutex_lock(&self->mutex) == 0);
  CHECK(pthread_cond_timedwait(&self->condition, &self->mutex, &moment) == ETIMEDOUT);
  CHECK(pthread_cond_signal(&self->condition) == 0 && pthread_cond_broadcast(&self->condition) == 0);
  CHECK(pthread_mutex_unlock(&self->mutex) == 0);
  CHECK(sem_timedwait(&self->semaphore, &moment) == -1 && errno == ETIMEDOUT);
  return NULL;
}

static const char *transfer(tools *self) {
  char bytes[8];
  int twin = dup(self->pair[0]);
  CHECK(write(self->pair[1], "abc", 3) == 3 && read(self->pair[0], bytes, 3) == 3);
  CHECK(send(self->pair[1], "abc", 3, 0) == 3 && recv(self->pair[0], bytes, sizeof(bytes), 0) == 3);
  CHECK(twin >= 0 && dup2(self->pair[1], twin) == twin && close(twin) == 0);
  CHECK(flock(self->file, LOCK_EX) == 0 && flock(self->file, LOCK_UN) == 0);
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
  CHECK(fcntl(self->file, F_SETLKW, &lock) == 0);
  lock.l_type = F_UNLCK;
  CHECK(fcntl(self->file, F_SETLK, &lock) == 0 && lockf(self->file, F_TEST, 1) == 0);
  return NULL;
}

static const char *use_streams(tools *self) {
  char line[8] = "";
  FILE *command = popen("echo hi", "r"), *file = fopen("/dev/null", "we");
  CHECK(command && file && fgets(line, sizeof(line), command) && strcmp(line, "hi\n") == 0);
  for (int i = 0; i < 10; i++)
    CHECK(fprintf(self->memory, "%d", i) == 1);
  CHECK(pclose(command) == 0 && fclose(file) == 0);
  int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
  CHECK(fd >= 0 && close(fd) == 0);
  return NULL;
}

static int nothing(void *data) {
  (void)data;
  return 0;
}

static const char *look_up(void) {
  struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *found = NULL;
  struct passwd user, *root = NULL;
  char room[4096];
  int status, pid = child(nothing, NULL);
  CHECK(getaddrinfo("localhost", NULL, &hints, &found) == 0);
  freeaddrinfo(found);
  CHECK(getpwnam_r("root", &user, room, sizeof(room), &root) == 0 && root);
  CHECK(waitpid(pid, &status, 0) == pid && status == 0);
  return NULL;
}

static const char *change(void) {
  sigset_t mask, old;
  struct itimerval none = {{0, 0}, {0, 0}};
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  sigemptyset(&mask);
  sigaddset(&mask, SIGUSR2);
  CHECK(pthread_once(&once, tzset) == 0);
  CHECK(pthread_sigmask(SIG_BLOCK, &mask, &old) == 0 && pthread_sigmask(SIG_SETMASK, &old, NULL) == 0);
  CHECK(setitimer(ITIMER_VIRTUAL, &none, NULL) == 0);
  umask(umask(022));
  return NULL;
}

static const char *do_all(tools *self) {
  const char *wrong = wait_for_time(self);
  if (!wrong) wrong = transfer(self);
  if (!wrong) wrong = use_streams(self);
  if (!wrong) wrong = look_up();
  return wrong ? wrong : change();
}

typedef struct {
  tools mine;
  const char *wrong;
  sem_t begins;
} library;

/* Its children are not a reason to interrupt it: a server has a handler for SIGCHLD. */
static void *work(void *data) {
  library *self = data;
  sigset_t ended;
  sigemptyset(&ended);
  sigaddset(&ended, SIGCHLD);
  pthread_sigmask(SIG_BLOCK, &ended, NULL);
  sem_post(&self->begins);
  for (int i = 0; i < 3 && !self->wrong; i++)
    self->wrong = do_all(&self->mine);
  return NULL;
}

/* What the thread says went wrong counts. */
static const char *beside(void) {
  library its = {.wrong = NULL};
  tools own;
  pthread_t thread;
  const char *wrong = make(&its.mine);
  if (!wrong) wrong = make(&own);
  if (wrong) return wrong;
  sem_init(&its.begins, 0, 0);
  CHECK(pthread_create(&thread, NULL, work, &its) == 0);
  CHECK(sem_wait(&its.begins) == 0);
  for (int i = 0; i < 3 && !wrong; i++)
    wrong = do_all(&own);
  CHECK(pthread_join(thread, NULL) == 0);
  return wrong ? wrong : its.wrong;
}

static const char *load_often(const char *name) {
  for (int i = 0; i < 40; i++) {
    void *library = dlopen(name, RTLD_NOW);
    CHECK(library && dlclose(library) == 0);
  }
  return NULL;
}

static void *load_in_thread(void *data) {
  *(const char **)data = load_often("libnss_compat.so.2");
  return NULL;
}

/* What is loaded is patched, on whichever thread that is. */
static const char *loads(void) {
  pthread_t thread;
  const char *its = NULL;
  CHECK(pthread_create(&thread, NULL, load_in_thread, &its) == 0);
  const char *wrong = load_often("libBrokenLocale.so.1");
  CHECK(pthread_join(thread, NULL) == 0);
  return wrong ? wrong : its;
}

const named_call beside_calls[] = {{"beside", beside}, {"loads", loads}, {NULL, NULL}};
