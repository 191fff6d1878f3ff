/* What is private, and where it is: fills the table of state blocks. See sources.h. */
#include "sources.h"
#include "block.h"
#include "extensions/calls.h"
#include "extensions/extensions.h"
#include "hidden/hidden.h"
#include "image.h"
#include "php_headers.h"
#include "segments.h"
#include "version.h"

#include <stdio.h>
#include <string.h>

/* Symbols that libphp exports: as ts_allocate_id()'d structs under ZTS. */
static const struct {
  const char *name;
  const char *source;
  void *address;
  size_t size;
} exported[] = {
    {"executor_globals", "Zend/zend_globals.h", &executor_globals, sizeof(executor_globals)},
    {"compiler_globals", "Zend/zend_globals.h", &compiler_globals, sizeof(compiler_globals)},
    {"core_globals", "main/php_globals.h", &core_globals, sizeof(core_globals)},
    {"sapi_globals", "main/SAPI.h", &sapi_globals, sizeof(sapi_globals)},
    {"output_globals", "main/php_output.h", &output_globals, sizeof(output_globals)},
    {"basic_globals", "ext/standard/basic_functions.h", &basic_globals, sizeof(basic_globals)},
    {"file_globals", "ext/standard/file.h", &file_globals, sizeof(file_globals)},
    {"language_scanner_globals", "Zend/zend_globals.h", &language_scanner_globals, sizeof(language_scanner_globals)},
    {"ini_scanner_globals", "Zend/zend_globals.h", &ini_scanner_globals, sizeof(ini_scanner_globals)},
#ifdef ZEND_SIGNALS
    /* How deep a realm is in code that signals must not interrupt: it may wait there, for APCu's lock or in apcu_entry()'s
     * callback. The rest is the process's (hidden/shared.c). */
    {"zend_signal_globals", "Zend/zend_signal.h", &zend_signal_globals, offsetof(zend_signal_globals_t, handlers)},
#endif
};

static bool left_out; /* the block that a test takes away was met */

static int block_add(howdah_block block, const char *without, char *error, size_t error_size) {
  if (block.size > 0 && without && strcmp(block.name, without) == 0) {
    left_out = true;
    return 0;
  }
  return howdah_blocks_add(block, error, error_size);
}

/* PHP_GINIT_FUNCTION(pcre), ext/pcre/php_pcre.c; the rest of the globals is copied. */
static void pattern_cache_birth(void *address) {
  HashTable *cache = address;
  zend_hash_init(cache, 0, NULL, cache->pDestructor, 1);
}

static void pattern_cache_death(void *address) {
  zend_hash_destroy(address);
}

static int add_modules(const char *without, char *error, size_t error_size) {
  zend_module_entry *module;
  ZEND_HASH_FOREACH_PTR(&module_registry, module) {
    if (!module->globals_size) continue;
    howdah_block block = {.name = module->name,
                          .source = "the extension's module globals",
                          .address = module->globals_ptr,
                          .size = module->globals_size};
    /* pcre_cache, the first member (php_pcre.h), is malloc'ed and keyed by the pattern: shared on purpose where it may be. */
    if (strcmp(module->name, "pcre") == 0) {
      if (HOWDAH_PCRE_CACHE_PRIVATE) {
        block.birth = pattern_cache_birth;
        block.death = pattern_cache_death;
      } else {
        block.address += sizeof(HashTable);
        block.size -= sizeof(HashTable);
      }
    }
    if (block_add(block, without, error, error_size) < 0) return -1;
  }
  ZEND_HASH_FOREACH_END();
  return 0;
}

/* A segment but for the blocks in it. */
static int add_rest_of(const howdah_segment *segment, const char *name, const char *source, const char *without, char *error,
                       size_t error_size) {
  size_t blocks_count;
  const howdah_block *blocks = howdah_blocks_all(&blocks_count);
  char *const end = segment->start + segment->size;
  for (char *from = segment->start; from < end;) {
    const howdah_block *next = NULL;
    for (size_t i = 0; i < blocks_count; i++)
      if (blocks[i].address + blocks[i].size > from && blocks[i].address < end && (!next || blocks[i].address < next->address))
        next = &blocks[i];
    char *to = next ? next->address : end, *after = next ? next->address + next->size : end;
    howdah_block rest = {.name = name, .source = source, .address = from, .size = from < to ? (size_t)(to - from) : 0};
    if (block_add(rest, without, error, error_size) < 0) return -1;
    howdah_blocks_all(&blocks_count);
    from = after;
  }
  return 0;
}

/* Frees the list. */
static int add_segments(howdah_segments *segments, const char *name, const char *source, const char *without, char *error,
                        size_t error_size) {
  int result = 0;
  for (size_t i = 0; i < segments->count && result == 0; i++)
    result = add_rest_of(&segments->items[i], name, source, without, error, error_size);
  howdah_segments_free(segments);
  return result;
}

/* Extensions that keep a request's values in memory that they do not register, or in a library that is not made for threads
 * (extensions.h). Nothing that they may write to is anybody else's, nor points to memory that is allocated later and kept: all
 * of it is private. */
static int add_all_of(const howdah_known_extension *known, const char *without, char *error, size_t error_size) {
  const zend_module_entry *module = zend_hash_str_find_ptr(&module_registry, known->name, strlen(known->name));
  size_t begin, first, count;
  howdah_block *blocks = howdah_blocks_table(&begin);
  howdah_segments memory = {0};
  if (!module || !module->handle) return 0;
  if (known->prepare && known->prepare(module->handle, error, error_size) < 0) return -1;
  if (known->library) {
    /* None has that name where the library is part of the extension's own file. */
    if (howdah_segments_add_named(&memory, known->library, error, error_size) < 0) return -1;
    howdah_blocks_table(&first);
    if (add_segments(&memory, known->library, "all that the library may write to", without, error, error_size) < 0) return -1;
    howdah_blocks_table(&count);
    if (first < count) blocks[first].birth = known->birth, blocks[first].death = known->death;
  }
  if (howdah_segments_add(&memory, module, error, error_size) < 0) return -1;
  if (add_segments(&memory, module->name, "all that the extension may write to", without, error, error_size) < 0) return -1;
  bool rests = known->only_in_calls && howdah_calls_wake(module);
  howdah_blocks_table(&count);
  for (size_t i = begin; i < count; i++)
    blocks[i].rests = rests;
  return 0;
}

static int add_unregistered(const char *without, char *error, size_t error_size) {
  size_t count;
  const howdah_known_extension *known = howdah_extensions_known(&count);
  for (size_t i = 0; i < count; i++)
    if ((known[i].keeps == HOWDAH_KEEPS_ALL_OF_IT || known[i].keeps == HOWDAH_KEEPS_LIBRARY) &&
        add_all_of(&known[i], without, error, error_size) < 0)
      return -1;
  return 0;
}

static int add_hidden(const char *without, char *error, size_t error_size) {
  static howdah_hidden hidden[HOWDAH_BLOCKS_MAX];
  int count = howdah_hidden_find(hidden, HOWDAH_BLOCKS_MAX, error, error_size);
  if (count < 0) return -1;
  for (int i = 0; i < count; i++) {
    howdah_block block = {.name = hidden[i].name,
                          .source = hidden[i].source,
                          .address = hidden[i].address,
                          .size = hidden[i].size,
                          .birth = hidden[i].birth,
                          .death = hidden[i].death};
    if (block_add(block, without, error, error_size) < 0) return -1;
  }
  return 0;
}

int howdah_blocks_build(const char *without, char *error, size_t error_size) {
  for (size_t i = 0; i < sizeof(exported) / sizeof(*exported); i++) {
    howdah_block block = {
        .name = exported[i].name, .source = exported[i].source, .address = exported[i].address, .size = exported[i].size};
    if (block_add(block, without, error, error_size) < 0) return -1;
  }
  if (add_modules(without, error, error_size) < 0 || add_unregistered(without, error, error_size) < 0 ||
      add_hidden(without, error, error_size) < 0)
    return -1;
  if (without && !left_out) {
    snprintf(error, error_size, "howdah: no state block is named %s (howdah-run --blocks lists them)", without);
    return -1;
  }
  size_t count;
  howdah_blocks_sort();
  howdah_block *blocks = howdah_blocks_table(&count);
  if (howdah_images_start(blocks, count) < 0) {
    snprintf(error, error_size, "howdah: out of memory for the base image");
    return -1;
  }
  return 0;
}

void howdah_blocks_free(void) {
  howdah_images_stop();
  howdah_blocks_empty();
}
