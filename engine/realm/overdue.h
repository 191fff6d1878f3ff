/* Boots that C code holds beyond their time limit: no timer of the loop's can tell, for the loop stands still. See overdue.c. */
#ifndef HOWDAH_REALM_OVERDUE_H
#define HOWDAH_REALM_OVERDUE_H

#include "realm.h"

/* Makes the timers of the thread that calls, which is the loop's; in each process, as fork() does not inherit them. 0, or -1 with
 * errno. */
int howdah_overdue_start(void);
/* A realm begins to boot. No run of it may last until some seconds after its time limit (0: it has none), until it has booted. */
void howdah_overdue_watch(howdah_realm *realm, uint64_t limit_us);
/* After each run of one that is watched: its before_run is set. */
void howdah_overdue_ran(howdah_realm *realm);

#endif
