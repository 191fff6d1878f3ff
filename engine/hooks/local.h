/* Which look-ups the machine answers by itself, without any server: so that they need not wait behind those that ask one.
 *
 * As libc decides it (nsswitch.conf(5)): the services of a database are asked in order, and the first one that knows ends it.
 * What is not sure is taken for a question to a server: it is answered all the same, only in its turn. */
#ifndef HOWDAH_HOOKS_LOCAL_H
#define HOWDAH_HOOKS_LOCAL_H

#include <stdbool.h>
#include <sys/socket.h>

typedef enum { HOWDAH_USERS, HOWDAH_GROUPS, HOWDAH_SERVICES, HOWDAH_PROTOCOLS } howdah_database;

/* All of them read files of the folder `etc` ("/etc"), on any thread. */

/* family: of the addresses that are wanted; AF_UNSPEC: any. */
bool howdah_local_host(const char *etc, const char *name, int family);
/* An in_addr or in6_addr. */
bool howdah_local_address(const char *etc, const void *address, socklen_t len, int family);
/* name NULL: by its number; a service's is in network byte order, as getservbyport() has it. */
bool howdah_local_entry(const char *etc, howdah_database database, const char *name, unsigned number);

#endif
