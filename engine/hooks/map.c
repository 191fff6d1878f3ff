/* mmap and munmap in PHP: the stack of a Fiber gets a depth (coroutine/stack.h), and takes it along when it ends. Kind: note.
 *
 * PHP maps nothing else with MAP_STACK (zend_fiber_stack_allocate(), Zend/zend_fibers.c, 8.2.36, 8.4), and unmaps a stack only after it has told
 * observers of Fibers, which tell here. Where no depth can be had the Fiber is as it is under php-fpm. */
#include "families.h"
#include "hook.h"
#include "map.h"

#include "../coroutine/stack.h"

#include <sys/mman.h>

void *(*howdah_real_mmap)(void *, size_t, int, int, int, off_t);
int (*howdah_real_munmap)(void *, size_t);

static const void *born;
static void *dying;

void *howdah_hook_mmap(void *address, size_t bytes, int protection, int flags, int fd, off_t offset) {
#if !defined(__SANITIZE_ADDRESS__)
  if (flags & MAP_STACK && !address && fd < 0 && howdah_hooks_in_realm()) {
    void *low = howdah_stack_map(bytes);
    born = low;
    if (low) return low;
  }
#endif
  return howdah_real_mmap(address, bytes, protection, flags, fd, offset);
}

int howdah_hook_munmap(void *address, size_t bytes) {
  if (!dying || address != dying) return howdah_real_munmap(address, bytes);
  dying = NULL;
  return howdah_stack_unmap(address, bytes);
}

bool howdah_map_has_depth(const void *low) {
  bool is_born = low && low == born;
  born = NULL;
  return is_born;
}

void howdah_map_dies(void *low) {
  dying = low;
}
