/* The University of Washington's c-client, the library of ext/imap: what it must not hold when the base image is taken. */
#ifndef HOWDAH_STATE_LIBC_CLIENT_H
#define HOWDAH_STATE_LIBC_CLIENT_H

#include <stddef.h>

/* Has the library free what its last look-up of a name has found (ip_nametoaddr(), src/osdep/unix/ip6_unix.c, 2007f): it frees
 * that at the next look-up, so each realm would free what all have in their images. ext/imap's start makes such a look-up.
 * `handle` is the extension's, as dlopen() gave it. 0, or -1 with a message. */
int howdah_libc_client_prepare(void *handle, char *error, size_t error_size);

#endif
