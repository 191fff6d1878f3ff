/* Finds a call by its name, and what all of them use. */
#include "calls.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

const char *run(const char *name) {
  static const named_call *const tables[] = {beside_calls, child_calls,  exception_calls, fifo_calls,   limit_calls,
                                             lock_calls,   name_calls,   signal_calls,    socket_calls, stream_calls,
                                             theft_calls,  thread_calls, user_calls};
  for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++)
    for (const named_call *each = tables[i]; each->name; each++)
      if (strcmp(each->name, name) == 0) return each->run();
  return "there is no such call";
}

static __thread bool is_late;

bool too_late(void) {
  is_late = true;
  return false;
}

void in_time(void) {
  is_late = false;
}

const char *failed(const char *file, int line, const char *what) {
  int error = errno;
  char *text = malloc(1024);
  if (text)
    snprintf(text, 1024, "%s%s:%d: not so: %s (errno %d, %s)", is_late ? "late: " : "", file, line, what, error,
             strerror(error));
  return text;
}

int64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* For how long this process has had to wait for a processor since it began: schedstat's second number (Linux,
 * Documentation/scheduler/sched-stats.rst) for its first thread, which runs the realms. 0 where the kernel does not say. */
static int64_t starved_ms(void) {
  char text[128];
  long long ran = 0, starved = 0;
  int fd = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/schedstat", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  ssize_t size = syscall(SYS_read, fd, text, sizeof(text) - 1);
  syscall(SYS_close, fd);
  text[size > 0 ? size : 0] = 0;
  return sscanf(text, "%lld %lld", &ran, &starved) == 2 ? starved / 1000000 : 0;
}

bool took_less_ms(int64_t since_ms, int64_t limit_ms) {
  /* Others than the first thread take part: they starve, too, and one after the other. */
  return now_ms() - since_ms < limit_ms + 10 * starved_ms() || too_late();
}

bool took_ms(int64_t since_ms, int64_t wanted_ms) {
  return now_ms() - since_ms >= wanted_ms - 2 && took_less_ms(since_ms, wanted_ms + 3000);
}

void nap_ms(int ms) {
  struct timespec time = {ms / 1000, ms % 1000 * 1000000L};
  syscall(SYS_nanosleep, &time, NULL);
}

void crash(void) {
  int *volatile nowhere = (int *)16;
  *nowhere = 1;
}

typedef struct {
  int delay_ms;
  void (*work)(void *);
  void *data;
} errand;

static void *run_errand(void *data) {
  errand self = *(errand *)data;
  free(data);
  nap_ms(self.delay_ms);
  self.work(self.data);
  return NULL;
}

void later(int delay_ms, void (*work)(void *data), void *data) {
  errand *self = malloc(sizeof(*self));
  pthread_t thread;
  if (!self) abort();
  *self = (errand){delay_ms, work, data};
  if (pthread_create(&thread, NULL, run_errand, self) != 0) abort();
  pthread_detach(thread);
}

int child(int (*work)(void *data), void *data) {
  int pid = fork();
  if (pid == 0) _exit(work(data));
  return pid;
}
