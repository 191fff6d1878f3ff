/* Hidden state of ext/uri (PHP 8.5): the parser of Uri\WhatWg\Url, the memory of all that it parses, and its tables for domain names
 * (ext/uri/uri_parser_whatwg.c). A request's start makes them on its heap, its end frees them: two requests at once would share the later
 * one's.
 *
 * All three are statics whose addresses each request's start hands to functions that libphp exports, and so calls through a slot: that is
 * the lever. */
#include "../loaded.h"
#include "probe.h"

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

typedef int (*init)(void *self, void *argument);

typedef struct {
  const char *function; /* is given the static; in lexbor */
  const char *name;
  size_t size;
  init watch;
  init real;
  void *seen;
} given;

static int watch_parser(void *self, void *argument);
static int watch_memory(void *self, void *argument);
static int watch_names(void *self, void *argument);

static given statics[] = {
    {"lxb_url_parser_init", "lexbor_parser", HOWDAH_URL_PARSER_SIZE, watch_parser, NULL, NULL},
    {"lexbor_mraw_init", "lexbor_mraw", HOWDAH_URL_MEMORY_SIZE, watch_memory, NULL, NULL},
    {"lxb_unicode_idna_init", "lexbor_idna", HOWDAH_URL_NAMES_SIZE, watch_names, NULL, NULL},
};

enum { COUNT = sizeof(statics) / sizeof(*statics) };

static const howdah_segments *libphp;

/* What is not in libphp's memory is made anew each time, by the function before or after. */
static int watch(given *one, void *self, void *argument) {
  if (howdah_segments_find(libphp, self)) one->seen = self;
  return one->real(self, argument);
}

static int watch_parser(void *self, void *argument) {
  return watch(&statics[0], self, argument);
}

static int watch_memory(void *self, void *argument) {
  return watch(&statics[1], self, argument);
}

static int watch_names(void *self, void *argument) {
  return watch(&statics[2], self, argument);
}

/* The child's own copy of libphp, which ends with it: nothing is put back. */
static bool replace(void **slot, void *value) {
  uintptr_t page = (uintptr_t)slot & ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1);
  if (mprotect((void *)page, (size_t)((uintptr_t)(slot + 1) - page), PROT_READ | PROT_WRITE) < 0) return false;
  *slot = value;
  return true;
}

static bool intercept(const struct dl_phdr_info *object, const howdah_relocation *slot, void *data) {
  (void)object, (void)data;
  for (size_t i = 0; i < COUNT; i++) {
    if (strcmp(slot->name, statics[i].function) != 0) continue;
    void *real = howdah_probe_function("uri", statics[i].function);
    if (real && replace(slot->at, (void *)(uintptr_t)statics[i].watch)) statics[i].real = (init)(uintptr_t)real;
  }
  return true;
}

static bool is_zero(const given *one) {
  for (size_t i = 0; i < one->size; i++)
    if (((const char *)one->seen)[i]) return false;
  return true;
}

/* Made by a request's start, and nothing of it is left by its end: with a size of each that is too small, something would be. */
static bool follow_requests(howdah_probe *probe) {
  void *before[COUNT];
  for (size_t i = 0; i < COUNT; i++) {
    if (!statics[i].seen || is_zero(&statics[i])) return false;
    before[i] = statics[i].seen;
  }
  php_request_shutdown(NULL);
  for (size_t i = 0; i < COUNT; i++)
    if (!is_zero(&statics[i])) return false;
  if (!howdah_probe_new_request(probe)) return false;
  for (size_t i = 0; i < COUNT; i++)
    if (statics[i].seen != before[i]) return false;
  /* Its second member is the memory (lexbor, url/url.h). */
  return ((void **)statics[0].seen)[1] == statics[1].seen;
}

bool howdah_find_uri(howdah_probe *probe) {
  static const char what[] = "the parser of ext/uri";
  if (!howdah_probe_module("uri")) return true;
  libphp = &probe->library;
  struct dl_phdr_info object;
  if (!howdah_loaded_find((void *)probe->library.items[0].start, &object))
    return howdah_probe_fail(probe, what, "PHP's library is not where it was");
  howdah_loaded_relocations(&object, HOWDAH_RELOCATION_CALL, intercept, NULL);
  for (size_t i = 0; i < COUNT; i++)
    if (!statics[i].real)
      return howdah_probe_fail(probe, what, "PHP's library does not call %s() where it could be seen", statics[i].function);
  if (!howdah_probe_new_request(probe)) return false;
  if (!follow_requests(probe))
    return howdah_probe_fail(probe, what, "it does not follow a request as in ext/uri/uri_parser_whatwg.c");
  for (size_t i = 0; i < COUNT; i++) {
    howdah_hidden item = {
        .name = statics[i].name, .address = statics[i].seen, .size = statics[i].size, .source = "ext/uri/uri_parser_whatwg.c"};
    if (!howdah_probe_add(probe, item)) return false;
  }
  return true;
}
