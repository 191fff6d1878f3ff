/* How much memory the process has. */
#ifndef HOWDAH_REALM_MEMORY_H
#define HOWDAH_REALM_MEMORY_H

#include <stddef.h>

/* Bytes that are resident and the process's own: not what it shares with others, such as opcache's segment and code. 0 where the system
 * does not say. Two microseconds. */
size_t howdah_memory_resident(void);

#endif
