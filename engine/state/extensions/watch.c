/* Compares the memory of unknown extensions. See watch.h. */
#include "watch.h"
#include "../block.h"
#include "../audit/shared.h"
#include "../audit/symbols.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORD = 8, WATCHED_MAX = 64 };

typedef struct {
  char extension[64];
  howdah_segments segments;
  bool over;
} watched;

static watched all[WATCHED_MAX];
static size_t count;

int howdah_watch_add(const void *inside, const char *extension, char *error, size_t error_size) {
  if (count == WATCHED_MAX) {
    snprintf(error, error_size, "howdah: more than %d unknown extensions; leave out those that you do not need", WATCHED_MAX);
    return -1;
  }
  watched *one = &all[count];
  *one = (watched){0};
  snprintf(one->extension, sizeof(one->extension), "%s", extension);
  if (howdah_segments_add(&one->segments, inside, error, error_size) < 0 ||
      howdah_segments_copy(&one->segments, error, error_size) < 0) {
    howdah_segments_free(&one->segments);
    return -1;
  }
  count++;
  return 0;
}

bool howdah_watch_is_on(void) {
  return count > 0;
}

/* A byte of this word that may not change and did, or NULL. */
static const char *offender(const howdah_segment *segment, size_t from) {
  for (size_t at = from; at < from + WORD; at++) {
    const char *byte = segment->start + at;
    if (*byte != segment->copy[at] && !howdah_blocks_find(byte) && !howdah_shared_at(segment, byte)) return byte;
  }
  return NULL;
}

static const char *look_at(const howdah_segment *segment) {
  const char *found = NULL;
  for (size_t at = 0; at + WORD <= segment->size && !found; at += WORD)
    if (memcmp(segment->start + at, segment->copy + at, WORD) != 0) found = offender(segment, at);
  return found;
}

const char *howdah_watch_look(char *place, size_t place_size) {
  for (size_t i = 0; i < count; i++)
    for (size_t s = 0; s < all[i].segments.count && !all[i].over; s++) {
      const howdah_segment *segment = &all[i].segments.items[s];
      const char *found = look_at(segment);
      if (!found) continue;
      howdah_place where;
      howdah_place_of(segment, found, &where);
      howdah_place_print(&where, place, place_size);
      all[i].over = true;
      return all[i].extension;
    }
  return NULL;
}

void howdah_watch_free(void) {
  for (size_t i = 0; i < count; i++)
    howdah_segments_free(&all[i].segments);
  count = 0;
}
