/* What nginx and its modules call to get a descriptor: with a reserve (state/process/reserve.h) when PHP has taken all others.
 * Kind: note. */
#include "../state/process/reserve.h"
#include "../log.h"
#include "hooked.h"
#include "caller.h"

#include <errno.h>
#include <fcntl.h>

static void tell(void) {
  enum { TELL_US = 60000000 };
  static uint64_t told_us;
  uint64_t now_us = howdah_loop_now_us(), php, kept;
  if (told_us && now_us - told_us < TELL_US) return;
  told_us = now_us;
  howdah_reserve_sizes(&php, &kept);
  howdah_log(
      HOWDAH_LOG_WARNING, NULL,
      "howdah: the worker has %llu descriptors open, and PHP gets no more (EMFILE): nginx goes on with its reserve of %llu; "
      "look for a script that opens files or connections without end, or raise worker_rlimit_nofile",
      (unsigned long long)php, (unsigned long long)kept);
}

static bool open_reserve(int result) {
  return howdah_hooks_are_ours() && howdah_reserve_open(result);
}

static int close_reserve(int result) {
  int error = errno;
  howdah_reserve_close();
  tell();
  errno = error;
  return result;
}

int howdah_hook_nginx_accept(int fd, struct sockaddr *address, socklen_t *length) {
  int result = howdah_real_accept(fd, address, length);
  return open_reserve(result) ? close_reserve(howdah_real_accept(fd, address, length)) : result;
}

int howdah_hook_nginx_accept4(int fd, struct sockaddr *address, socklen_t *length, int flags) {
  int result = howdah_real_accept4(fd, address, length, flags);
  return open_reserve(result) ? close_reserve(howdah_real_accept4(fd, address, length, flags)) : result;
}

int howdah_hook_nginx_socket(int domain, int type, int protocol) {
  int result = howdah_real_socket(domain, type, protocol);
  return open_reserve(result) ? close_reserve(howdah_real_socket(domain, type, protocol)) : result;
}

static mode_t mode_of(int flags, va_list arguments) {
  return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(arguments, mode_t) : 0;
}

int howdah_hook_nginx_open(const char *path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  int result = howdah_real_open(path, flags, mode);
  return open_reserve(result) ? close_reserve(howdah_real_open(path, flags, mode)) : result;
}

int howdah_hook_nginx_openat(int folder, const char *path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  int result = howdah_real_openat(folder, path, flags, mode);
  return open_reserve(result) ? close_reserve(howdah_real_openat(folder, path, flags, mode)) : result;
}
