/* A realm's own copies of PHP's tables: functions, classes, constants, ini directives, auto-globals, map_ptr.
 *
 * Invariants:
 *  1. Order is kept: request shutdown deletes what a request added from the end.
 *  2. What the tables point to (internal functions, classes, constants) stays PHP's own and is shared; only ini entries and
 *     auto-globals are copied, because requests write to them.
 *  3. Nothing is added to PHP's own tables after howdah_tables_start(). */
#ifndef HOWDAH_STATE_TABLES_H
#define HOWDAH_STATE_TABLES_H

#include <stdbool.h>
#include <stddef.h>

/* Once, with the base image in place, after the hooks were installed: makes base pages (pages.h) of what realms seldom write
 * to. Without them, which is where the kernel refuses, each realm has a whole copy. */
void howdah_tables_start(void);
/* With the base image in place and the realm's heap set; its base pages, or NULL. False when memory is short:
 * howdah_tables_death() then frees what was made. The pages stay the caller's. */
bool howdah_tables_birth(char *pages);
/* After the last request shutdown, with the realm's state in place: ends its persistent connections, whose destructors may look
 * at tables and ini settings. May park. */
void howdah_tables_close(void);
/* After that. */
void howdah_tables_death(void);

/* For snapshot_tables.c: the tables of the state in place. */
enum { HOWDAH_TABLES = 5 };
typedef struct {
  struct _zend_array *table;
  size_t base_used; /* so many of its buckets nobody changes: PHP's own functions, classes, constants */
  char *entries;    /* what its entries point to, where that is the realm's own; NULL: it is not */
  size_t entries_bytes;
} howdah_own_table;
void howdah_tables_list(char *pages, howdah_own_table list[HOWDAH_TABLES]);

#endif
