/* Structs that nobody declared: extensions that keep their globals out of their module entry are known by their ini entries. */
#include "probe.h"

#include <stdio.h>

static const char *module_name(int number) {
  zend_module_entry *module;
  ZEND_HASH_FOREACH_PTR(&module_registry, module) {
    if (module->module_number == number) return module->name;
  }
  ZEND_HASH_FOREACH_END();
  return "PHP";
}

static bool listed(const howdah_undeclared *list, size_t count, const void *address) {
  for (size_t i = 0; i < count; i++)
    if (list[i].address == address) return true;
  return false;
}

/* libphp's memory and each shared extension's: through a function of theirs. */
static void add_libraries(howdah_segments *libraries) {
  char error[128];
  zend_module_entry *module;
  howdah_segments_add(libraries, (const void *)(uintptr_t)php_request_startup, error, sizeof(error));
  ZEND_HASH_FOREACH_PTR(&module_registry, module) {
    if (module->handle) howdah_segments_add(libraries, module, error, sizeof(error));
    if (module->info_func) howdah_segments_add(libraries, (const void *)(uintptr_t)module->info_func, error, sizeof(error));
  }
  ZEND_HASH_FOREACH_END();
}

size_t howdah_hidden_undeclared(bool (*declared)(const void *address), howdah_undeclared *list, size_t max) {
  howdah_segments libraries = {0};
  size_t count = 0, shared_count;
  const howdah_shared *shared = howdah_hidden_shared(&shared_count);
  add_libraries(&libraries);
  zend_ini_entry *entry;
  ZEND_HASH_FOREACH_PTR(EG(ini_directives), entry) {
    const char *target = (const char *)entry->mh_arg2 + (size_t)entry->mh_arg1;
    if (!entry->mh_arg2) continue;
    const howdah_segment *segment = howdah_segments_find(&libraries, target);
    bool known = !segment || declared(target) || listed(list, count < max ? count : max, entry->mh_arg2);
    for (size_t i = 0; !known && i < shared_count; i++)
      known = target >= (char *)shared[i].address && target < (char *)shared[i].address + shared[i].size;
    if (known) continue;
    if (count < max) {
      howdah_undeclared *one = &list[count];
      snprintf(one->module, sizeof(one->module), "%s", module_name(entry->module_number));
      snprintf(one->entry, sizeof(one->entry), "%s", ZSTR_VAL(entry->name));
      snprintf(one->object, sizeof(one->object), "%s", segment->object);
      one->address = entry->mh_arg2;
    }
    count++;
  }
  ZEND_HASH_FOREACH_END();
  howdah_segments_free(&libraries);
  return count;
}
