/* Test mode: parts of a rewind that are left out, each of which tests must notice. Names of state blocks are parts, too. */
#ifndef HOWDAH_STATE_SNAPSHOT_PARTS_H
#define HOWDAH_STATE_SNAPSHOT_PARTS_H

#include <stdbool.h>
#include <stddef.h>

/* In the order in which they are done. "written" is no part of it: without it each page is compared. */
typedef enum {
  HOWDAH_PART_DESTRUCTORS,
  HOWDAH_PART_RESOURCES,
  HOWDAH_PART_OBJECTS,
  HOWDAH_PART_SETTINGS,
  HOWDAH_PART_MODULES,
  HOWDAH_PART_HEAP,
  HOWDAH_PART_BLOCKS,
  HOWDAH_PART_MAP,
  HOWDAH_PART_TABLES,
  HOWDAH_PART_PROCESS,
  HOWDAH_PART_WRITTEN,
  HOWDAH_PARTS
} howdah_snapshot_part;

/* "name\n...", kept, for all pools of the process. False: one of them is neither a part nor a block that is put back. */
bool howdah_snapshot_leave_out(const char *names, char *error, size_t error_size);
bool howdah_snapshot_has_part(howdah_snapshot_part part);
bool howdah_snapshot_leaves_out(const char *name);

#endif
