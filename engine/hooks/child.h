/* Children that nobody waits for any more. */
#ifndef HOWDAH_HOOKS_CHILD_H
#define HOWDAH_HOOKS_CHILD_H

#include "../coroutine/coroutine.h"

#include <sys/types.h>

/* The coroutine that runs has started a child. */
void howdah_child_born(pid_t pid);
/* Whoever started children in this coroutine has gone: those that it did not wait for are reaped when they end. */
void howdah_children_leave(howdah_coroutine *coroutine);

/* Takes the status of a child when it ends, so that it does not stay a zombie. Keeps errno. On the loop's thread. */
void howdah_child_reap_later(pid_t pid);

#endif
