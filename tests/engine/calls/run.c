/* Finds a call by its name, and what all of them use. */
#include "calls.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

const char *run(const char *name) {
  static const named_call *const tables[] = {child_calls, lock_calls, name_calls, signal_calls, stream_calls, thread_calls};
  for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++)
    for (const named_call *each = tables[i]; each->name; each++)
      if (strcmp(each->name, name) == 0) return each->run();
  return "there is no such call";
}

const char *failed(const char *file, int line, const char *what) {
  int error = errno;
  char *text = malloc(1024);
  if (text) snprintf(text, 1024, "%s:%d: not so: %s (errno %d, %s)", file, line, what, error, strerror(error));
  return text;
}

int64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

bool took_ms(int64_t since_ms, int64_t wanted_ms) {
  int64_t took = now_ms() - since_ms;
  return took >= wanted_ms - 2 && took < wanted_ms + 3000;
}

void nap_ms(int ms) {
  struct timespec time = {ms / 1000, ms % 1000 * 1000000L};
  syscall(SYS_nanosleep, &time, NULL);
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
