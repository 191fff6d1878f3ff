/* Searching libphp's memory with a lever, and the scratch request that levers need. See probe.h. */
#include "probe.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

bool howdah_probe_fail(howdah_probe *probe, const char *what, const char *why, ...) {
  if (probe->error[0]) return false;
  char cause[256];
  va_list arguments;
  va_start(arguments, why);
  vsnprintf(cause, sizeof(cause), why, arguments);
  va_end(arguments);
  snprintf(probe->error, sizeof(probe->error),
           "howdah: cannot find %s in %s (PHP %s): %s; this PHP build is not supported yet, please report it", what,
           probe->library.count ? probe->library.items[0].object : "libphp", zend_get_module_version("Core"), cause);
  return false;
}

bool howdah_probe_add(howdah_probe *probe, howdah_hidden item) {
  if (probe->items_count == HOWDAH_ITEMS_MAX) return howdah_probe_fail(probe, item.name, "the list of items is full");
  probe->items[probe->items_count++] = item;
  return true;
}

bool howdah_probe_add_shared(howdah_probe *probe, howdah_shared item) {
  if (probe->shared_count == HOWDAH_SHARED_MAX) return howdah_probe_fail(probe, item.name, "the list of items is full");
  probe->shared[probe->shared_count++] = item;
  return true;
}

/* ---- Searching ------------------------------------------------------------------------------------------------------------ */

/* Libraries have a million values, of which few are alive after a step: dead ones are passed by many at a time. NULL: there is no more. */
static unsigned char *next_alive(unsigned char *from, const unsigned char *end) {
  if (from == end || *from) return from == end ? NULL : from;
  return memchr(from, 1, (size_t)(end - from));
}

/* alive[] has one byte per aligned value of the segment: 1 while it moved as the lever did. */
static void narrow(const howdah_segment *segment, unsigned char *alive, const howdah_lever *lever, int step) {
  const unsigned char *end = alive + segment->size / lever->width;
  for (unsigned char *one = alive; (one = next_alive(one, end)); one++) {
    size_t at = (size_t)(one - alive) * lever->width;
    if (!lever->holds(segment->start + at, segment->copy + at, step, lever->data)) *one = 0;
  }
}

static void *survivor(const howdah_segments *library, unsigned char **alive, const howdah_lever *lever, size_t *count) {
  void *place = NULL;
  *count = 0;
  for (size_t i = 0; i < library->count; i++) {
    const unsigned char *end = alive[i] + library->items[i].size / lever->width;
    for (unsigned char *one = alive[i]; (one = next_alive(one, end)); one++) {
      char *here = library->items[i].start + (size_t)(one - alive[i]) * lever->width;
      if (lever->confirm && !lever->confirm(here, lever->data)) continue;
      place = here;
      ++*count;
    }
  }
  return place;
}

void *howdah_probe_search(howdah_probe *probe, const howdah_lever *lever) {
  howdah_segments *library = lever->memory ? lever->memory : &probe->library;
  char error[128];
  if (howdah_segments_copy(library, error, sizeof(error)) < 0) {
    howdah_probe_fail(probe, lever->what, "%s", error);
    return NULL;
  }
  size_t count = 0;
  void *place = NULL;
  unsigned char **alive = calloc(library->count, sizeof(*alive));
  bool ready = alive != NULL;
  for (size_t i = 0; ready && i < library->count; i++) {
    alive[i] = malloc(library->items[i].size / lever->width + 1);
    if (alive[i])
      memset(alive[i], 1, library->items[i].size / lever->width + 1);
    else
      ready = false;
  }
  if (!ready) {
    howdah_probe_fail(probe, lever->what, "out of memory");
    goto out;
  }
  for (int step = 0; step < lever->steps; step++) {
    if (!lever->move(probe, step, lever->data)) {
      howdah_probe_fail(probe, lever->what, "its lever does not move (step %d)", step);
      goto out;
    }
    for (size_t i = 0; i < library->count; i++)
      narrow(&library->items[i], alive[i], lever, step);
  }
  place = survivor(library, alive, lever, &count);
  if (count == 0 && lever->optional) {
    place = NULL;
  } else if (count != 1) {
    howdah_probe_fail(probe, lever->what, "%zu places in its memory moved with the lever, where one should", count);
    place = NULL;
  }
out:
  for (size_t i = 0; alive && i < library->count; i++)
    free(alive[i]);
  free(alive);
  return place;
}

/* ---- The scratch request -------------------------------------------------------------------------------------------------- */

/* php_request_startup() and php_request_shutdown() catch bailouts themselves. */
bool howdah_probe_new_request(howdah_probe *probe) {
  if (SG(sapi_started)) php_request_shutdown(NULL);
  /* As sapi/embed: nothing to send. */
  SG(headers_sent) = 1;
  SG(request_info).no_headers = 1;
  if (php_request_startup() == FAILURE) return howdah_probe_fail(probe, "hidden state", "PHP's request startup failed");
  EG(error_reporting) = 0;
  PG(during_request_startup) = 0;
  return true;
}

/* volatile: written between setjmp and longjmp. */
bool howdah_probe_eval(howdah_probe *probe, const char *code, zval *result) {
  volatile bool done = false;
  (void)probe;
  zend_try {
    done = zend_eval_string(code, result, "howdah: probe") == SUCCESS && !EG(exception);
  }
  zend_end_try();
  if (EG(exception)) zend_clear_exception();
  return done;
}

static const zend_function_entry *function_entry(const char *name, zend_module_entry **owner) {
  zend_module_entry *module;
  ZEND_HASH_FOREACH_PTR(&module_registry, module) {
    for (const zend_function_entry *entry = module->functions; entry && entry->fname; entry++)
      if (strcmp(entry->fname, name) == 0) {
        *owner = module;
        return entry;
      }
  }
  ZEND_HASH_FOREACH_END();
  return NULL;
}

/* zend_disable_functions() (Zend/zend_API.c) takes a function out of the table; its module still has it. */
static bool enable(const char *name) {
  if (zend_hash_str_exists(CG(function_table), name, strlen(name))) return true;
  zend_module_entry *module;
  const zend_function_entry *entry = function_entry(name, &module);
  if (!entry) return false;
  zend_function_entry one[2] = {*entry, {0}};
  zend_module_entry *current = EG(current_module);
  EG(current_module) = module;
  bool done = zend_register_functions(NULL, one, NULL, MODULE_PERSISTENT) == SUCCESS;
  EG(current_module) = current;
  return done;
}

bool howdah_probe_call(howdah_probe *probe, const char *function, uint32_t count, zval *arguments, zval *result) {
  volatile bool done = false;
  zval name, ignored;
  if (!enable(function)) return howdah_probe_fail(probe, "hidden state", "PHP has no function %s()", function);
  ZVAL_STRING(&name, function);
  ZVAL_UNDEF(&ignored);
  zend_try {
    done = call_user_function(NULL, NULL, &name, result ? result : &ignored, count, arguments) == SUCCESS && !EG(exception);
  }
  zend_end_try();
  if (EG(exception)) zend_clear_exception();
  if (!result) zval_ptr_dtor(&ignored);
  zval_ptr_dtor(&name);
  return done;
}

/* ---- Looking ------------------------------------------------------------------------------------------------------------- */

zend_ini_entry *howdah_probe_ini(const char *name) {
  return zend_hash_str_find_ptr(EG(ini_directives), name, strlen(name));
}

zend_module_entry *howdah_probe_module(const char *name) {
  return zend_hash_str_find_ptr(&module_registry, name, strlen(name));
}

void *howdah_probe_function(const char *module_name, const char *name) {
  zend_module_entry *module = howdah_probe_module(module_name);
  void *handle = module ? module->handle : NULL;
  if (handle) return dlsym(handle, name);
  void *function = dlsym(RTLD_DEFAULT, name);
  if (function) return function;
  Dl_info info;
  if (dladdr((const void *)(uintptr_t)php_request_startup, &info)) handle = dlopen(info.dli_fname, RTLD_NOLOAD | RTLD_LAZY);
  if (!handle) return NULL;
  function = dlsym(handle, name);
  dlclose(handle);
  return function;
}

/* mincore() fails for what is not mapped. A mapping that may not be read would still pass; then the child crashes, which is an
 * error like any other. */
bool howdah_probe_readable(const void *address, size_t size) {
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  uintptr_t from = (uintptr_t)address & ~(page - 1);
  uintptr_t to = (uintptr_t)address + size;
  if (!address || to < (uintptr_t)address) return false;
  for (; from < to; from += page) {
    unsigned char resident;
    if (mincore((void *)from, page, &resident) != 0) return false;
  }
  return true;
}

bool howdah_probe_is_table(const void *address, uint32_t elements) {
  if ((uintptr_t)address % sizeof(void *) || !howdah_probe_readable(address, sizeof(HashTable))) return false;
  const HashTable *table = address;
  return GC_TYPE(table) == IS_ARRAY && table->nNumOfElements == elements && table->nNumUsed >= elements &&
         table->nTableSize >= table->nNumUsed && (table->nTableSize & (table->nTableSize - 1)) == 0 &&
         (elements == 0 || howdah_probe_readable(table->arData, elements * sizeof(Bucket)));
}

static bool within(const char *place, const void *start, size_t size) {
  return place + sizeof(uint64_t) > (const char *)start && place < (const char *)start + size;
}

bool howdah_probe_is_known(const howdah_probe *probe, const char *place) {
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
