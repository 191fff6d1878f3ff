/* Names that are addresses: see resolve.c. */
#ifndef HOWDAH_HOOKS_RESOLVE_H
#define HOWDAH_HOOKS_RESOLVE_H

#include <stdbool.h>

/* Whether a name is an address, or NULL: nothing has to be asked. */
bool howdah_is_numeric(const char *name);

#endif
