/* Record locks of realms: see record.c. */
#ifndef HOWDAH_HOOKS_RECORD_H
#define HOWDAH_HOOKS_RECORD_H

#include "../coroutine/coroutine.h"

/* Its number among the owners of locks: never another's in this process. */
int64_t howdah_record_owner(howdah_coroutine *coroutine);
/* Its realm dies: what it has left locked is given up. From the main stack, when all that the realm closes is closed. */
void howdah_record_owner_gone(howdah_coroutine *coroutine);

#endif
