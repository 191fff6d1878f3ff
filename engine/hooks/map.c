/* mmap and munmap in PHP: the stack of a Fiber gets a depth (coroutine/stack.h), and takes it along when it ends. Kind: note.
 *
 * PHP maps nothing else with MAP_STACK (zend_fiber_stack_allocate(), Zend/zend_fibers.c, 8.2.36, 8.4), and unmaps a stack only
 * after it has told observers of Fibers, which tell here. Where no depth can be had the Fiber is as it is under php-fpm.
 *
 * A Fiber's stack ends in its destructor, which is not called after a fatal error: PHP forgets the stacks of those that are
 * suspended then. So each is in a list of its realm's, and the realm gives back at its death what is left. Not before: what is
 * on such a stack may be known to what outlives the request (a persistent connection in whose callback the Fiber was
 * suspended). */
#include "hooked.h"
#include "caller.h"
#include "map.h"

#include "../coroutine/stack.h"
#include "../state/snapshot.h"

#include <stdlib.h>
#include <sys/mman.h>

/* AddressSanitizer wants to see PHP's own calls. */
#if defined(__SANITIZE_ADDRESS__)
enum { KEEPS_FIBERS = false };
#else
enum { KEEPS_FIBERS = true };
#endif

static bool begun;
static howdah_map *born, *dying;

void howdah_maps_begin(void) {
  begun = true;
}

static bool fill(howdah_map *map, size_t bytes, int protection, int flags) {
  map->bytes = bytes;
  map->low = map->open = howdah_stack_map(bytes);
  if (map->low) return true;
  void *memory = howdah_real_mmap(NULL, bytes, protection, flags, -1, 0);
  map->low = memory;
  return memory != MAP_FAILED;
}

static void *map_fiber(size_t bytes, int protection, int flags) {
  howdah_coroutine *coroutine = howdah_coroutine_current();
  howdah_map *map = calloc(1, sizeof *map);
  if (!map || !fill(map, bytes, protection, flags)) {
    free(map);
    return MAP_FAILED;
  }
  map->next = coroutine->maps;
  if (map->next) map->next->link = &map->next;
  map->link = &coroutine->maps;
  coroutine->maps = map;
  born = map;
  return map->low;
}

static int unmap(howdah_map *map) {
  int result = map->open ? howdah_stack_unmap(map->low, map->bytes) : howdah_real_munmap(map->low, map->bytes);
  *map->link = map->next;
  if (map->next) map->next->link = map->link;
  free(map);
  return result;
}

void *howdah_hook_mmap(void *address, size_t bytes, int protection, int flags, int fd, off_t offset) {
  bool is_fiber = KEEPS_FIBERS && (flags & MAP_STACK) && !address && fd < 0 && begun;
  if (is_fiber && howdah_hooks_in_realm()) return map_fiber(bytes, protection, flags);
  return howdah_real_mmap(address, bytes, protection, flags, fd, offset);
}

/* What is not a Fiber's stack. A heap that is put back after each request needs the memory that it had (state/snapshot.h). */
static int unmap_other(void *address, size_t bytes) {
  return howdah_snapshot_keeps(address) ? 0 : howdah_real_munmap(address, bytes);
}

/* One that has just been made is given back where its guard page cannot be protected: no observer is told of that. */
int howdah_hook_munmap(void *address, size_t bytes) {
  howdah_map *map = dying ? dying : born;
  if (!map || address != map->low) return unmap_other(address, bytes);
  born = dying = NULL;
  return unmap(map);
}

howdah_map *howdah_map_born(const void *low) {
  howdah_map *map = born && low == born->low ? born : NULL;
  born = NULL;
  return map;
}

void howdah_map_dies(howdah_map *map) {
  dying = map;
}

void howdah_maps_free(howdah_coroutine *coroutine) {
  born = dying = NULL;
  while (coroutine->maps)
    unmap(coroutine->maps);
}
