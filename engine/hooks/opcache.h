/* opcache's reader's lock per realm: see opcache.c. */
#ifndef HOWDAH_HOOKS_OPCACHE_H
#define HOWDAH_HOOKS_OPCACHE_H

#include "../coroutine/coroutine.h"

/* The coroutine reads opcache's memory no more: at the end of each request by itself, and when its realm dies. */
void howdah_opcache_reader_gone(howdah_coroutine *coroutine);
/* Before a script starts: what opcache would remove at its start, others may be using. */
void howdah_opcache_own_pattern_keys(void);

#endif
