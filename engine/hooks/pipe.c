/* popen(3) and pclose(3): exec(), shell_exec(), mail(). Kind: ready. libc's pclose() waits inside libc, so both are made here, as
 * libc makes them (libio/iopopen.c, glibc 2.36); and so does its fprintf() when the pipe is full, which is how mail() writes.
 *
 * One thing differs: the parent's end is always close-on-exec. POSIX leaves it open in programs that are started otherwise, but
 * here those may be a neighbour's, and would keep a pipe open that its reader waits to see closed. */
#include "../coroutine/wait.h"
#include "exit.h"
#include "hooked.h"
#include "pipe.h"
#include "attempt.h"
#include "caller.h"
#include "spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>

typedef struct opened opened;
struct opened {
  FILE *stream;
  pid_t pid;
  opened *next;
};

/* Who has one open may close it on any thread. */
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static opened *all;

static void put(opened *self) {
  pthread_mutex_lock(&guard);
  self->next = all;
  all = self;
  pthread_mutex_unlock(&guard);
}

/* NULL: it is libc's, or no pipe. */
static opened *take(const FILE *stream) {
  opened *found = NULL;
  pthread_mutex_lock(&guard);
  for (opened **at = &all; *at; at = &(*at)->next) {
    if ((*at)->stream != stream) continue;
    found = *at;
    *at = found->next;
    break;
  }
  pthread_mutex_unlock(&guard);
  return found;
}

static bool is_ours(const FILE *stream) {
  pthread_mutex_lock(&guard);
  const opened *each = all;
  while (each && each->stream != stream)
    each = each->next;
  pthread_mutex_unlock(&guard);
  return each != NULL;
}

/* Another thread may have had the lock. */
void howdah_pipes_in_child(void) {
  pthread_mutex_init(&guard, NULL);
}

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
  if (!error) error = howdah_spawn_shell(command, &actions, pid);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

static FILE *open_pipe(const char *command, char direction) {
  int ends[2], error, before = errno;
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
  put(self);
  errno = before; /* mail() looks at it (ext/standard/mail.c, 8.2) */
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

bool howdah_flush(FILE *stream) {
  struct pollfd writable = {.fd = fileno(stream), .events = POLLOUT};
  if (__fpending(stream) == 0) return true;
  if (howdah_hooks_may_park() && howdah_poll_us(&writable, 1, HOWDAH_WAIT_FOREVER) < 0) {
    __fpurge(stream);
    return false;
  }
  return fflush(stream) == 0;
}

static int print(FILE *stream, const char *format, va_list arguments) {
  char *text;
  int len = vasprintf(&text, format, arguments);
  if (len < 0) return -1;
  bool written = howdah_flush(stream) && howdah_hook_write(fileno(stream), text, (size_t)len) == len;
  int error = errno;
  free(text);
  errno = error;
  return written ? len : -1;
}

extern int __vfprintf_chk(FILE *stream, int flag, const char *format, va_list arguments);

/* With the flag of _FORTIFY_SOURCE, or -1. */
static int print_to(FILE *stream, int flag, const char *format, va_list arguments) {
  if (howdah_exit_says(stream, format, arguments)) return 0;
  if (howdah_hooks_may_park() && is_ours(stream)) return print(stream, format, arguments);
  return flag < 0 ? vfprintf(stream, format, arguments) : __vfprintf_chk(stream, flag, format, arguments);
}

int howdah_hook_fprintf(FILE *stream, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int result = print_to(stream, -1, format, arguments);
  va_end(arguments);
  return result;
}

/* What it becomes with _FORTIFY_SOURCE. */
int howdah_hook_fprintf_chk(FILE *stream, int flag, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int result = print_to(stream, flag, format, arguments);
  va_end(arguments);
  return result;
}

int howdah_hook_pclose(FILE *stream) {
  opened *self = take(stream);
  if (!self) return howdah_real_pclose(stream);
  pid_t pid = self->pid;
  free(self);
  howdah_flush(stream);
  howdah_hook_fclose(stream);
  int status;
  pid_t waited;
  while ((waited = howdah_hook_wait4(pid, &status, 0, NULL)) < 0 && errno == EINTR) {
  }
  return waited < 0 ? -1 : status;
}
