/* Extensions that ask PHP to tell them of each call: profilers, tracers. PHP keeps their functions in a list that nobody can
 * read (zend_observers_fcall_list, Zend/zend_observer.c, 8.2.36), so they are known by what their files ask of PHP's library. */
#include "observers.h"
#include "../loaded.h"
#include "../php_headers.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* The second: memory with each function, which also functions of C have since 8.4. */
static const char *const asked[] = {"zend_observer_fcall_register", "zend_get_op_array_extension_handle",
                                    "zend_get_op_array_extension_handles"};

static bool is_asked(const char *symbol) {
  for (size_t i = 0; i < sizeof(asked) / sizeof(*asked); i++)
    if (strcmp(symbol, asked[i]) == 0) return true;
  return false;
}

static bool is_another(const struct dl_phdr_info *object, const howdah_relocation *relocation, void *data) {
  (void)object, (void)data;
  return !is_asked(relocation->name);
}

enum { ASKING = HOWDAH_RELOCATION_CALL | HOWDAH_RELOCATION_ADDRESS | HOWDAH_RELOCATION_POINTER };

/* By the slots for calls of other objects' functions, and those for their addresses. */
static bool asks(void *handle) {
  const struct link_map *map = NULL;
  struct dl_phdr_info object;
  if (!handle || dlinfo(handle, RTLD_DI_LINKMAP, &map) < 0) return false; /* a part of PHP's library */
  return howdah_loaded_find(map->l_ld, &object) && !howdah_loaded_relocations(&object, ASKING, is_another, NULL);
}

typedef struct {
  char *text;
  size_t size, len, count;
} list;

static void add(list *names, const char *name) {
  int len = snprintf(names->text + names->len, names->size - names->len, "%s%s", names->count++ ? " " : "", name);
  if (len > 0) names->len += (size_t)len < names->size - names->len ? (size_t)len : names->size - names->len - 1;
}

size_t howdah_observers_name(char *names, size_t size) {
  list found = {.text = names, .size = size};
  const zend_module_entry *module;
  names[0] = '\0';
  ZEND_HASH_FOREACH_PTR(&module_registry, module) {
    if (asks(module->handle)) add(&found, module->name);
  }
  ZEND_HASH_FOREACH_END();
  for (const zend_llist_element *element = zend_extensions.head; element; element = element->next) {
    const zend_extension *extension = (const zend_extension *)element->data;
    char *small = zend_str_tolower_dup(extension->name, strlen(extension->name));
    bool is_module = zend_hash_str_exists(&module_registry, small, strlen(small));
    efree(small);
    if (!is_module && strcmp(extension->name, "Zend OPcache") != 0 && asks(extension->handle)) add(&found, extension->name);
  }
  return found.count;
}
