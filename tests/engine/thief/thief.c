/* Loaded before the C library (LD_PRELOAD): another process that is quicker, each time that it is asked to be.
 *
 * After thief_waits_at(fd) the next accept(), read() or write() on the descriptor comes second: a child process, which shares
 * the open file, makes the same call first. So what a program looked at with poll(2) before is certainly not so any more. */
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 1024 };
static bool waits_at[MOST];

void thief_waits_at(int fd) {
  if (fd < 0 || fd >= MOST) abort();
  waits_at[fd] = true;
}

/* No call here may be one that is replaced: system calls by number. */
static void steal(int fd, long call, void *data, size_t size) {
  int status;
  if (fd < 0 || fd >= MOST || !waits_at[fd]) return;
  waits_at[fd] = false;
  long pid = syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
  if (pid == 0) {
    long result = call == SYS_accept4 ? syscall(call, fd, NULL, NULL, 0) : syscall(call, fd, data, size);
    syscall(SYS_exit_group, result < 0);
  }
  long ended;
  while ((ended = syscall(SYS_wait4, pid, &status, 0, NULL)) < 0 && errno == EINTR) {
  }
  if (ended != pid || status != 0) abort();
}

int accept4(int fd, struct sockaddr *address, socklen_t *len, int flags) {
  static int (*original)(int, struct sockaddr *, socklen_t *, int);
  if (!original) original = (int (*)(int, struct sockaddr *, socklen_t *, int))dlsym(RTLD_NEXT, "accept4");
  steal(fd, SYS_accept4, NULL, 0);
  return original(fd, address, len, flags);
}

int accept(int fd, struct sockaddr *address, socklen_t *len) {
  return accept4(fd, address, len, 0);
}

ssize_t read(int fd, void *buffer, size_t size) {
  static ssize_t (*original)(int, void *, size_t);
  if (!original) original = (ssize_t(*)(int, void *, size_t))dlsym(RTLD_NEXT, "read");
  steal(fd, SYS_read, buffer, size);
  return original(fd, buffer, size);
}

ssize_t write(int fd, const void *data, size_t size) {
  static ssize_t (*original)(int, const void *, size_t);
  if (!original) original = (ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
  steal(fd, SYS_write, (void *)data, size);
  return original(fd, data, size);
}
