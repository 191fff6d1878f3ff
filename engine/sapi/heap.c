/* PHP's heap between two requests. See heap.h. */
#include "heap.h"
#include "sapi.h"
#include "../state/chunks.h"

#include <Zend/zend_alloc_sizes.h>
#include <stdlib.h>
#include <sys/mman.h>

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
  size_t count;
  char **pages = howdah_chunks_take(heap, &count), *start = NULL, *end = NULL;
  for (size_t i = 0; i < count; i++) {
    if (pages[i] != end) {
      forget(start, end);
      start = pages[i];
    }
    end = pages[i] + ZEND_MM_PAGE_SIZE;
  }
  forget(start, end);
  howdah_chunks_give(heap, pages, count);
}
