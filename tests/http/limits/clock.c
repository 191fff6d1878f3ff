/* Loaded before the C library (LD_PRELOAD): somebody sets the clock. The file that CLOCK_FILE names holds by how many seconds, 8 bytes;
 * what goes by the time since the start (CLOCK_MONOTONIC) hears nothing of it, as on a real machine. */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>

static int64_t change(void) {
  static const volatile int64_t *seconds;
  static const int64_t none;
  if (!seconds) {
    const char *name = getenv("CLOCK_FILE");
    int fd = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
    const void *mapped = fd < 0 ? MAP_FAILED : mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, fd, 0);
    seconds = mapped == MAP_FAILED ? &none : mapped;
  }
  return *seconds;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  static int (*original)(clockid_t, struct timespec *);
  if (!original) original = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
  int result = original(clock, now);
  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += change();
  return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  struct timespec exact;
  (void)zone;
  clock_gettime(CLOCK_REALTIME, &exact);
  now->tv_sec = exact.tv_sec;
  now->tv_usec = exact.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *to) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (to) *to = now.tv_sec;
  return now.tv_sec;
}
