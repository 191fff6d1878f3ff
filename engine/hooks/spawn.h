/* Before a child process is started. See spawn.c. */
#ifndef HOWDAH_HOOKS_SPAWN_H
#define HOWDAH_HOOKS_SPAWN_H

#include <spawn.h>

/* Makes all descriptors above 2 close-on-exec. Keeps errno. */
void howdah_spawn_prepare(void);
/* Around each fork() of the C library, also where no hook sees it, and in the child: what is sent to a child that is not yet
 * another program is not lost. For pthread_atfork(). */
void howdah_spawn_before_fork(void);
void howdah_spawn_after_fork(void);
void howdah_spawn_in_child(void);
/* Starts /bin/sh with a command, in the realm's environment. 0 with *pid, or an error number; a shell that cannot be started is
 * one. actions may be NULL. */
int howdah_spawn_shell(const char *command, const posix_spawn_file_actions_t *actions, pid_t *pid);

#endif
