/* setuid and its relatives, setsid, setpgid, setrlimit, nice, setpriority: what would change the worker for all its realms, and
 * mostly for good. Kind: note. In a realm they fail with EPERM, as for somebody without the right to do so, unless they change
 * nothing; under php-fpm they change the child for all requests to come. A child that a realm starts may change itself. */
#include "hooked.h"

#include "caller.h"

#include <errno.h>
#include <unistd.h>

static int refuse(void) {
  errno = EPERM;
  return -1;
}

int howdah_hook_setuid(uid_t user) {
  if (howdah_hooks_in_realm() && (user != getuid() || user != geteuid())) return refuse();
  return howdah_real_setuid(user);
}

int howdah_hook_seteuid(uid_t user) {
  if (howdah_hooks_in_realm() && user != geteuid()) return refuse();
  return howdah_real_seteuid(user);
}

int howdah_hook_setgid(gid_t group) {
  if (howdah_hooks_in_realm() && (group != getgid() || group != getegid())) return refuse();
  return howdah_real_setgid(group);
}

int howdah_hook_setegid(gid_t group) {
  if (howdah_hooks_in_realm() && group != getegid()) return refuse();
  return howdah_real_setegid(group);
}

int howdah_hook_initgroups(const char *user, gid_t group) {
  return howdah_hooks_in_realm() ? refuse() : howdah_real_initgroups(user, group);
}

pid_t howdah_hook_setsid(void) {
  return howdah_hooks_in_realm() ? refuse() : howdah_real_setsid();
}

/* A realm's child may be moved: a shell's way to end it with all that it has started. */
int howdah_hook_setpgid(pid_t process, pid_t group) {
  if (howdah_hooks_in_realm() && (process == 0 || process == getpid())) return refuse();
  return howdah_real_setpgid(process, group);
}

int howdah_hook_setrlimit(__rlimit_resource_t resource, const struct rlimit *limit) {
  struct rlimit now;
  if (!howdah_hooks_in_realm()) return howdah_real_setrlimit(resource, limit);
  if (getrlimit(resource, &now) < 0) return -1;
  return limit->rlim_cur == now.rlim_cur && limit->rlim_max == now.rlim_max ? 0 : refuse();
}

/* The same limits in a structure of its own. */
int howdah_hook_setrlimit64(__rlimit_resource_t resource, const struct rlimit64 *limit) {
  struct rlimit64 now;
  if (!howdah_hooks_in_realm()) return howdah_real_setrlimit64(resource, limit);
  if (getrlimit64(resource, &now) < 0) return -1;
  return limit->rlim_cur == now.rlim_cur && limit->rlim_max == now.rlim_max ? 0 : refuse();
}

int howdah_hook_nice(int increment) {
  return howdah_hooks_in_realm() && increment != 0 ? refuse() : howdah_real_nice(increment);
}

int howdah_hook_setpriority(__priority_which_t which, id_t who, int priority) {
  if (howdah_hooks_in_realm() && (which != PRIO_PROCESS || who == 0 || (pid_t)who == getpid())) return refuse();
  return howdah_real_setpriority(which, who, priority);
}
