/* A realm's own copies of PHP's tables: functions, classes, constants, ini directives, auto-globals, map_ptr.
 *
 * Invariants:
 *  1. Order is kept: request shutdown deletes what a request added from the end.
 *  2. What the tables point to (internal functions, classes, constants) stays PHP's own and is shared; only ini entries and
 *     auto-globals are copied, because requests write to them. */
#ifndef HOWDAH_STATE_TABLES_H
#define HOWDAH_STATE_TABLES_H

#include <stdbool.h>

/* With the base image in place and the realm's heap set. False when memory is short: howdah_tables_death() then frees what was
 * made. */
bool howdah_tables_birth(void);
/* After the last request shutdown, with the realm's state in place. */
void howdah_tables_death(void);

#endif
