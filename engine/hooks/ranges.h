/* Which parts of a file are locked, for whom: the arithmetic of record locks (fcntl(2)). Knows no descriptor and asks no
 * kernel. */
#ifndef HOWDAH_HOOKS_RANGES_H
#define HOWDAH_HOOKS_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Who holds a lock: a realm's number, or one of these. */
enum { HOWDAH_OWNER_PROCESS = 0, HOWDAH_OWNER_NOBODY = -1 };

typedef struct {
  int64_t owner;
  int fd; /* through which it was taken */
  bool exclusive;
  off_t first, last; /* both are locked; INT64_MAX: as far as the file may grow */
} howdah_range;

/* Zeroed: none. The ranges of one owner do not overlap. */
typedef struct {
  howdah_range *items;
  size_t count, room;
} howdah_ranges;

/* Sets first and last to what fcntl(2) means by a start, counted from a base, and a length (0: all that follows; below 0: what
 * comes before). false: there is no such part. */
bool howdah_ranges_place(howdah_range *range, off_t base, off_t start, off_t len);
/* Room for so many more. false: out of memory. */
bool howdah_ranges_reserve(howdah_ranges *ranges, size_t more);
/* The owner has this part no more. Needs room for one more. */
void howdah_ranges_remove(howdah_ranges *ranges, int64_t owner, off_t first, off_t last);
/* The owner has this part now, in place of what it had there. Needs room for two more. */
void howdah_ranges_put(howdah_ranges *ranges, const howdah_range *range);
/* What another owner has and that excludes this one, or NULL. */
const howdah_range *howdah_ranges_conflict(const howdah_ranges *ranges, const howdah_range *wanted);
/* The first part of *first to last that nobody but the owner has: *first to *gap_last. false: there is none. */
bool howdah_ranges_gap(const howdah_ranges *ranges, int64_t owner, off_t *first, off_t last, off_t *gap_last);
void howdah_ranges_free(howdah_ranges *ranges);

#endif
