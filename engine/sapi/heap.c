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

/* The whole pages between two addresses. */
static void forget_pages(uintptr_t start, uintptr_t end) {
  const uintptr_t page = ZEND_MM_PAGE_SIZE;
  start = (start + page - 1) / page * page;
  end = end / page * page;
  if (start < end) forget((char *)start, (char *)end);
}

/* Above its top the stack of the VM holds nothing. */
static void forget_vm_stack(void) {
  forget_pages((uintptr_t)EG(vm_stack_top), (uintptr_t)EG(vm_stack_end));
}

static bool is_zero(const char *page) {
  const uint64_t *words = (const uint64_t *)page;
  for (size_t i = 0; i < ZEND_MM_PAGE_SIZE / sizeof(*words); i++)
    if (words[i]) return false;
  return true;
}

/* Where PHP's compiler and opcache's JIT work. What holds nothing but zeros is as good as never touched: with the JIT each request begins with a word
 * for each internal function, 52 KB that nobody uses (zend_init_internal_run_time_cache(), Zend/zend_extensions.c, 8.2). */
static void forget_arena(void) {
#ifndef ZEND_TRACK_ARENA_ALLOC
  const zend_arena *arena = CG(arena);
  forget_pages((uintptr_t)arena->ptr, (uintptr_t)arena->end);
  for (; arena; arena = arena->prev) {
    uintptr_t first = ((uintptr_t)arena / ZEND_MM_PAGE_SIZE + 1) * ZEND_MM_PAGE_SIZE;
    for (char *page = (char *)first; page + ZEND_MM_PAGE_SIZE <= arena->ptr; page += ZEND_MM_PAGE_SIZE)
      if (is_zero(page)) forget(page, page + ZEND_MM_PAGE_SIZE);
  }
#endif
}

/* Which pages are free the heap does not tell: it is asked for as many as there are, and none of them is touched. */
void howdah_heap_give_back(void) {
  zend_mm_heap *heap = zend_mm_get_heap();
  if (zend_mm_is_custom_heap(heap)) return;
  forget_vm_stack();
  forget_arena();
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
