/* See snapshot_map.h.
 *
 * Most of its words are the run-time caches of PHP's own functions: some 4,500 with Debian's extensions. They are set when a request begins, and
 * where an observer of functions is loaded only (zend_init_internal_run_time_cache(), Zend/zend_extensions.c, 8.2.36; 8.4 has none of them in the
 * map). To read 40 KB for nothing, twice, costs more than the rest of a small request's rewind. */
#include "snapshot_map.h"
#include "php_headers.h"
#include "version.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
  GAP_LEAST = 16, /* fewer words that stay as they are do not end a span */
  SPAN_MOST = 64  /* which is compared, and copied, as one */
};

static unsigned char *fixed; /* for each word at the process's start: whether no request changes it */
static size_t fixed_count;

static void **map_start(void) {
  return (void **)CG(map_ptr_real_base);
}

static size_t map_count(void) {
  return HOWDAH_MAP_PTR_STATIC + CG(map_ptr_last);
}

static void fix_word_of(const zend_function *function) {
  if (function->type != ZEND_INTERNAL_FUNCTION || !ZEND_MAP_PTR_IS_OFFSET(function->internal_function.run_time_cache)) return;
  const size_t at =
      (size_t)(ZEND_MAP_PTR_OFFSET2PTR((uintptr_t)ZEND_MAP_PTR(function->internal_function.run_time_cache)) - map_start());
  if (at < fixed_count) fixed[at] = 1;
}

static void fix_words_of(HashTable *functions) {
  zend_function *function;
  ZEND_HASH_MAP_FOREACH_PTR(functions, function) {
    fix_word_of(function);
  }
  ZEND_HASH_FOREACH_END();
}

/* Not those of a class of the application, which may be another one in the next realm. */
static bool find_fixed(void) {
  zend_class_entry *class;
  if (fixed) return true;
  fixed_count = map_count();
  fixed = calloc(fixed_count + 1, sizeof(*fixed));
  if (!fixed) return false;
  fix_words_of(CG(function_table));
  ZEND_HASH_MAP_FOREACH_PTR(CG(class_table), class) {
    if (class->type == ZEND_INTERNAL_CLASS) fix_words_of(&class->function_table);
  }
  ZEND_HASH_FOREACH_END();
  return true;
}

static bool is_fixed(size_t at) {
  return at < fixed_count && fixed[at];
}

static bool list_spans(howdah_map_copy *copy) {
  copy->spans = malloc((copy->count / GAP_LEAST + copy->count / SPAN_MOST + 2) * sizeof(*copy->spans));
  if (!copy->spans) return false;
  for (size_t i = 0, after = 0; i < copy->count; i++) { /* after: the last one that changes */
    if (is_fixed(i)) continue;
    howdah_map_span *span = copy->span_count ? &copy->spans[copy->span_count - 1] : NULL;
    if (!span || i - after >= GAP_LEAST || i - span->from >= SPAN_MOST) {
      span = &copy->spans[copy->span_count++];
      span->from = i;
    }
    span->count = i + 1 - span->from;
    after = i + 1;
  }
  return true;
}

bool howdah_map_copy_take(howdah_map_copy *copy) {
  copy->count = map_count();
  copy->copy = malloc((copy->count + 1) * sizeof(void *));
  if (!copy->copy || !find_fixed() || !list_spans(copy)) return false;
  memcpy(copy->copy, map_start(), copy->count * sizeof(void *));
  return true;
}

/* Few differ: what is not written to stays in the processor's cache as it is. */
void howdah_map_copy_put_back(const howdah_map_copy *copy) {
  void **start = map_start();
  for (size_t i = 0; i < copy->span_count; i++) {
    const howdah_map_span *span = &copy->spans[i];
    if (memcmp(start + span->from, copy->copy + span->from, span->count * sizeof(void *)) != 0)
      memcpy(start + span->from, copy->copy + span->from, span->count * sizeof(void *));
  }
}

bool howdah_map_copy_is_back(const howdah_map_copy *copy) {
  return memcmp(map_start(), copy->copy, copy->count * sizeof(void *)) == 0;
}

void howdah_map_copy_free(howdah_map_copy *copy) {
  free(copy->copy);
  free(copy->spans);
}
