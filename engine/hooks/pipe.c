/* popen(3) and pclose(3): exec(), shell_exec(), mail(). Kind: ready. libc's pclose() waits inside libc, so both are made here, as
 * libc makes them (libio/iopopen.c, glibc 2.36).
 *
 * One thing differs: the parent's end is always close-on-exec. POSIX leaves it open in programs that are started otherwise, but here those
 * may be a neighbour's, and would keep a pipe open that its reader waits to see closed. */
#include "child.h"
#include "close.h"
#include "families.h"
#include "hook.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

FILE *(*howdah_real_popen)(const char *, const char *);
int (*howdah_real_pclose)(FILE *);

typedef struct opened opened;
struct opened {
  FILE *stream;
  pid_t pid;
  opened *next;
};

static opened *all;

/* "r" or "w", and maybe "e" beside it. */
static char direction_of(const char *mode) {
  char direction = 0;
  for (; *mode; mode++) {
    if (*mode == 'e') continue;
    if ((*mode != 'r' && *mode != 'w') || (direction && direction != *mode)) return 0;
    direction = *mode;
  }
  return direction;
}

static int start(const char *command, int child_end, int as, pid_t *pid) {
  posix_spawn_file_actions_t actions;
  int error = posix_spawn_file_actions_init(&actions);
  if (error) return error;
  error = posix_spawn_file_actions_adddup2(&actions, child_end, as);
  if (!error) {
    char *const arguments[] = {"sh", "-c", (char *)command, NULL};
    error = posix_spawn(pid, "/bin/sh", &actions, NULL, arguments, environ);
  }
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

static FILE *open_pipe(const char *command, char direction) {
  int ends[2], error;
  opened *self = malloc(sizeof(*self));
  if (!self) return NULL;
  if (pipe2(ends, O_CLOEXEC) < 0) goto no_pipe;
  int mine = direction == 'r' ? ends[0] : ends[1], its = direction == 'r' ? ends[1] : ends[0];
  self->stream = fdopen(mine, direction == 'r' ? "r" : "w");
  if (!self->stream) goto no_stream;
  error = start(command, its, direction == 'r' ? STDOUT_FILENO : STDIN_FILENO, &self->pid);
  close(its);
  if (error) {
    fclose(self->stream);
    free(self);
    errno = error;
    return NULL;
  }
  self->next = all;
  all = self;
  return self->stream;

no_stream:
  error = errno;
  close(ends[0]);
  close(ends[1]);
  errno = error;
no_pipe:
  free(self);
  return NULL;
}

FILE *howdah_hook_popen(const char *command, const char *mode) {
  if (!howdah_hooks_may_park()) return howdah_real_popen(command, mode);
  char direction = direction_of(mode);
  if (!direction) {
    errno = EINVAL;
    return NULL;
  }
  return open_pipe(command, direction);
}

static opened *take(const FILE *stream) {
  for (opened **at = &all; *at; at = &(*at)->next) {
    opened *found = *at;
    if (found->stream != stream) continue;
    *at = found->next;
    return found;
  }
  return NULL;
}

int howdah_hook_pclose(FILE *stream) {
  opened *self = take(stream);
  if (!self) return howdah_real_pclose(stream);
  pid_t pid = self->pid;
  free(self);
  /* What is left in the buffer fits into a pipe that is writable. */
  struct pollfd writable = {.fd = fileno(stream), .events = POLLOUT};
  bool cancelled = __fpending(stream) > 0 && howdah_hooks_may_park() && howdah_poll_us(&writable, 1, -1) < 0;
  if (cancelled) __fpurge(stream);
  howdah_hook_fclose(stream);
  int status;
  pid_t waited;
  while ((waited = howdah_hook_wait4(pid, &status, 0, NULL)) < 0 && errno == EINTR) {
  }
  return waited < 0 ? -1 : status;
}
