/* One request at a time: what is left to do for this process when an extension keeps state that realms would share.
 *
 * Then at most one realm is alive in all pools of the process, as in a php-fpm child: a request waits in its pool's queue while another one runs
 * anywhere, and idle realms end before one of another pool is used. */
#ifndef HOWDAH_REALM_ALONE_H
#define HOWDAH_REALM_ALONE_H

#include "pool.h"

#include <stdatomic.h>

/* Looks at this flag from now on; it may be in memory that workers share. Never called: requests run at once. */
void howdah_alone_obey(const atomic_bool *flag);
bool howdah_is_alone(void);
/* Where one runs at a time: counts what is in the way of a request of this pool. */
void howdah_alone_count(howdah_pool *pool);
/* Act: idle realms that are in the way end. */
void howdah_alone_end_others(howdah_pool *pool);
/* A request has ended: pools that have some waiting look again, soon. */
void howdah_alone_next(void);

#endif
