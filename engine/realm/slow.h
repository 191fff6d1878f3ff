/* Requests that take longer than they should: who asks is told when one does, and at its end where its time went. */
#ifndef HOWDAH_REALM_SLOW_H
#define HOWDAH_REALM_SLOW_H

#include "realm.h"

/* The realm is given a request. On the main stack, before it goes on. */
void howdah_slow_begin(howdah_realm *realm, const howdah_request *request);
/* A wait of its request is over (waits.h). On the main stack, before it goes on. */
void howdah_slow_waited(const howdah_realm *realm, uint64_t us);
/* It is over (realm->finished). On the main stack. */
void howdah_slow_end(howdah_realm *realm);
/* The realm is freed. */
void howdah_slow_free(howdah_realm *realm);
/* The realm that runs has let nobody else run for a while: the front-end is told of it, and the timer of its request cannot tell that its time has passed. For a signal handler
 * on the loop's thread. Keeps errno. */
void howdah_slow_look_at_held(void);

#endif
