/* See ahead.h. What is named here are the tables that php_request_shutdown() and php_request_startup() look into, found by what
 * a profile of 1,000 waiting requests misses (bench/run wait-1000): each by itself costs as much as a hundred instructions, all
 * at once as one. */
#include "ahead.h"
#include "sapi.h"

#include "../coroutine/near.h"

#include <stdlib.h>

enum { LINE = 64, SIZES = 29 /* ZEND_MM_BINS - 1: PHP 8.4 does not use the first one */ };

static bool has(const howdah_ahead *ahead, const void *line) {
  for (unsigned i = 0; i < ahead->count; i++)
    if (ahead->lines[i] == line) return true;
  return false;
}

static void add(howdah_ahead *ahead, const void *start, size_t bytes) {
  const uintptr_t end = (uintptr_t)start + bytes;
  for (uintptr_t at = (uintptr_t)start & ~(uintptr_t)(LINE - 1); start && at < end; at += LINE) {
    const void *line = (const void *)at;
    if (ahead->count < HOWDAH_AHEAD_LINES && !has(ahead, line)) ahead->lines[ahead->count++] = line;
  }
}

/* The way to an entry: its hash, its bucket. */
static void add_entry(howdah_ahead *ahead, const HashTable *table, zend_string *key) {
  if (HT_FLAGS(table) & (HASH_FLAG_UNINITIALIZED | HASH_FLAG_PACKED)) return;
  add(ahead, &HT_HASH(table, (uint32_t)ZSTR_HASH(key) | table->nTableMask), sizeof(uint32_t));
  zval *value = zend_hash_find(table, key);
  if (value) add(ahead, value, sizeof(Bucket)); /* a bucket begins with its value */
}

static void add_setting(howdah_ahead *ahead, const char *name) {
  const zend_ini_entry *entry = zend_hash_str_find_ptr(EG(ini_directives), name, strlen(name));
  if (!entry) return;
  add_entry(ahead, EG(ini_directives), entry->name);
  add(ahead, entry, sizeof(*entry));
  if (entry->value) add(ahead, entry->value, LINE);
}

/* The heap's lists of free places, one for each size: their first ones are the next to be used. The heap's type is not public
 * (Zend/zend_alloc.c): the list shows itself by what was freed last, once in a process. NULL: PHP uses another allocator
 * (USE_ZEND_ALLOC=0). */
static const void *const *places_of_heap(void) {
  enum { WORDS = 16 };
  static size_t at;
  zend_mm_heap *heap = zend_mm_get_heap();
  if (zend_mm_is_custom_heap(heap)) return NULL;
  const void *const *words = (const void *const *)heap;
  if (!at) {
    void *least = emalloc(1);
    const void *const address = least;
    efree(least);
    for (at = WORDS; at > 0 && words[at - 1] != address;)
      at--;
  }
  return at ? &words[at - 1] : NULL;
}

/* The buffer that the request has by php.ini: in general each request of a realm gets the same memory. */
static void add_output(howdah_ahead *ahead) {
  const php_output_handler *handler = OG(active);
  add(ahead, OG(handlers).elements, sizeof(handler));
  if (!handler) return;
  add(ahead, handler, sizeof(*handler));
  add(ahead, handler->buffer.data, LINE);
}

static void learn(const howdah_realm *realm, howdah_ahead *ahead) {
  ahead->count = 0;
  add(ahead, CG(auto_globals), sizeof(HashTable));
  const zend_auto_global *global;
  ZEND_HASH_FOREACH_PTR(CG(auto_globals), global) {
    add_entry(ahead, CG(auto_globals), global->name);
    add(ahead, global, sizeof(*global));
    add_entry(ahead, &EG(symbol_table), global->name);
  }
  ZEND_HASH_FOREACH_END();
  add_setting(ahead, "session.save_handler");
  add_setting(ahead, "session.serialize_handler");
  add(ahead, realm->boot_sessions, LINE);
  add_output(ahead);
  add(ahead, realm->scratch, realm->scratch_bytes < 4 * LINE ? realm->scratch_bytes : 4 * LINE);
}

void howdah_ahead_look(howdah_realm *realm) {
  if (realm->served & (realm->served - 1)) return;
  const void *const *places = places_of_heap(); /* before anything is held: memory_limit may end the request there */
  howdah_ahead *ahead = realm->coroutine.ahead;
  if (!ahead) ahead = realm->coroutine.ahead = malloc(sizeof(*ahead));
  if (!ahead) return;
  ahead->places = places;
  ahead->place_count = places ? SIZES : 0;
  learn(realm, ahead);
}
