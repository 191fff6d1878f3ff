/* Calling the front-end of the request that a realm serves, from its coroutine: see howdah_request_ops in howdah.h for results. */
#ifndef HOWDAH_REALM_FRONT_H
#define HOWDAH_REALM_FRONT_H

#include "realm.h"

int howdah_front_send_head(howdah_realm *realm, int status, const howdah_header *headers, size_t count);
/* -1 also where the front-end has no such thing. */
int howdah_front_send_interim(howdah_realm *realm, int status, const howdah_header *headers, size_t count);
int howdah_front_add_trailer(howdah_realm *realm, const howdah_header *trailer);
int howdah_front_write(howdah_realm *realm, const char *data, size_t len);
int howdah_front_flush(howdah_realm *realm);
ssize_t howdah_front_read_body(howdah_realm *realm, char *buffer, size_t size);
/* Does nothing when the response has ended. */
void howdah_front_end_response(howdah_realm *realm);

#endif
