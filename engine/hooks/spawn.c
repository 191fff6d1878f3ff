/* fork, vfork, posix_spawn: what a child process inherits. Kind: note.
 *
 * The process's descriptors are nginx's connections and listening sockets, and the files and connections of all realms. A
 * program that a request starts and leaves running (exec('... &')) would keep them open: clients would wait for the end of a
 * connection that nginx has closed, a new nginx would find its port taken. So all of them but the standard three are
 * close-on-exec before a child is started; what proc_open() hands over it duplicates, and duplicates are not. Under php-fpm a
 * child inherits what the one request has opened.
 *
 * Signals: a child has nginx's handlers until its program runs, and they would swallow what is sent to it (SIGTERM right after
 * proc_open()). So all signals wait while a child is made; it begins with the default actions, as its program would, and then
 * they come. posix_spawn() does that by itself (sysdeps/unix/sysv/linux/spawni.c, glibc 2.36). */
#include "hooked.h"

#include "child.h"
#include "caller.h"
#include "spawn.h"

#include <errno.h>
#include <linux/close_range.h>
#include <sys/syscall.h>

/* Linux 5.11; without it children inherit, as they would anywhere. */
void howdah_spawn_prepare(void) {
  int saved = errno;
  syscall(SYS_close_range, 3U, ~0U, CLOSE_RANGE_CLOEXEC);
  errno = saved;
}

/* Of the thread that forks. */
static __thread sigset_t mask;

void howdah_spawn_before_fork(void) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &mask);
}

void howdah_spawn_after_fork(void) {
  pthread_sigmask(SIG_SETMASK, &mask, NULL);
}

void howdah_spawn_in_child(void) {
  struct sigaction action;
  for (int number = 1; number < NSIG; number++) {
    if (sigaction(number, NULL, &action) < 0) continue; /* the C library's own */
    if (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN) signal(number, SIG_DFL);
  }
  pthread_sigmask(SIG_SETMASK, &mask, NULL);
}

/* As libc's own system() and popen() do; since 2.38 a command may begin with "-". */
int howdah_spawn_shell(const char *command, const posix_spawn_file_actions_t *actions, pid_t *pid) {
#if __GLIBC_PREREQ(2, 38)
  char *const arguments[] = {"sh", "-c", "--", (char *)command, NULL};
#else
  char *const arguments[] = {"sh", "-c", (char *)command, NULL};
#endif
  howdah_spawn_prepare();
  return posix_spawn(pid, "/bin/sh", actions, NULL, arguments, environ);
}

pid_t howdah_hook_fork(void) {
  if (!howdah_hooks_in_realm()) return howdah_real_fork();
  howdah_spawn_prepare();
  pid_t pid = howdah_real_fork();
  if (pid > 0) howdah_child_born(pid);
  return pid;
}

/* Its child would run on this function's frame: fork() does all that vfork() promises. */
pid_t howdah_hook_vfork(void) {
  return howdah_hook_fork();
}

typedef int spawner(pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *, char *const[],
                    char *const[]);

static int spawn(spawner *real, pid_t *pid, const char *program, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[]) {
  pid_t born;
  if (!howdah_hooks_in_realm()) return real(pid, program, actions, attributes, arguments, environment);
  howdah_spawn_prepare();
  int error = real(&born, program, actions, attributes, arguments, environment);
  if (error) return error;
  howdah_child_born(born);
  if (pid) *pid = born;
  return 0;
}

int howdah_hook_posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                            const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[]) {
  return spawn(howdah_real_posix_spawn, pid, path, actions, attributes, arguments, environment);
}

int howdah_hook_posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
                             const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[]) {
  return spawn(howdah_real_posix_spawnp, pid, file, actions, attributes, arguments, environment);
}
