/* mdb_env_open and mdb_env_close in ext/dba only: a file of LMDB is open in one realm at a time. Kind: timer.
 *
 * LMDB forbids a process to open a file twice (lmdb.h, 0.9, "Caveats"): it counts its readers by process and by thread, and
 * clears all of its process's when it closes one. A realm that comes later waits in a queue until those before it have closed
 * the file, as for a lock; what stays open (dba_popen(), or a worker script that keeps it) is refused to others with EBUSY
 * after LIMIT_US. One that has it open itself gets what it would get from php-fpm. */
#include "hooked.h"

#include "../coroutine/wait.h"
#include "caller.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { LIMIT_US = 5000000 };

typedef struct open_file open_file;
struct open_file {
  char *path;
  const void *environment;
  const howdah_coroutine *coroutine;
  open_file *next;
};

/* On the stack of who waits. */
typedef struct waiter waiter;
struct waiter {
  const char *path;
  howdah_coroutine *coroutine;
  bool over;
  waiter *next;
};

static open_file *files;
static waiter *waiters; /* in the order in which they came */

/* However it is written; it need not be there. To be freed; NULL with errno: out of memory, or its folder is not there. */
static char *whole_path(const char *path) {
  char *whole = realpath(path, NULL), *folder, *name;
  if (whole || errno != ENOENT) return whole;
  const char *slash = strrchr(path, '/');
  folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
  whole = folder ? realpath(folder, NULL) : NULL;
  free(folder);
  if (!whole) return NULL;
  name = malloc(strlen(whole) + strlen(path) + 2);
  if (name) stpcpy(stpcpy(stpcpy(name, whole), "/"), slash ? slash + 1 : path);
  free(whole);
  return name;
}

static bool is_open(const char *path, const howdah_coroutine *coroutine, bool by_it) {
  for (const open_file *each = files; each; each = each->next)
    if ((each->coroutine == coroutine) == by_it && strcmp(each->path, path) == 0) return true;
  return false;
}

static waiter *first_for(const char *path) {
  waiter *each = waiters;
  while (each && strcmp(each->path, path) != 0)
    each = each->next;
  return each;
}

static void wake_first(const char *path) {
  waiter *first = first_for(path);
  if (first) howdah_coroutine_wake(first->coroutine);
}

static void forget(const void *environment) {
  for (open_file **at = &files; *at; at = &(*at)->next) {
    open_file *each = *at;
    if (each->environment != environment) continue;
    *at = each->next;
    wake_first(each->path);
    free(each->path);
    free(each);
    return;
  }
}

static void on_time(howdah_timer *timer) {
  waiter *self = timer->data;
  self->over = true;
  howdah_coroutine_wake(self->coroutine);
}

static int wait_in_queue(const char *path, howdah_coroutine *coroutine) {
  waiter self = {.path = path, .coroutine = coroutine}, **at = &waiters;
  howdah_timer timer = {.fire = on_time, .data = &self};
  int error = 0;
  if (howdah_loop_timer_start(howdah_coroutine_loop(), &timer, LIMIT_US) < 0) return ENOMEM;
  while (*at)
    at = &(*at)->next;
  *at = &self;
  while (error == 0 && (first_for(path) != &self || is_open(path, coroutine, false))) {
    if (howdah_wait_wake(HOWDAH_WAIT_LOCK) < 0)
      error = ECANCELED;
    else if (self.over)
      error = EBUSY;
  }
  howdah_loop_timer_stop(howdah_coroutine_loop(), &timer);
  for (at = &waiters; *at != &self; at = &(*at)->next) {
  }
  *at = self.next;
  if (error != 0) wake_first(path); /* who may be the first now */
  return error;
}

/* 0, or an error of errno's, as LMDB has them. */
static int wait_for(const char *path, howdah_coroutine *coroutine) {
  if (is_open(path, coroutine, true) || (!is_open(path, coroutine, false) && !first_for(path))) return 0;
  return howdah_hooks_may_park() ? wait_in_queue(path, coroutine) : EBUSY;
}

int howdah_hook_mdb_env_open(struct MDB_env *environment, const char *path, unsigned flags, mode_t mode) {
  if (!howdah_hooks_in_realm()) return howdah_real_mdb_env_open(environment, path, flags, mode);
  open_file *file = malloc(sizeof(*file));
  int error = file ? 0 : ENOMEM;
  if (file) *file = (open_file){.path = whole_path(path), .environment = environment, .coroutine = howdah_coroutine_current()};
  if (file && !file->path) error = errno;
  if (error == 0) error = wait_for(file->path, howdah_coroutine_current());
  if (error != 0) {
    if (file) free(file->path);
    free(file);
    return error;
  }
  file->next = files;
  files = file;
  error = howdah_real_mdb_env_open(environment, path, flags, mode);
  if (error != 0) forget(environment);
  return error;
}

void howdah_hook_mdb_env_close(struct MDB_env *environment) {
  howdah_real_mdb_env_close(environment);
  forget(environment);
}
