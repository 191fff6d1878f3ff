/* Children that nobody waits for any more. */
#ifndef HOWDAH_HOOKS_CHILD_H
#define HOWDAH_HOOKS_CHILD_H

#include <sys/types.h>

/* Takes the status of a child when it ends, so that it does not stay a zombie. On the loop's thread. */
void howdah_child_reap_later(pid_t pid);

#endif
