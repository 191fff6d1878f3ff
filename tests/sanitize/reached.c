/* Linked into the sanitized nginx, and preloaded into Debian's where there is none: which code of the module a request reached.
 *
 * The module is compiled with -fsanitize-coverage=trace-pc, so that each edge calls __sanitizer_cov_trace_pc() (gcc(1)). Where
 * it was called from is noted in a file that the fuzzer maps, too: one byte for each of 64 Ki places, by a hash of the distance
 * to where the module lies. */
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PLACES = 1 << 16 };

static unsigned char nowhere[PLACES];
static unsigned char *seen = nowhere;

__attribute__((constructor)) static void open_map(void) {
  const char *path = getenv("HOWDAH_FUZZ_COVERAGE");
  int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
  if (fd < 0) return;
  void *map = mmap(NULL, PLACES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (map != MAP_FAILED) seen = map;
}

/* The module lies at a multiple of the page size, wherever that is. */
__attribute__((visibility("default"))) void __sanitizer_cov_trace_pc(void) {
  static uintptr_t first;
  uintptr_t place = (uintptr_t)__builtin_return_address(0);
  if (!first) first = place;
  uint32_t hash = (uint32_t)(place - first) * UINT32_C(2654435761);
  seen[hash >> 16] = 1;
}
