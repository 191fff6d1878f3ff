/* What a hook costs on a descriptor that is ready: the same call through this library's own slot, which the engine has patched,
 * and through the address that dlsym() gives. Loaded into a realm by hook-cost.php. */
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { BATCH = 200, ROUNDS = 301 };

static int pair[2], ends[2], file, zero;
static char buffer[4096];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static int (*plain_poll)(struct pollfd *, nfds_t, int);
static ssize_t (*plain_recv)(int, void *, size_t, int);
static ssize_t (*plain_send)(int, const void *, size_t, int);
static ssize_t (*plain_read)(int, void *, size_t);
static ssize_t (*plain_write)(int, const void *, size_t);
static int (*plain_close)(int);
static int (*plain_flock)(int, int);
static int (*plain_lock)(pthread_mutex_t *);

/* Each does the call once, hooked or plain; false when the call did not do what it should. */
static bool do_poll(bool hooked) {
  struct pollfd wanted = {.fd = pair[0], .events = POLLOUT};
  return (hooked ? poll(&wanted, 1, 1000) : plain_poll(&wanted, 1, 1000)) == 1;
}

static bool do_send(bool hooked) {
  return (hooked ? send(pair[1], buffer, 1, 0) : plain_send(pair[1], buffer, 1, 0)) == 1;
}

static bool do_recv(bool hooked) {
  return (hooked ? recv(pair[0], buffer, 1, 0) : plain_recv(pair[0], buffer, 1, 0)) == 1;
}

static bool do_write_socket(bool hooked) {
  return (hooked ? write(pair[1], buffer, 1) : plain_write(pair[1], buffer, 1)) == 1;
}

static bool do_read_socket(bool hooked) {
  return (hooked ? read(pair[0], buffer, 1) : plain_read(pair[0], buffer, 1)) == 1;
}

static bool do_write_pipe(bool hooked) {
  return (hooked ? write(ends[1], buffer, 1) : plain_write(ends[1], buffer, 1)) == 1;
}

static bool do_read_pipe(bool hooked) {
  return (hooked ? read(ends[0], buffer, 1) : plain_read(ends[0], buffer, 1)) == 1;
}

static bool do_write_file(bool hooked) {
  return (hooked ? write(file, buffer, 100) : plain_write(file, buffer, 100)) == 100;
}

static bool do_read_file(bool hooked) {
  return (hooked ? read(file, buffer, 100) : plain_read(file, buffer, 100)) == 100;
}

static bool do_read_device(bool hooked) {
  return (hooked ? read(zero, buffer, 100) : plain_read(zero, buffer, 100)) == 100;
}

static bool do_close(bool hooked) {
  int copy = dup(zero);
  return (hooked ? close(copy) : plain_close(copy)) == 0;
}

static bool do_flock(bool hooked) {
  return (hooked ? flock(file, LOCK_EX) : plain_flock(file, LOCK_EX)) == 0;
}

static bool do_lock(bool hooked) {
  bool done = (hooked ? pthread_mutex_lock(&mutex) : plain_lock(&mutex)) == 0;
  pthread_mutex_unlock(&mutex);
  return done;
}

typedef struct {
  const char *name;
  bool (*run)(bool hooked);
} operation;

/* Those that fill come right before those that drain. */
static const operation operations[] = {
    {"poll", do_poll},
    {"send on a socket", do_send},
    {"recv on a socket", do_recv},
    {"write to a socket", do_write_socket},
    {"read from a socket", do_read_socket},
    {"write to a pipe", do_write_pipe},
    {"read from a pipe", do_read_pipe},
    {"write to a file", do_write_file},
    {"read from a file", do_read_file},
    {"read from /dev/zero", do_read_device},
    {"dup and close", do_close},
    {"flock", do_flock},
    {"pthread_mutex_lock and unlock", do_lock},
};
enum { OPERATIONS = sizeof(operations) / sizeof(*operations) };

static double now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static int compare(const void *one, const void *other) {
  double difference = *(const double *)one - *(const double *)other;
  return (difference > 0) - (difference < 0);
}

static bool prepare(void) {
  char path[] = "/tmp/howdah-cost-XXXXXX";
  *(void **)&plain_poll = dlsym(RTLD_DEFAULT, "poll");
  *(void **)&plain_recv = dlsym(RTLD_DEFAULT, "recv");
  *(void **)&plain_send = dlsym(RTLD_DEFAULT, "send");
  *(void **)&plain_read = dlsym(RTLD_DEFAULT, "read");
  *(void **)&plain_write = dlsym(RTLD_DEFAULT, "write");
  *(void **)&plain_close = dlsym(RTLD_DEFAULT, "close");
  *(void **)&plain_flock = dlsym(RTLD_DEFAULT, "flock");
  *(void **)&plain_lock = dlsym(RTLD_DEFAULT, "pthread_mutex_lock");
  file = mkstemp(path);
  unlink(path);
  zero = open("/dev/zero", O_RDONLY);
  return file >= 0 && zero >= 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0 && pipe(ends) == 0;
}

/* Nanoseconds per call, of one batch; below 0 when a call failed. */
static double batch(const operation *what, bool hooked) {
  if (what->run == do_read_file || what->run == do_write_file) lseek(file, 0, SEEK_SET);
  double start = now_ns();
  for (int i = 0; i < BATCH; i++)
    if (!what->run(hooked)) return -1;
  return (now_ns() - start) / BATCH;
}

/* JSON: {"poll": {"hooked_ns": 300, "original_ns": 290, "over_ns": 10}, ...}: medians over rounds that take turns. Or
 * {"failed": name}. */
const char *measure(void) {
  static double hooked[OPERATIONS][ROUNDS], plain[OPERATIONS][ROUNDS], over[OPERATIONS][ROUNDS];
  static char text[OPERATIONS * 128];
  if (!prepare()) return "{\"failed\": \"prepare\"}";
  for (int round = 0; round < ROUNDS; round++)
    for (int turn = 0; turn < 2; turn++)
      for (size_t i = 0; i < OPERATIONS; i++) {
        bool is_hooked = (turn + round) % 2 == 0;
        double ns = batch(&operations[i], is_hooked);
        if (ns < 0) {
          snprintf(text, sizeof(text), "{\"failed\": \"%s\"}", operations[i].name);
          return text;
        }
        (is_hooked ? hooked : plain)[i][round] = ns;
        if (turn == 1) over[i][round] = hooked[i][round] - plain[i][round];
      }
  size_t len = 0;
  for (size_t i = 0; i < OPERATIONS; i++) {
    qsort(hooked[i], ROUNDS, sizeof(double), compare);
    qsort(plain[i], ROUNDS, sizeof(double), compare);
    qsort(over[i], ROUNDS, sizeof(double), compare);
    len += (size_t)snprintf(text + len, sizeof(text) - len,
                            "%s\"%s\": {\"hooked_ns\": %.0f, \"original_ns\": %.0f, \"over_ns\": %.0f}", i ? ", " : "{",
                            operations[i].name, hooked[i][ROUNDS / 2], plain[i][ROUNDS / 2], over[i][ROUNDS / 2]);
  }
  snprintf(text + len, sizeof(text) - len, "}");
  return text;
}
