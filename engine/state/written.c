/* See written.h. Both descriptors belong to the process that has opened them: in a child they would speak of its parent. */
#include "written.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* linux/userfaultfd.h and linux/fs.h of 6.7: the headers here may be older than the kernel. */
enum { FEATURE_WP_ASYNC = 1 << 15, FEATURE_WP_UNPOPULATED = 1 << 13, USER_MODE_ONLY = 1 };
enum { PAGE_IS_WRITTEN = 1 << 1, PAGE_IS_PRESENT = 1 << 3, CHECK_WP_ASYNC = 1 << 1 };

/* struct pm_scan_arg */
typedef struct {
  uint64_t size, flags, start, end, walk_end, list, list_room, pages_max, inverted, all_of, any_of, returned;
} scan;

#define SCAN _IOWR('f', 16, scan)

static int faults = -1, map = -1;
static bool tried;

static void stop(void) {
  if (faults >= 0) close(faults);
  if (map >= 0) close(map);
  faults = map = -1;
}

/* What was watched before a fork is its parent's. */
static void forget(void) {
  stop();
  tried = false;
}

/* Once in a process: a kernel that cannot will not be able to. */
static bool start(void) {
  static bool forgets;
  if (tried) return faults >= 0;
  if (!forgets && pthread_atfork(NULL, NULL, forget) != 0) return false;
  tried = forgets = true;
  faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | USER_MODE_ONLY);
  struct uffdio_api api = {.api = UFFD_API, .features = FEATURE_WP_ASYNC | FEATURE_WP_UNPOPULATED};
  map = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  if (faults >= 0 && map >= 0 && ioctl(faults, UFFDIO_API, &api) == 0) return true;
  stop();
  return false;
}

bool howdah_written_watch(char *start_at, size_t bytes) {
  if (!start()) return false;
  struct uffdio_register area = {.range = {(uintptr_t)start_at, bytes}, .mode = UFFDIO_REGISTER_MODE_WP};
  return ioctl(faults, UFFDIO_REGISTER, &area) == 0;
}

void howdah_written_unwatch(char *start_at, size_t bytes) {
  struct uffdio_range area = {(uintptr_t)start_at, bytes};
  if (start()) (void)ioctl(faults, UFFDIO_UNREGISTER, &area); /* else it stays slower to write to for the first time */
}

bool howdah_written_forget(char *start_at, size_t bytes) {
  if (!start()) return false;
  struct uffdio_writeprotect area = {.range = {(uintptr_t)start_at, bytes}, .mode = UFFDIO_WRITEPROTECT_MODE_WP};
  return ioctl(faults, UFFDIO_WRITEPROTECT, &area) == 0;
}

ssize_t howdah_written_list(const char *start_at, size_t bytes, howdah_written *list, size_t room) {
  if (!start()) return -1;
  scan all = {.size = sizeof(all),
              .flags = CHECK_WP_ASYNC,
              .start = (uintptr_t)start_at,
              .end = (uintptr_t)start_at + bytes,
              .list = (uintptr_t)list,
              .list_room = room,
              .inverted = PAGE_IS_PRESENT,
              .any_of = PAGE_IS_WRITTEN | PAGE_IS_PRESENT,
              .returned = PAGE_IS_WRITTEN};
  const int count = ioctl(map, SCAN, &all);
  return count >= 0 && all.walk_end == all.end ? count : -1;
}
