/* What the first object of a class makes, in extensions that make their tables of handlers only then. For the audit.
 *
 * An object of each class that C code declares is made and thrown away, twice (as php-src's
 * Zend/tests/instantiate_all_classes.phpt does). What changed the first time alone is shared: the same for all. What changed
 * again, a count of objects, is not listed. */
#include "probe.h"

#include "../audit/objects.h"
#include "../audit/shared.h"

#include <stdlib.h>

static const char code[] = "foreach (get_declared_classes() as $class) { $r = new ReflectionClass($class); "
                           "if ($r->isInternal() && $r->isInstantiable()) { try { new $class; } catch (Throwable) { } } }";

enum { CHANGES_MAX = 4096 };

typedef struct {
  howdah_probe *probe;
  char *places[CHANGES_MAX];
  size_t count;
  bool overflow;
} changes;

static void note(const howdah_segment *segment, const void *now, const void *before, void *data) {
  changes *list = data;
  char *place = segment->start + ((const char *)now - segment->start); /* now, but writable */
  (void)before;
  /* libphp is looked at more strictly: what it makes lazily is listed thing by thing (touched.c). */
  if (howdah_segments_find(&list->probe->library, place) || howdah_shared_library(segment) ||
      howdah_probe_is_known(list->probe, place))
    return;
  if (list->count == CHANGES_MAX)
    list->overflow = true;
  else
    list->places[list->count++] = place;
}

static bool has(const changes *list, const char *place) {
  for (size_t i = 0; i < list->count; i++)
    if (list->places[i] == place) return true;
  return false;
}

static bool make_objects(howdah_probe *probe, howdah_segments *memory, changes *list) {
  char error[128];
  list->probe = probe;
  if (howdah_segments_copy(memory, error, sizeof(error)) < 0) return howdah_probe_fail(probe, "what objects make", "%s", error);
  if (!howdah_probe_eval(probe, code, NULL)) return howdah_probe_fail(probe, "what objects make", "its code does not run");
  howdah_segments_compare(memory, note, list);
  return true;
}

/* Neighbours are one item. */
static bool add(howdah_probe *probe, const changes *once, const changes *again) {
  howdah_shared item = {.name = "what the first object of a class makes",
                        .source = "the extension's create_object",
                        .reason = "made once, the same for all"};
  for (size_t i = 0; i < once->count; i++) {
    char *place = once->places[i];
    if (has(again, place)) continue;
    if (item.address && place == (char *)item.address + item.size) {
      item.size += sizeof(uint64_t);
      continue;
    }
    if (item.address && !howdah_probe_add_shared(probe, item)) return false;
    item.address = place;
    item.size = sizeof(uint64_t);
  }
  return !item.address || howdah_probe_add_shared(probe, item);
}

bool howdah_find_objects(howdah_probe *probe) {
  char error[256];
  howdah_segments memory = {0};
  changes *once = calloc(1, sizeof(*once)), *again = calloc(1, sizeof(*again));
  bool done = once && again && howdah_objects_add(&memory, error, sizeof(error)) == 0;
  if (!done) howdah_probe_fail(probe, "what objects make", "out of memory");
  done = done && make_objects(probe, &memory, once) && make_objects(probe, &memory, again);
  if (done && once->overflow) done = howdah_probe_fail(probe, "what objects make", "too much changes");
  done = done && add(probe, once, again);
  howdah_segments_free(&memory);
  free(once);
  free(again);
  return done;
}
