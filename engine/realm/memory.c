/* How much memory the process has. See memory.h. */
#include "memory.h"
#include "../state/process/reserve.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static int open_statm(void) {
  static const char path[] = "/proc/self/statm";
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (!howdah_reserve_open(fd)) return fd;
  fd = open(path, O_RDONLY | O_CLOEXEC);
  howdah_reserve_close();
  return fd;
}

/* proc(5): pages; what is mapped of files and of shared memory counts as shared, also where nobody shares it. */
size_t howdah_memory_resident(void) {
  char text[128];
  unsigned long resident, shared;
  int fd = open_statm();
  if (fd < 0) return 0;
  ssize_t len = read(fd, text, sizeof(text) - 1);
  close(fd);
  if (len <= 0) return 0;
  text[len] = 0;
  if (sscanf(text, "%*u %lu %lu", &resident, &shared) != 2 || shared > resident) return 0;
  return (resident - shared) * (size_t)sysconf(_SC_PAGESIZE);
}
