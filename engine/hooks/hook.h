/* The hook table: every C function that blocks (or that changes the process) and is replaced in PHP and its libraries.
 *
 * Invariants:
 *  1. A replacement calls the original at once outside a coroutine, and on every thread but the loop's.
 *  2. A replacement keeps the original's results, errno and time limits.
 *  3. Slots are patched in every loaded object but libc, the loader, nginx itself and this engine; objects that are loaded later
 *     are patched when dlopen() returns. */
#ifndef HOWDAH_HOOKS_HOOK_H
#define HOWDAH_HOOKS_HOOK_H

#include "../state/process/process.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum { HOWDAH_HOOK_READY, HOWDAH_HOOK_TIMER, HOWDAH_HOOK_OFFLOAD, HOWDAH_HOOK_NOTE } howdah_hook_kind;

typedef struct {
  const char *name;
  void *replacement;
  void **original; /* filled in by the installer */
  howdah_hook_kind kind;
  const char *only_in; /* a part of the path of the one object that is patched, which may not be there; NULL: all */
} howdah_hook;

/* The table; it ends with a NULL name. */
extern const howdah_hook howdah_hooks[];

/* Finds the originals and patches all loaded objects. In the master, after PHP's extensions are loaded. 0, or -1 with a message. */
int howdah_hooks_install(char *error, size_t error_size);
/* Patches objects that were loaded since. */
void howdah_hooks_refresh(void);
/* Remembers the thread whose coroutines park. A child that it forks gets the original functions. */
void howdah_hooks_attach(void);
/* Whether this is that thread of that process. */
bool howdah_hooks_are_ours(void);
/* Whether the caller runs in a coroutine, so that it may park. */
bool howdah_hooks_may_park(void);
/* Whether the caller runs in a coroutine, also where it must not park: what belongs to the realm is the realm's there, too. */
bool howdah_hooks_in_realm(void);
/* What the process has once, as the realm that calls has it, to be changed; NULL: no realm calls. */
howdah_process_state *howdah_hooks_process_state(void);

#endif
