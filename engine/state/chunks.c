/* Chunks of PHP's heap. See chunks.h. */
#include "chunks.h"
#include "php_headers.h"

#include <Zend/zend_alloc_sizes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* How a chunk begins, which is aligned to its size (struct _zend_mm_chunk, Zend/zend_alloc.c, the same from 7.0 to 8.5). The
 * heap lies in its first one. */
typedef struct chunk {
  const zend_mm_heap *heap;
  struct chunk *next, *prev;
  uint32_t free_pages;
} chunk;

/* struct _zend_mm_huge_list, the same. */
typedef struct huge {
  void *address;
  size_t bytes;
  struct huge *next;
} huge;

static chunk *first_of(const void *heap) {
  return (chunk *)((uintptr_t)heap & ~(uintptr_t)(ZEND_MM_CHUNK_SIZE - 1));
}

/* In all chunks; 0 also where they are not as they are described above. */
static size_t count_free_pages(const void *heap) {
  const chunk *const first = first_of(heap), *at = first;
  size_t pages = 0;
  do {
    if (at->heap != heap || at->free_pages >= ZEND_MM_PAGES) return 0;
    pages += at->free_pages;
    at = at->next;
  } while (at != first);
  return pages;
}

char **howdah_chunks_take(void *heap, size_t *count) {
  const size_t most = zend_mm_is_custom_heap(heap) ? 0 : count_free_pages(heap);
  char **pages = most ? malloc(most * sizeof(*pages)) : NULL;
  *count = 0;
  if (!pages) return NULL;
  while (*count < most)
    pages[(*count)++] = zend_mm_alloc(heap, ZEND_MM_PAGE_SIZE);
  return pages;
}

void howdah_chunks_give(void *heap, char **pages, size_t count) {
  for (size_t i = 0; i < count; i++)
    zend_mm_free(heap, pages[i]);
  free(pages);
}

/* Where struct _zend_mm_heap has huge_list, main_chunk and cached_chunks, one after the other: the second one is known. NULL:
 * not found. */
static void **lists_of(void *heap) {
  enum { WORDS = 80 };
  static size_t at;
  void **words = heap;
  if (!at)
    for (at = WORDS; at > 0 && words[at] != first_of(heap);)
      at--;
  return at && words[at] == first_of(heap) ? &words[at - 1] : NULL;
}

bool howdah_chunks_visit(void *heap, bool (*visit)(char *chunk, bool cached, void *data), void *data) {
  void **lists = lists_of(heap);
  if (!lists) return false;
  chunk *const first = first_of(heap);
  for (chunk *at = first->next, *next; at != first; at = next) {
    next = at->next;
    if (!visit((char *)at, false, data)) return false;
  }
  for (chunk *at = lists[2], *next; at; at = next) {
    next = at->next;
    if (!visit((char *)at, true, data)) return false;
  }
  return visit((char *)first, false, data);
}

bool howdah_chunks_visit_huge(void *heap, bool (*visit)(char *block, size_t bytes, void *data), void *data) {
  void **lists = lists_of(heap);
  if (!lists) return false;
  for (huge *at = lists[0], *next; at; at = next) {
    next = at->next;
    if (!visit(at->address, at->bytes, data)) return false;
  }
  return true;
}

/* ---- Free places of what is small ---- */

#define BIN_BYTES(number, bytes, elements, pages, x, y) bytes,
static const size_t bins[] = {ZEND_MM_BINS_INFO(BIN_BYTES, , )};
enum { BINS = sizeof(bins) / sizeof(*bins) };

/* Whether a place that was just given back is the first one of its size there. */
static bool is_list_of(void *const *places, void *heap, size_t bin) {
  void *place = zend_mm_alloc(heap, bins[bin]);
  zend_mm_free(heap, place);
  return places[bin] == place;
}

/* Where struct _zend_mm_heap has free_slot[]. NULL: not found. */
static void **free_places_of(void *heap) {
  enum { WORDS = 80 - BINS };
  void **words = heap;
  for (size_t at = 0; at < WORDS; at++)
    if (is_list_of(&words[at], heap, BINS - 1))
      return is_list_of(&words[at], heap, BINS / 2) && is_list_of(&words[at], heap, 1) ? &words[at] : NULL;
  return NULL;
}

bool howdah_chunks_seal(void *heap) {
  void **places = zend_mm_is_custom_heap(heap) ? NULL : free_places_of(heap);
  if (places) memset(places, 0, BINS * sizeof(*places));
  return places != NULL;
}
