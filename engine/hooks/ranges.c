/* The arithmetic of record locks. See ranges.h. */
#include "ranges.h"

#include <stdlib.h>

bool howdah_ranges_place(howdah_range *range, off_t base, off_t start, off_t len) {
  off_t first, last = INT64_MAX;
  if (__builtin_add_overflow(base, start, &first)) return false;
  if (len > 0 && __builtin_add_overflow(first, len - 1, &last)) return false;
  if (len < 0) {
    last = first - 1;
    if (__builtin_add_overflow(first, len, &first)) return false;
  }
  range->first = first;
  range->last = last;
  return first >= 0 && last >= first;
}

bool howdah_ranges_reserve(howdah_ranges *ranges, size_t more) {
  if (ranges->count + more <= ranges->room) return true;
  size_t room = (ranges->count + more) * 2;
  howdah_range *items = realloc(ranges->items, room * sizeof(*items));
  if (!items) return false;
  ranges->items = items;
  ranges->room = room;
  return true;
}

void howdah_ranges_remove(howdah_ranges *ranges, int64_t owner, off_t first, off_t last) {
  for (size_t i = 0; i < ranges->count; i++) {
    howdah_range *each = &ranges->items[i];
    if (each->owner != owner || each->last < first || each->first > last) continue;
    if (each->first < first && each->last > last) {
      howdah_range *rest = &ranges->items[ranges->count++];
      *rest = *each;
      rest->first = last + 1;
      each->last = first - 1;
    } else if (each->first < first) {
      each->last = first - 1;
    } else if (each->last > last) {
      each->first = last + 1;
    } else {
      *each = ranges->items[--ranges->count];
      i--;
    }
  }
}

void howdah_ranges_put(howdah_ranges *ranges, const howdah_range *range) {
  howdah_ranges_remove(ranges, range->owner, range->first, range->last);
  ranges->items[ranges->count++] = *range;
}

const howdah_range *howdah_ranges_conflict(const howdah_ranges *ranges, const howdah_range *wanted) {
  for (size_t i = 0; i < ranges->count; i++) {
    const howdah_range *each = &ranges->items[i];
    if (each->owner != wanted->owner && each->last >= wanted->first && each->first <= wanted->last &&
        (each->exclusive || wanted->exclusive))
      return each;
  }
  return NULL;
}

bool howdah_ranges_gap(const howdah_ranges *ranges, int64_t owner, off_t *first, off_t last, off_t *gap_last) {
  for (size_t i = 0; i < ranges->count; i++) {
    const howdah_range *each = &ranges->items[i];
    if (each->owner == owner || *first < each->first || *first > each->last) continue;
    if (each->last >= last) return false;
    *first = each->last + 1;
    i = (size_t)-1; /* from the beginning: another one may go on here */
  }
  *gap_last = last;
  for (size_t i = 0; i < ranges->count; i++) {
    const howdah_range *each = &ranges->items[i];
    if (each->owner != owner && each->first > *first && each->first <= *gap_last) *gap_last = each->first - 1;
  }
  return true;
}

void howdah_ranges_free(howdah_ranges *ranges) {
  free(ranges->items);
  *ranges = (howdah_ranges){0};
}
