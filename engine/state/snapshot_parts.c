/* See snapshot_parts.h. */
#include "snapshot_parts.h"
#include "names.h"
#include "snapshot_blocks.h"

#include <stdio.h>

static const char *const part_names[HOWDAH_PARTS] = {"destructors", "resources", "objects", "settings", "modules", "heap",
                                                     "blocks",      "map",       "tables",  "process",  "written"};
static const char *left_out;
static unsigned parts_left_out;

bool howdah_snapshot_leaves_out(const char *name) {
  const char *list = left_out, *each;
  size_t length;
  while (howdah_names_next(&list, &each, &length))
    if (howdah_names_equal(name, each, length)) return true;
  return false;
}

static bool is_known(const char *name, size_t length) {
  for (unsigned i = 0; i < HOWDAH_PARTS; i++)
    if (howdah_names_equal(part_names[i], name, length)) return true;
  return howdah_block_copies_have(name, length);
}

bool howdah_snapshot_leave_out(const char *names, char *error, size_t error_size) {
  const char *list = names, *each;
  size_t length;
  while (howdah_names_next(&list, &each, &length)) {
    if (!is_known(each, length)) {
      snprintf(error, error_size,
               "howdah: rewind has no part, and puts back no state block, with the name \"%.*s\": state/snapshot_parts.c and "
               "howdah-run --blocks tell the names",
               (int)length, each);
      return false;
    }
  }
  left_out = names;
  for (unsigned i = 0; i < HOWDAH_PARTS; i++)
    if (howdah_snapshot_leaves_out(part_names[i])) parts_left_out |= 1U << i;
  return true;
}

bool howdah_snapshot_has_part(howdah_snapshot_part part) {
  return !(parts_left_out >> part & 1);
}
