/* See snapshot_blocks.h. */
#include "snapshot_blocks.h"
#include "../check.h"
#include "image.h"
#include "names.h"
#include "php_headers.h"
#include "snapshot.h"
#include "snapshot_parts.h"

#if PHP_VERSION_ID >= 80400
#include <ext/session/php_session.h>
#endif
#include <ext/random/php_random.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The blocks that are put back: what they point to is in the request's heap, or the same for all requests of a process, or
 * howdah_block_copies_misfit() looks at it, or it survives (below). Each was read in PHP 8.2.32 and 8.4.14, where its file is
 * named; modules by their names. */
static const char *const put_back[] = {
    /* Zend/zend_globals.h, zend_gc.c (its buffer is malloc'ed: see there), zend_observer.c (8.2), zend_fibers.c */
    "executor_globals",
    "compiler_globals",
    "language_scanner_globals",
    "gc_globals",
    "current_observed_frame",
    "zend_fiber_switch_blocking",
    /* main/php_globals.h, SAPI.h, php_output.h */
    "core_globals",
    "sapi_globals",
    "output_globals",
    /* ext/standard: basic_functions.h, file.h, php_array.h, dir.c, assert.c, iptc.c */
    "basic_globals",
    "file_globals",
    "array_globals",
    "dir_globals",
    "assert_globals",
    "iptcembed.psheader",
    /* ext/spl/php_spl.c, ext/filter/php_filter.h, Zend/zend_virtual_cwd.h (emalloc'ed) */
    "spl_autoload_functions",
    "spl_autoload_extensions",
    "filter_globals",
    "cwd_globals.cwd",
    /* ext/pcre/php_pcre.c */
    "pcre",
    "pcre.mdata_used",
    /* ext/opcache/ZendAccelerator.h. Not xlat_table, which is used under opcache's lock alone, and keeps no entry. */
    "accel_globals.directives_to_request_time",
    "accel_globals.cache_opline",
    "accel_globals.enabled",
    "accel_globals.accelerator_enabled",
    /* ext/opcache/jit/zend_jit.h: directives, and whether a trace is being recorded, whose frame goes with the C stack. */
    "jit_globals",
    /* ext/session/php_session.h, date/php_date.h (timelib allocates on the request's heap: config0.m4), json/php_json.h,
     * random/php_random.h (8.2: its states are malloc'ed, and seeded anew: sapi/remains.c), reflection/php_reflection.c,
     * zlib/php_zlib.h, mbstring/mbstring.h */
    "session",
    "date",
    "json",
    "random",
    "Reflection",
    "zlib",
    "mbstring",
};

bool howdah_snapshot_has_module(const char *name) {
  for (size_t i = 0; i < sizeof(put_back) / sizeof(*put_back); i++)
    if (strcasecmp(put_back[i], name) == 0) return true;
  return false;
}

/* ---- What outlives a request within blocks that are put back ---- */

static void *globals_of(const char *name) {
  const zend_module_entry *module = zend_hash_str_find_ptr(&module_registry, name, strlen(name));
  return module ? module->globals_ptr : NULL;
}

static void add_survivor(howdah_block_copies *copies, void *at, size_t bytes) {
  howdah_assert(copies->survivor_count < HOWDAH_SURVIVORS_MAX, "more survives a rewind than there is room for");
  if (at) copies->survivors[copies->survivor_count++] = (howdah_survivor){.at = at, .bytes = bytes};
}

#define SURVIVES(what) add_survivor(copies, &(what), sizeof(what))

static void list_survivors(howdah_block_copies *copies) {
  SURVIVES(EG(persistent_list));
#ifdef ZEND_STRTOD_K_MAX
  SURVIVES(EG(strtod_state));
#endif
  SURVIVES(CG(map_ptr_real_base));
  SURVIVES(CG(map_ptr_base));
  SURVIVES(CG(map_ptr_size));
#ifdef HAVE_GETHOSTBYNAME_R
  /* What gethostbyname() found last: malloc'ed, and used anew (main/network.c, php_network_gethostbyname()). */
  SURVIVES(FG(tmp_host_info));
  SURVIVES(FG(tmp_host_buf));
  SURVIVES(FG(tmp_host_buf_len));
#endif
  /* The collector's buffer grows. One that is made by a request, as the boot has turned the collector off, is freed. */
  if (copies->gc->buf) {
    SURVIVES(copies->gc->buf);
    SURVIVES(copies->gc->buf_size);
  }
  /* Its first member (php_pcre.h). */
  if (HOWDAH_PCRE_CACHE_PRIVATE) add_survivor(copies, globals_of("pcre"), sizeof(HashTable));
#if PHP_VERSION_ID < 80300
  zend_random_globals *random = globals_of("random");
  if (random) SURVIVES(random->random_fd); /* where the kernel has no getrandom() (php_random_bytes(), random.c) */
#endif
#if PHP_VERSION_ID >= 80400
  /* It decides by lot which request collects old sessions, and is seeded once (ext/session/session.c, PHP_GINIT_FUNCTION()). */
  php_ps_globals *session = globals_of("session");
  if (session) SURVIVES(session->random_state);
#endif
}

static bool is_in(const void *address, const void *start, size_t bytes) {
  return (uintptr_t)address - (uintptr_t)start < bytes;
}

static bool survives(const howdah_block_copies *copies, const void *address) {
  for (size_t i = 0; i < copies->survivor_count; i++)
    if (is_in(address, copies->survivors[i].at, copies->survivors[i].bytes)) return true;
  return false;
}

/* ---- Blocks ---- */

bool howdah_block_copies_have(const char *name, size_t length) {
  for (size_t i = 0; i < sizeof(put_back) / sizeof(*put_back); i++)
    if (howdah_names_equal(put_back[i], name, length)) return true;
  return false;
}

static bool is_put_back(const howdah_block *block) {
  if (block->rests || howdah_snapshot_leaves_out(block->name)) return false;
  return howdah_block_copies_have(block->name, strlen(block->name));
}

/* Where malloc() gives what is small; above that it maps, as all others do. False: another one is used. */
static bool find_malloc(const char **low, const char **high) {
#ifdef __SANITIZE_ADDRESS__
  /* sanitizer_common, asan_allocator.h, for x86-64. */
  *low = (const char *)0x600000000000;
  *high = (const char *)0x640000000000;
  return true;
#else
  static const char *start;
  FILE *maps = start ? NULL : fopen("/proc/self/maps", "re");
  char line[512];
  void *from;
  while (maps && fgets(line, sizeof(line), maps))
    if (strstr(line, "[heap]") && sscanf(line, "%p-", &from) == 1 && (!start || (const char *)from < start)) start = from;
  if (maps) fclose(maps);
  *low = start;
  *high = sbrk(0);
  return start != NULL;
#endif
}

/* What was there before the realm was born is nobody's to free, as other realms have it, too. */
static bool is_of_base(const howdah_block *block, void *const *at) {
  void *const base = *(void *const *)(howdah_image_base() + block->at + ((const char *)at - block->address));
  return *at == base;
}

static bool note_words(howdah_block_copies *copies, const howdah_block *block) {
  const char *low, *high;
  if (!find_malloc(&low, &high)) return false;
  void *const *at = (void *const *)(((uintptr_t)block->address + 7) & ~(uintptr_t)7);
  for (; (const char *)(at + 1) <= block->address + block->size; at++) {
    if ((const char *)*at < low || (const char *)*at >= high || survives(copies, at) || is_of_base(block, at)) continue;
    if (copies->word_count == HOWDAH_OUTWARDS_MAX) return false;
    copies->words[copies->word_count++] = (howdah_outward){block, at, *at};
  }
  return true;
}

static bool find_collector(howdah_block_copies *copies) {
  for (size_t i = 0; i < copies->count; i++)
    if (strcmp(copies->blocks[i].block->name, "gc_globals") == 0)
      copies->gc = (howdah_gc_globals *)(void *)copies->blocks[i].block->address;
  return copies->gc != NULL;
}

/* ---- The collector: its buffer is malloc'ed, and larger than what is watched ---- */

static bool copy_roots(howdah_block_copies *copies) {
  copies->gc_was = *copies->gc;
  size_t bytes = copies->gc->first_unused * sizeof(void *);
  copies->roots = malloc(bytes + 1);
  if (!copies->roots) return false;
  if (copies->gc->buf) memcpy(copies->roots, copies->gc->buf, bytes);
  return true;
}

bool howdah_block_copies_take(howdah_block_copies *copies) {
  size_t count, bytes = 0;
  const howdah_block *blocks = howdah_blocks_all(&count);
  copies->blocks = malloc((count + 1) * sizeof(*copies->blocks));
  for (size_t i = 0; i < count && copies->blocks; i++) {
    if (!is_put_back(&blocks[i])) continue;
    copies->blocks[copies->count++] = (howdah_block_copy){.block = &blocks[i]};
    bytes += (blocks[i].size + 7) & ~(size_t)7;
  }
  copies->bytes = malloc(bytes + 1);
  if (!copies->blocks || !copies->bytes || !find_collector(copies)) return false;
  list_survivors(copies);
  char *to = copies->bytes;
  for (size_t i = 0; i < copies->count; i++) {
    const howdah_block *block = copies->blocks[i].block;
    copies->blocks[i].copy = to;
    to += (block->size + 7) & ~(size_t)7;
    for (size_t j = 0; j < copies->survivor_count; j++)
      if (is_in(copies->survivors[j].at, block->address, block->size))
        copies->survivors[j].copy = copies->blocks[i].copy + ((char *)copies->survivors[j].at - block->address);
    if (!note_words(copies, block)) return false;
  }
  return copy_roots(copies);
}

/* opcache knows a file by the include that it was found for, by that one's address (accel_activate() forgets it, too). */
static void forget_include(const howdah_block_copies *copies) {
  const size_t at = offsetof(howdah_accel_tail, cache_opline) - offsetof(howdah_accel_tail, mem);
  for (size_t i = 0; i < copies->count; i++)
    if (strcmp(copies->blocks[i].block->name, "accel_globals.cache_opline") == 0)
      memset(copies->blocks[i].copy + at, 0, 2 * sizeof(void *));
}

void howdah_block_copies_fill(howdah_block_copies *copies) {
  for (size_t i = 0; i < copies->count; i++)
    memcpy(copies->blocks[i].copy, copies->blocks[i].block->address, copies->blocks[i].block->size);
  forget_include(copies);
}

/* Before the block is put back: a buffer that the boot did not have. */
static void free_later_roots(const howdah_block_copies *copies) {
  if (!copies->gc_was.buf) free(copies->gc->buf);
}

/* After that. The buffer may be another, and does not become smaller. */
static void put_roots_back(const howdah_block_copies *copies) {
  if (copies->gc->buf) memcpy(copies->gc->buf, copies->roots, copies->gc_was.first_unused * sizeof(void *));
}

void howdah_block_copies_put_back(const howdah_block_copies *copies) {
  free_later_roots(copies);
  for (size_t i = 0; i < copies->survivor_count; i++)
    if (copies->survivors[i].copy) memcpy(copies->survivors[i].copy, copies->survivors[i].at, copies->survivors[i].bytes);
  for (size_t i = 0; i < copies->count; i++)
    memcpy(copies->blocks[i].block->address, copies->blocks[i].copy, copies->blocks[i].block->size);
  put_roots_back(copies);
}

const howdah_block_copy *howdah_block_copies_find(const howdah_block_copies *copies, const char *name) {
  for (size_t i = 0; i < copies->count; i++)
    if (strcmp(copies->blocks[i].block->name, name) == 0) return &copies->blocks[i];
  return NULL;
}

const char *howdah_block_copies_misfit(const howdah_block_copies *copies) {
  for (size_t i = 0; i < copies->word_count; i++)
    if (*copies->words[i].at != copies->words[i].was) return copies->words[i].block->name;
  return NULL;
}

void howdah_block_copies_free(howdah_block_copies *copies) {
  free(copies->blocks);
  free(copies->bytes);
  free(copies->roots);
}
