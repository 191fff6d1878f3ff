/* The hook table: every C function that blocks (or that changes the process) and is replaced in PHP and its libraries.
 *
 * Invariants:
 *  1. A replacement calls the original at once outside a coroutine, and on every thread but the loop's. (close() and its like
 *     see to record locks there, too: held.h.)
 *  2. A replacement keeps the original's results, errno and time limits.
 *  3. Slots are patched in every loaded object but libc, the loader and this engine; in nginx and its modules those of
 *     functions alone that close, which do there what the originals do, but for neighbours' locks (held.h), and that open,
 *     which have a reserve (reserve.c). Objects that are loaded later are patched when dlopen() returns.
 *  4. PHP does not start unless each slot of libphp and of its extensions that has a hook holds it. */
#ifndef HOWDAH_HOOKS_HOOK_H
#define HOWDAH_HOOKS_HOOK_H

#include <stddef.h>

typedef enum { HOWDAH_HOOK_READY, HOWDAH_HOOK_TIMER, HOWDAH_HOOK_OFFLOAD, HOWDAH_HOOK_NOTE } howdah_hook_kind;

typedef struct {
  const char *name;
  void *replacement; /* NULL: nginx's slots alone are patched */
  void **original;   /* filled in by the installer */
  howdah_hook_kind kind;
  const char *only_in; /* whose object alone is patched: an extension by its lower-case name, or a library; NULL: all */
  void *in_nginx;      /* what nginx and its modules call instead; NULL: the original */
  void *in_tables;     /* in place of the replacement, where an object keeps a pointer in a table of its own; NULL: the same */
} howdah_hook;

/* The table; it ends with a NULL name. */
extern const howdah_hook howdah_hooks[];

/* Finds the originals, patches all loaded objects, and looks whether PHP's are. In the master, after PHP's extensions are
 * loaded. 0, or -1 with a message. */
int howdah_hooks_install(char *error, size_t error_size);
/* Patches objects that were loaded since. */
void howdah_hooks_refresh(void);
/* Remembers the thread whose coroutines park. A child that it forks gets the original functions. */
void howdah_hooks_attach(void);

#endif
