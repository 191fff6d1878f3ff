/* Worker-mode realms whose code is of before a restart of opcache (engine/hooks/restart.h) are replaced: idle ones within LOOK_US, busy ones
 * after their request. */
#ifndef HOWDAH_REALM_OUTDATED_H
#define HOWDAH_REALM_OUTDATED_H

#include "realm.h"

/* Of a new pool: begins to look, where realms boot once. */
void howdah_outdated_start(howdah_pool *pool);
void howdah_outdated_stop(howdah_pool *pool);
bool howdah_outdated(const howdah_realm *realm);

#endif
