/* Who calls a replacement: what it may do. */
#ifndef HOWDAH_HOOKS_CALLER_H
#define HOWDAH_HOOKS_CALLER_H

#include "../state/process/process.h"

#include <stdbool.h>

/* Remembers the calling thread as the one whose coroutines park; or, in a child that it has forked, forgets it. */
void howdah_hooks_are_for(bool this_thread);
/* Whether this is that thread. */
bool howdah_hooks_are_ours(void);
/* Whether the caller runs in a coroutine, so that it may park. */
bool howdah_hooks_may_park(void);
/* Whether the caller runs in a coroutine, also where it must not park: what belongs to the realm is the realm's there, too. */
bool howdah_hooks_in_realm(void);
/* What the process has once, as the realm that calls has it, to be changed; NULL: no realm calls. */
howdah_process_state *howdah_hooks_process_state(void);

#endif
