/* The map_ptr area (Zend/zend_map_ptr.h) in a snapshot: the caches of functions, the static members of classes and so on, of one realm. For
 * snapshot.c, with the state in place. */
#ifndef HOWDAH_STATE_SNAPSHOT_MAP_H
#define HOWDAH_STATE_SNAPSHOT_MAP_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
  size_t from, count;
} howdah_map_span;

typedef struct {
  void **copy; /* of all words; owned */
  size_t count;
  howdah_map_span *spans; /* of words that a request may change; owned */
  size_t span_count;
} howdah_map_copy;

/* False: no memory; howdah_map_copy_free() then frees what was made. */
bool howdah_map_copy_take(howdah_map_copy *copy);
void howdah_map_copy_put_back(const howdah_map_copy *copy);
/* Whether each word is as it was. */
bool howdah_map_copy_is_back(const howdah_map_copy *copy);
void howdah_map_copy_free(howdah_map_copy *copy);

#endif
