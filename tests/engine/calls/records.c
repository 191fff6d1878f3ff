/* Record locks: every way in which C code closes a file, and a counter that they protect. Called by scripts/records.php. */
#include "calls.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static void *close_in_thread(void *fd) {
  return close(*(int *)fd) == 0 ? NULL : fd;
}

/* NULL, or what went wrong. While somebody has an exclusive lock, no other file can take the number (EBUSY). */
const char *close_in_every_way(const char *path, bool exclusive) {
  char byte;
  pthread_t thread;
  void *failed_there;
  int fd = open(path, O_RDWR), other = open("/dev/null", O_RDONLY);
  CHECK(fd >= 0 && other >= 0 && read(fd, &byte, 1) == 1 && close(fd) == 0);
  FILE *stream = fopen(path, "r+");
  CHECK(stream && getc(stream) == byte && fclose(stream) == 0);
  CHECK((fd = open(path, O_RDONLY)) >= 0);
  CHECK(pthread_create(&thread, NULL, close_in_thread, &fd) == 0 && pthread_join(thread, &failed_there) == 0);
  CHECK(failed_there == NULL);
  CHECK((fd = open(path, O_RDONLY)) >= 0 && dup2(fd, fd) == fd);
  if (exclusive) {
    CHECK(dup2(other, fd) == -1 && errno == EBUSY && dup3(other, fd, O_CLOEXEC) == -1 && errno == EBUSY);
  } else {
    CHECK(dup2(other, fd) == fd);
  }
  CHECK(close(fd) == 0 && close(other) == 0);
  return NULL;
}

static int lock(int fd, int way, short type) {
  struct flock first = {.l_type = type, .l_whence = SEEK_SET, .l_len = 1};
  if (way == 0) return fcntl(fd, F_SETLKW, &first);
  return lseek(fd, 0, SEEK_SET) == 0 ? lockf(fd, type == F_UNLCK ? F_ULOCK : F_LOCK, 1) : -1;
}

/* Counts in the file, as often. Others are to run between its reading and its writing. The lock goes by itself, or with the
 * file. */
const char *count_in(const char *path, int times) {
  for (int i = 0; i < times; i++) {
    int fd = open(path, O_RDWR), number;
    struct flock asked = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
    CHECK(fd >= 0 && lock(fd, i % 2, F_WRLCK) == 0);
    CHECK(pread(fd, &number, sizeof(number), 0) == sizeof(number));
    usleep(500);
    number++;
    CHECK(pwrite(fd, &number, sizeof(number), 0) == sizeof(number));
    CHECK(fcntl(fd, F_GETLK, &asked) == 0 && asked.l_type == F_UNLCK);
    CHECK(i % 3 == 0 || lock(fd, i % 2, F_UNLCK) == 0);
    CHECK(close(fd) == 0);
  }
  return NULL;
}

/* One realm has a lock, another one asks in every way that does not wait; the shared parts of both are whole afterwards. */
const char *hold(const char *path, bool exclusive, int *fd) {
  struct flock all = {.l_type = exclusive ? F_WRLCK : F_RDLCK, .l_whence = SEEK_SET, .l_start = 10, .l_len = 20};
  CHECK((*fd = open(path, O_RDWR)) >= 0 && fcntl(*fd, F_SETLK, &all) == 0);
  return NULL;
}

/* Somebody has bytes 10 to 29; -1 is nobody's. */
const char *ask(const char *path, bool exclusive) {
  int fd = open(path, O_RDWR);
  struct flock shared = {.l_type = F_RDLCK, .l_whence = SEEK_END, .l_start = -100, .l_len = 0}, wanted = shared;
  CHECK(fd >= 0 && lseek(fd, 0, SEEK_END) == 100);
  CHECK(fcntl(fd, F_SETLK, &wanted) == (exclusive ? -1 : 0));
  wanted = (struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 15, .l_len = -15};
  CHECK(fcntl(fd, F_SETLK, &wanted) == -1 && (errno == EAGAIN || errno == EACCES));
  CHECK(fcntl(fd, F_GETLK, &wanted) == 0 && wanted.l_type == (exclusive ? F_WRLCK : F_RDLCK));
  CHECK(wanted.l_start == 10 && wanted.l_len == 20 && wanted.l_whence == SEEK_SET && wanted.l_pid > 0);
  CHECK(lseek(fd, 29, SEEK_SET) == 29 && lockf(fd, F_TLOCK, 1) == -1 && (errno == EAGAIN || errno == EACCES));
  CHECK(lockf(fd, F_TEST, 1) == (exclusive ? -1 : 0));
  CHECK(lseek(fd, 30, SEEK_SET) == 30 && lockf(fd, F_TLOCK, 0) == 0 && lockf(fd, F_TEST, 0) == 0);
  CHECK(lseek(fd, 10, SEEK_SET) == 10 && lockf(fd, F_TLOCK, -10) == 0);
  wanted = (struct flock){.l_type = F_UNLCK, .l_whence = SEEK_SET};
  CHECK(fcntl(fd, F_SETLK, &wanted) == 0);
  wanted = (struct flock){.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = 5, .l_len = -6};
  CHECK(fcntl(fd, F_SETLK, &wanted) == -1 && errno == EINVAL);
  return close(fd) == 0 ? NULL : "close";
}
