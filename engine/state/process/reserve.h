/* Descriptors that are kept for nginx and the engine when PHP has taken all others: to accept, to read a file, to write a body,
 * to hold a realm's folder.
 *
 * The kernel counts: the worker's soft limit is lower than what it may have, by the reserve. Whatever PHP or a library opens,
 * by whatever call, fails with EMFILE there, as it would under php-fpm; nothing is paid until then. Where a call of nginx or of
 * the engine fails for that reason, the limit is raised for that one call. */
#ifndef HOWDAH_STATE_RESERVE_H
#define HOWDAH_STATE_RESERVE_H

#include <stdbool.h>
#include <stdint.h>

/* In a worker, once: keeps up to `most`, and not more than an eighth of what the process may open. Does nothing where it may
 * open any number. 0, or -1 with errno. */
int howdah_reserve_keep(unsigned most);
/* After a call has returned result: whether it failed for want of descriptors and is to be made again now, followed by
 * howdah_reserve_close(). On the loop's thread. */
bool howdah_reserve_open(int result);
/* Keeps errno. */
void howdah_reserve_close(void);
/* How many PHP may have open in all, with what nginx has; how many are kept. */
void howdah_reserve_sizes(uint64_t *php, uint64_t *kept);

#endif
