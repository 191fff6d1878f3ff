/* Waits of a request that are over: who asks is told of each. */
#ifndef HOWDAH_REALM_WAITS_H
#define HOWDAH_REALM_WAITS_H

#include "realm.h"

/* The realm is given a request. On the main stack, before it goes on. */
void howdah_waits_begin(howdah_realm *realm, const howdah_request *request);
/* It is over. */
void howdah_waits_end(howdah_realm *realm);

#endif
