/* Boots that C code holds beyond their time limit: no timer of the loop's can tell, for the loop stands still. See overdue.c. */
#ifndef HOWDAH_REALM_OVERDUE_H
#define HOWDAH_REALM_OVERDUE_H

#include <stdint.h>

/* Makes the timers of the thread that calls, which is the loop's; in each process, as fork() does not inherit them. 0, or -1 with
 * errno. */
int howdah_overdue_start(void);
/* A boot begins that has a time limit (0: it has none), and is over, with the same limit. */
void howdah_overdue_begin(uint64_t limit_us);
void howdah_overdue_end(uint64_t limit_us);

#endif
