/* PHP's heap between two requests. See heap.h. */
#include "heap.h"
#include "sapi.h"

void howdah_heap_measure(howdah_realm *realm) {
  zend_gc_status status;
  realm->heap_bytes = zend_memory_usage(true);
  zend_gc_get_status(&status);
  realm->roots = gc_enabled() ? status.num_roots : 0;
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
