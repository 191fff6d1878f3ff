/* PHP's heap between two requests. See heap.h. */
#include "heap.h"
#include "sapi.h"

#include <Zend/zend_alloc_sizes.h>
#include <stdlib.h>
#include <sys/mman.h>

/* How a chunk begins, which is aligned to its size (struct _zend_mm_chunk, Zend/zend_alloc.c, the same from 7.0 to 8.5). The heap lies in its first one. */
typedef struct chunk {
  const zend_mm_heap *heap;
  const struct chunk *next, *prev;
  uint32_t free_pages;
} chunk;

void howdah_heap_measure(howdah_realm *realm) {
  zend_gc_status status;
  realm->heap_bytes = zend_memory_usage(true);
  realm->heap_used = zend_memory_usage(false);
  zend_gc_get_status(&status);
  realm->roots = gc_enabled() ? status.num_roots : 0;
}

uint64_t howdah_heap_size(const howdah_realm *realm) {
  zend_mm_heap *before = zend_mm_set_heap(realm->state.heap);
  uint64_t bytes = zend_memory_usage(true);
  zend_mm_set_heap(before);
  return bytes;
}

/* Each shutdown halves what it keeps (zend_mm_shutdown(), Zend/zend_alloc.c, 8.2, unchanged in 8.4), and nothing is in use. */
void howdah_heap_trim(howdah_realm *realm) {
  uint64_t before;
  do {
    before = realm->heap_bytes;
    zend_mm_shutdown(zend_mm_get_heap(), false, true);
    realm->heap_bytes = zend_memory_usage(true);
  } while (realm->heap_bytes < before);
  realm->heap_tidy = realm->heap_bytes;
}

/* In all chunks; 0 also where they are not as they are described above. */
static size_t count_free_pages(const zend_mm_heap *heap) {
  const chunk *const first = (const chunk *)((uintptr_t)heap & ~(uintptr_t)(ZEND_MM_CHUNK_SIZE - 1)), *at = first;
  size_t pages = 0;
  do {
    if (at->heap != heap || at->free_pages >= ZEND_MM_PAGES) return 0;
    pages += at->free_pages;
    at = at->next;
  } while (at != first);
  return pages;
}

static void forget(char *start, char *end) {
  if (start != end) (void)madvise(start, (size_t)(end - start), MADV_DONTNEED); /* else they stay as they are */
}

/* Above its top the stack of the VM holds nothing. */
static void forget_vm_stack(void) {
  const uintptr_t page = ZEND_MM_PAGE_SIZE, top = (uintptr_t)EG(vm_stack_top), end = (uintptr_t)EG(vm_stack_end);
  char *start = (char *)((top + page - 1) / page * page);
  if ((uintptr_t)start < end) forget(start, (char *)(end / page * page));
}

/* Which pages are free the heap does not tell: it is asked for as many as there are, and none of them is touched. */
void howdah_heap_give_back(void) {
  zend_mm_heap *heap = zend_mm_get_heap();
  if (zend_mm_is_custom_heap(heap)) return;
  forget_vm_stack();
  zend_mm_gc(heap);
  const size_t most = count_free_pages(heap);
  char **pages = most ? malloc(most * sizeof(*pages)) : NULL;
  if (!pages) return;
  char *start = NULL, *end = NULL;
  for (size_t i = 0; i < most; i++) {
    pages[i] = zend_mm_alloc(heap, ZEND_MM_PAGE_SIZE);
    if (pages[i] != end) {
      forget(start, end);
      start = pages[i];
    }
    end = pages[i] + ZEND_MM_PAGE_SIZE;
  }
  forget(start, end);
  for (size_t i = 0; i < most; i++)
    zend_mm_free(heap, pages[i]);
  free(pages);
}
