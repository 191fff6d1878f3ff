/* What constructors of module globals touch beside them: a count of the threads that have some (pecl/mongodb). Howdah runs them
 * for each realm as ZTS does for each thread, so that this is what it would be there. */
#include "probe.h"

#include <stdlib.h>

typedef struct {
  howdah_probe *probe;
  const zend_module_entry *module;
  bool failed;
} touching;

static void note(const howdah_segment *segment, const void *now, const void *before, void *data) {
  touching *self = data;
  char *place = segment->start + ((const char *)now - segment->start); /* now, but writable */
  (void)before;
  howdah_shared item = {.name = "what a module's globals constructor counts",
                        .address = place,
                        .size = sizeof(uint64_t),
                        .source = self->module->name,
                        .reason = "the constructor runs for each realm, as for each thread under ZTS"};
  if (!howdah_probe_add_shared(self->probe, item)) self->failed = true;
}

static bool look_at(howdah_probe *probe, zend_module_entry *module) {
  char error[128];
  touching self = {probe, module, false};
  howdah_segments own = {0};
  void *globals = calloc(1, module->globals_size);
  bool done = globals && howdah_segments_add(&own, module, error, sizeof(error)) == 0 &&
              howdah_segments_copy(&own, error, sizeof(error)) == 0;
  if (done) {
    module->globals_ctor(globals);
    howdah_segments_compare(&own, note, &self);
    if (module->globals_dtor) module->globals_dtor(globals);
  }
  howdah_segments_free(&own);
  free(globals);
  if (!done) return howdah_probe_fail(probe, "what module globals' constructors touch", "out of memory");
  return !self.failed;
}

/* Extensions in files of their own: libphp's constructors are php-src's, and keep to their globals. */
bool howdah_find_constructors(howdah_probe *probe) {
  zend_module_entry *module;
  ZEND_HASH_FOREACH_PTR(&module_registry, module) {
    if (module->handle && module->globals_size && module->globals_ctor && !look_at(probe, module)) return false;
  }
  ZEND_HASH_FOREACH_END();
  return true;
}
