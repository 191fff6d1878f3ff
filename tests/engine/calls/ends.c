/* Ways in which a library ends its process, for tests/engine/EndTest.php and tests/http/CrashTest.php. */
#include "calls.h"

#include <err.h>
#include <nss.h>
#include <pthread.h>
#include <pwd.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void *exit_here(void *status) {
  exit(*(int *)status);
}

static void exit_in_thread(int status) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, exit_here, &status) != 0) abort();
  for (;;)
    nap_ms(100);
}

static void *crash_here(void *unused) {
  (void)unused;
  pthread_setname_np(pthread_self(), "librd:main");
  crash();
  return NULL;
}

static void crash_in_thread(void) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, crash_here, NULL) != 0) abort();
  for (;;)
    nap_ms(100);
}

/* Users are asked for of this library itself (users.c). */
static void crash_in_lookup(void) {
  if (__nss_configure_lookup("passwd", "calls") == 0) getpwnam("crash");
}

/* What its parent has in a buffer is not for it to write. */
static int exit_in_child(void *status) {
  __fpurge(stdout);
  exit(*(int *)status);
}

/* Comes back only from a way that it does not know, and from `child`: with the status that the child had. */
int end_process(const char *way, int status) {
  if (strcmp(way, "exit") == 0) exit(status);
  if (strcmp(way, "_exit") == 0) _exit(status);
  if (strcmp(way, "_Exit") == 0) _Exit(status);
  if (strcmp(way, "quick_exit") == 0) quick_exit(status);
  if (strcmp(way, "errx") == 0) errx(status, "said by errx");
  if (strcmp(way, "pthread_exit") == 0) pthread_exit(NULL);
  if (strcmp(way, "thread") == 0) exit_in_thread(status);
  if (strcmp(way, "crash in a thread") == 0) crash_in_thread();
  if (strcmp(way, "crash in a look-up") == 0) crash_in_lookup();
  if (strcmp(way, "child") != 0 || waitpid(child(exit_in_child, &status), &status, 0) < 0) return -1;
  return WEXITSTATUS(status);
}

/* Uses so many bytes of stack. */
int dive(size_t bytes) {
  volatile char frame[32 * 1024];
  frame[0] = 1;
  if (bytes > sizeof(frame)) frame[0] += (char)dive(bytes - sizeof(frame));
  return frame[0];
}
