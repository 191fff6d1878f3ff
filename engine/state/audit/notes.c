/* The audit's notes. See notes.h. */
#include "notes.h"
#include "../php_headers.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/mman.h>

howdah_notes *howdah_audit_notes;

int howdah_notes_start(void) {
  void *memory = mmap(NULL, sizeof(howdah_notes), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return -1;
  howdah_audit_notes = memory;
  return 0;
}

void howdah_notes_stop(void) {
  munmap(howdah_audit_notes, sizeof(*howdah_audit_notes));
  howdah_audit_notes = NULL;
}

static bool is_in(const void *inside, const howdah_segment *segment) {
  Dl_info info;
  return dladdr(inside, &info) != 0 && strcmp(info.dli_fname, segment->path) == 0;
}

/* By its file, whichever of its memory this is: its variables, or those that it has for each thread. */
static const char *extension_of(const howdah_segment *segment) {
  zend_module_entry *module;
  ZEND_HASH_FOREACH_PTR(&module_registry, module) {
    const void *inside = module->module_startup_func ? (const void *)(uintptr_t)module->module_startup_func : module->functions;
    if (module->handle && inside && is_in(inside, segment)) return module->name;
  }
  ZEND_HASH_FOREACH_END();
  for (const zend_llist_element *element = zend_extensions.head; element; element = element->next) {
    const zend_extension *extension = (const zend_extension *)element->data;
    const void *inside =
        (const void *)(uintptr_t)(extension->startup ? (void *)extension->startup : (void *)extension->activate);
    if (extension->handle && inside && is_in(inside, segment)) return extension->name;
  }
  return "";
}

unsigned howdah_notes_object(const howdah_segment *segment) {
  for (unsigned i = 0; i < HOWDAH_AUDIT_OBJECTS_MAX; i++) {
    howdah_object_note *one = &howdah_audit_notes->objects[i];
    int expected = 0;
    if (atomic_compare_exchange_strong(&one->state, &expected, 1)) {
      snprintf(one->name, sizeof(one->name), "%s", segment->object);
      snprintf(one->path, sizeof(one->path), "%s", segment->path);
      snprintf(one->extension, sizeof(one->extension), "%s", extension_of(segment));
      one->bytes = segment->size;
      one->of_thread = segment->of_thread;
      atomic_store(&one->state, 2);
      return i;
    }
    if (expected == 2 && one->of_thread == segment->of_thread && strcmp(one->path, segment->path) == 0) return i;
  }
  return HOWDAH_AUDIT_OBJECTS_MAX;
}

howdah_word_note *howdah_notes_word(uint64_t key) {
  size_t at = (size_t)((key * 0x9E3779B97F4A7C15u) >> 40) % HOWDAH_AUDIT_WORDS_MAX;
  for (size_t tried = 0; tried < HOWDAH_AUDIT_WORDS_MAX / 2; tried++, at = (at + 1) % HOWDAH_AUDIT_WORDS_MAX) {
    uint64_t expected = 0;
    if (atomic_compare_exchange_strong(&howdah_audit_notes->words[at].key, &expected, key) || expected == key)
      return &howdah_audit_notes->words[at];
  }
  return NULL;
}

/* The last howdah_label is for all that come when there is no room left. */
uint16_t howdah_notes_label(howdah_audit_moment moment, const char *request, const char *script) {
  unsigned at = atomic_fetch_add(&howdah_audit_notes->labels_count, 1);
  if (at >= HOWDAH_AUDIT_LABELS_MAX - 1) {
    atomic_store(&howdah_audit_notes->labels_count, HOWDAH_AUDIT_LABELS_MAX - 1);
    at = HOWDAH_AUDIT_LABELS_MAX - 1;
  }
  howdah_label *one = &howdah_audit_notes->labels[at];
  if (!atomic_load(&one->written)) {
    snprintf(one->request, sizeof(one->request), "%s", at == HOWDAH_AUDIT_LABELS_MAX - 1 ? "a later request" : request);
    snprintf(one->script, sizeof(one->script), "%s", script);
    one->moment = moment;
    atomic_store(&one->written, true);
  }
  return (uint16_t)(at + 1);
}

const howdah_reason *howdah_notes_why(const howdah_word_note *note) {
  return atomic_load(&note->unexplained) ? NULL : atomic_load(&note->why);
}
