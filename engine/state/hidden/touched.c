/* Hidden state that is shared because it does not matter: what a line of PHP touches, and nothing else knows of.
 *
 * For the audit. Each is found by running the line and comparing: there is no struct to recognise, only memory that the line wrote. */
#include "probe.h"

#include <stdint.h>

static const struct {
  const char *name, *source, *reason;
  const char *code;
} touches[] = {
    {"uniqid()'s last time", "ext/standard/uniqid.c", "two realms must not be given the same one", "uniqid();"},
    {"crypt()'s tables", "ext/standard/crypt_freesec.c", "made once, and buffers that one call uses",
     "crypt('howdah', 'ab'); crypt('howdah', '_J9..rasm'); crypt('howdah', '$1$rasmusle$'); crypt('howdah', '$5$saltstring$'); "
     "crypt('howdah', '$6$saltstring$');"},
    {"zend_strtod()'s numbers", "Zend/zend_strtod.c", "a free list of malloc'ed numbers; no switch inside",
     "for ($n = 1; $n < 1200; $n += 7) { $f = (float)('0.' . str_repeat('37', $n) . 'e-' . ($n % 300));"
     " $s = sprintf('%.40f', $f) . $f; } $s = number_format(1e300, 3);"},
    {"Fiber's page size", "Zend/zend_fibers.c", "the same for all", "$f = new Fiber(fn() => 1); $f->start();"},
};

/* Words as near as this are one range: a table may hold zeros. */
enum { GAP = 64 };

typedef struct {
  howdah_probe *probe;
  size_t which;
  char *start, *end; /* the range that grows */
  bool failed;
} range;

static bool within(const char *place, const void *start, size_t size) {
  return place + sizeof(uint64_t) > (const char *)start && place < (const char *)start + size;
}

static bool is_known(const howdah_probe *probe, const char *place) {
  if (within(place, &executor_globals, sizeof(executor_globals)) ||
      within(place, &compiler_globals, sizeof(compiler_globals)) || within(place, &core_globals, sizeof(core_globals)) ||
      within(place, &basic_globals, sizeof(basic_globals)) || within(place, &sapi_globals, sizeof(sapi_globals)) ||
      within(place, &output_globals, sizeof(output_globals)) ||
      within(place, &language_scanner_globals, sizeof(language_scanner_globals)) ||
      within(place, &file_globals, sizeof(file_globals)))
    return true;
  for (size_t i = 0; i < probe->items_count; i++)
    if (within(place, probe->items[i].address, probe->items[i].size)) return true;
  for (size_t i = 0; i < probe->shared_count; i++)
    if (within(place, probe->shared[i].address, probe->shared[i].size)) return true;
  zend_module_entry *module;
  ZEND_HASH_FOREACH_PTR(&module_registry, module) {
    if (module->globals_size && within(place, module->globals_ptr, module->globals_size)) return true;
  }
  ZEND_HASH_FOREACH_END();
  return false;
}

static void end_range(range *grown) {
  if (!grown->start) return;
  howdah_shared item = {.name = touches[grown->which].name,
                        .address = grown->start,
                        .size = (size_t)(grown->end - grown->start),
                        .source = touches[grown->which].source,
                        .reason = touches[grown->which].reason};
  grown->start = NULL;
  if (!howdah_probe_add_shared(grown->probe, item)) grown->failed = true;
}

/* Near enough to be the same thing, with nothing between them that is known to be another? */
static bool continues(const range *grown, const char *place) {
  if (!grown->start || place > grown->end + GAP) return false;
  for (const char *between = grown->end; between < place; between += sizeof(uint64_t))
    if (is_known(grown->probe, between)) return false;
  return true;
}

static void grow(const howdah_segment *segment, const void *now, const void *before, void *data) {
  range *grown = data;
  char *place = segment->start + ((const char *)now - segment->start); /* now, but writable */
  (void)before;
  if (is_known(grown->probe, place)) return;
  if (!continues(grown, place)) end_range(grown);
  if (!grown->start) grown->start = place;
  grown->end = place + sizeof(uint64_t);
}

bool howdah_find_touched(howdah_probe *probe) {
  char error[128];
  for (size_t i = 0; i < sizeof(touches) / sizeof(*touches); i++) {
    range grown = {.probe = probe, .which = i};
    if (howdah_segments_copy(&probe->library, error, sizeof(error)) < 0)
      return howdah_probe_fail(probe, touches[i].name, "%s", error);
    /* One that is disabled touches nothing. */
    howdah_probe_eval(probe, touches[i].code, NULL);
    howdah_segments_compare(&probe->library, grow, &grown);
    end_range(&grown);
    if (grown.failed) return false;
  }
  return true;
}
