/* Loaded before the C library (LD_PRELOAD): a kernel that has no more for this user of what INOTIFY_LACKS names: "instances" or
 * "watches", but for INOTIFY_LEFT. As inotify(7) says it: user namespaces, where the limits could be set for real, are
 * forbidden in a chroot. */
#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int lacks(const char *what) {
  const char *named = getenv("INOTIFY_LACKS");
  return named && strcmp(named, what) == 0;
}

int inotify_init1(int flags) {
  static int (*original)(int);
  if (lacks("instances")) {
    errno = EMFILE;
    return -1;
  }
  if (!original) original = (int (*)(int))dlsym(RTLD_NEXT, "inotify_init1");
  return original(flags);
}

int inotify_add_watch(int fd, const char *path, uint32_t mask) {
  static int (*original)(int, const char *, uint32_t);
  static int added;
  const char *left = getenv("INOTIFY_LEFT");
  if (lacks("watches") && added++ >= (left ? atoi(left) : 0)) {
    errno = ENOSPC;
    return -1;
  }
  if (!original) original = (int (*)(int, const char *, uint32_t))dlsym(RTLD_NEXT, "inotify_add_watch");
  return original(fd, path, mask);
}
