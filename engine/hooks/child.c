/* Waiting for children: proc_close(), system calls of libraries. Kind: ready (a pidfd is readable when its process has ended),
 * or timer where a pidfd is not to be had: any child, or a stopped one, and waitid().
 *
 * A worker's children are those of all its realms: who waits for any of them (wait(), waitpid(-1)) may get a neighbour's, as
 * threads may. PHP itself waits for its own. */
#include "child.h"

#include "../coroutine/wait.h"
#include "hooked.h"
#include "attempt.h"
#include "caller.h"
#include "pause.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>

/* A child whose waiter was cancelled: nobody else would ask for its status, and it would stay a zombie. */
typedef struct orphan orphan;
struct orphan {
  pid_t pid;
  int fd;
  howdah_watch watch;
  orphan *next;
};

static orphan *orphans;
static unsigned wait_for_any; /* so many realms: one may have had its own child taken by another, and want this one */

static void forget(orphan *self) {
  for (orphan **at = &orphans; *at; at = &(*at)->next) {
    if (*at != self) continue;
    *at = self->next;
    break;
  }
  howdah_loop_unwatch(howdah_coroutine_loop(), &self->watch);
  close(self->fd);
  free(self);
}

static void reap(howdah_watch *watch, unsigned events) {
  orphan *self = watch->data;
  (void)events;
  if (wait_for_any == 0 && howdah_real_wait4(self->pid, NULL, WNOHANG, NULL) == 0 &&
      howdah_loop_watch(howdah_coroutine_loop(), watch, self->fd, HOWDAH_READABLE) == 0)
    return; /* told for nothing */
  forget(self);
}

static void reap_later(pid_t pid) {
  orphan *self = calloc(1, sizeof(*self));
  if (!self) return;
  self->pid = pid;
  self->watch = (howdah_watch){.ready = reap, .data = self};
  self->fd = (int)syscall(SYS_pidfd_open, pid, 0);
  if (self->fd < 0 || howdah_loop_watch(howdah_coroutine_loop(), &self->watch, self->fd, HOWDAH_READABLE) < 0) {
    if (self->fd >= 0) close(self->fd);
    free(self);
    return;
  }
  self->next = orphans;
  orphans = self;
}

void howdah_child_reap_later(pid_t pid) {
  int error = errno;
  reap_later(pid);
  errno = error;
}

typedef struct child child;
struct child {
  pid_t pid;
  child *next;
};

void howdah_child_born(pid_t pid) {
  howdah_coroutine *coroutine = howdah_coroutine_current();
  child *self = malloc(sizeof(*self));
  if (!self) return; /* then it may stay a zombie, as under php-fpm */
  *self = (child){pid, coroutine->children};
  coroutine->children = self;
}

static void child_ended(pid_t pid) {
  howdah_coroutine *coroutine = howdah_coroutine_current();
  for (child *each = coroutine->children, *before = NULL; each; before = each, each = each->next) {
    if (each->pid != pid) continue;
    if (before)
      before->next = each->next;
    else
      coroutine->children = each->next;
    free(each);
    return;
  }
}

/* PHP asks once for a process that a script has forgotten, and does not wait (proc_open_rsrc_dtor(), ext/standard/proc_open.c,
 * 8.2). */
void howdah_children_leave(howdah_coroutine *coroutine) {
  child *each = coroutine->children;
  coroutine->children = NULL;
  while (each) {
    child *next = each->next;
    howdah_child_reap_later(each->pid);
    free(each);
    each = next;
  }
}

/* Somebody asks for it after all. */
static void adopt(pid_t pid) {
  for (orphan *each = orphans; each; each = each->next) {
    if (each->pid != pid) continue;
    forget(each);
    return;
  }
}

/* Parks until the child has ended. 0: ask for its status; -1 with errno: ECANCELED, or it cannot be watched. */
static int wait_for_end(pid_t pid) {
  int fd = (int)syscall(SYS_pidfd_open, pid, 0);
  if (fd < 0) return -1;
  struct pollfd ended = {.fd = fd, .events = POLLIN};
  int ready = howdah_poll_us(&ended, 1, HOWDAH_WAIT_FOREVER);
  int error = errno;
  howdah_loop_closed(howdah_coroutine_loop(), fd);
  close(fd);
  errno = error;
  return ready > 0 ? 0 : -1;
}

static pid_t ask_again(pid_t pid, int *status, int options, struct rusage *usage) {
  howdah_patience patience = {.until_us = UINT64_MAX, .kind = HOWDAH_WAIT_CHILD};
  for (;;) {
    pid_t found = howdah_real_wait4(pid, status, options | WNOHANG, usage);
    if (found != 0) return found;
    if (howdah_pause(&patience) < 0) return -1;
  }
}

static pid_t wait_for(pid_t pid, int *status, int options, struct rusage *usage) {
  if ((options & ~(WUNTRACED | WCONTINUED)) || !howdah_hooks_may_park()) return howdah_real_wait4(pid, status, options, usage);
  if (orphans) adopt(pid);
  if (pid > 0 && options == 0) {
    pid_t found = howdah_real_wait4(pid, status, WNOHANG, usage);
    if (found != 0) return found;
    if (wait_for_end(pid) == 0) return howdah_real_wait4(pid, status, 0, usage);
    if (errno == ECANCELED) howdah_child_reap_later(pid);
    if (errno == ECANCELED || errno == ENOMEM) return -1;
  }
  if (pid == -1) wait_for_any++;
  pid_t found = ask_again(pid, status, options, usage);
  if (pid == -1) wait_for_any--;
  return found;
}

pid_t howdah_hook_wait4(pid_t pid, int *status, int options, struct rusage *usage) {
  int own;
  if (!status) status = &own;
  pid_t found = wait_for(pid, status, options, usage);
  if (found > 0 && howdah_hooks_in_realm() && !WIFSTOPPED(*status) && !WIFCONTINUED(*status)) child_ended(found);
  return found;
}

/* What has ended, stopped or gone on is seen when it is asked for again; si_pid 0: nothing yet. */
static int ask_for(idtype_t type, id_t id, siginfo_t *info, int options) {
  howdah_patience patience = {.until_us = UINT64_MAX, .kind = HOWDAH_WAIT_CHILD};
  for (;;) {
    info->si_pid = 0;
    int result = howdah_real_waitid(type, id, info, options | WNOHANG);
    if (result < 0 || info->si_pid != 0) return result;
    if (howdah_pause(&patience) < 0) return -1;
  }
}

static bool has_ended(const siginfo_t *info) {
  return info->si_pid != 0 && (info->si_code == CLD_EXITED || info->si_code == CLD_KILLED || info->si_code == CLD_DUMPED);
}

int howdah_hook_waitid(idtype_t type, id_t id, siginfo_t *info, int options) {
  siginfo_t own;
  if (!howdah_hooks_in_realm()) return howdah_real_waitid(type, id, info, options);
  if (!info) info = &own;
  info->si_pid = 0;
  if (orphans && type == P_PID) adopt((pid_t)id);
  if (type == P_ALL) wait_for_any++;
  bool parks = !(options & WNOHANG) && howdah_hooks_may_park();
  int result = parks ? ask_for(type, id, info, options) : howdah_real_waitid(type, id, info, options);
  if (type == P_ALL) wait_for_any--;
  if (result == 0 && !(options & WNOWAIT) && has_ended(info)) child_ended(info->si_pid);
  return result;
}

pid_t howdah_hook_waitpid(pid_t pid, int *status, int options) {
  return howdah_hook_wait4(pid, status, options, NULL);
}

pid_t howdah_hook_wait3(int *status, int options, struct rusage *usage) {
  return howdah_hook_wait4(-1, status, options, usage);
}

pid_t howdah_hook_wait(int *status) {
  return howdah_hook_wait4(-1, status, 0, NULL);
}
