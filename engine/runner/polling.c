/* Nobody tells of changes: all files are looked at, again and again. */
#include "howdah.h"
#include "watch.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { POLL_MS = 300, POLL_SHARE = 5 /* of the time, one part of six is spent looking */ };

typedef struct {
  uint64_t path, state; /* hashes */
} sight;

static struct {
  sight *before, *now;
  size_t before_count, now_count, now_size;
} self;

/* FNV-1a, 64 bits. */
static uint64_t hash(const void *bytes, size_t len) {
  uint64_t value = UINT64_C(0xcbf29ce484222325);
  for (const unsigned char *at = bytes; len--; at++)
    value = (value ^ *at) * UINT64_C(0x100000001b3);
  return value;
}

static int compare(const void *a, const void *b) {
  uint64_t first = ((const sight *)a)->path, second = ((const sight *)b)->path;
  return first < second ? -1 : first > second;
}

static void see(const char *path, const struct stat *status, bool tells) {
  const uint64_t facts[] = {(uint64_t)status->st_mtim.tv_sec, (uint64_t)status->st_mtim.tv_nsec, (uint64_t)status->st_size,
                            (uint64_t)status->st_ino};
  sight seen = {.path = hash(path, strlen(path)), .state = hash(facts, sizeof facts)};
  if (self.now_count == self.now_size) {
    size_t size = self.now_size * 2 + 1024;
    sight *larger = realloc(self.now, size * sizeof *larger);
    if (!larger) exit(1);
    self.now = larger;
    self.now_size = size;
  }
  self.now[self.now_count++] = seen;
  if (!tells) return;
  const sight *old = self.before_count ? bsearch(&seen, self.before, self.before_count, sizeof seen, compare) : NULL;
  if (!old || old->state != seen.state) runner_watch_tell(path, false);
}

/* Links to folders are not followed here: nothing tells that they go round in a circle. */
static void look_through(const char *path, bool tells) {
  DIR *open = opendir(path);
  if (!open) return;
  char below[PATH_MAX];
  struct stat status;
  for (const struct dirent *entry; (entry = readdir(open));) {
    if (runner_watch_is_dots(entry->d_name) || !runner_watch_join(below, path, entry->d_name)) continue;
    if (lstat(below, &status) < 0) continue;
    if (!S_ISDIR(status.st_mode))
      see(below, &status, tells);
    else if (!runner_watch_ignores(below, entry->d_name))
      look_through(below, tells);
  }
  closedir(open);
}

static bool is_gone(void) {
  if (!self.now_count) return self.before_count > 0;
  for (size_t i = 0; i < self.before_count; i++)
    if (!bsearch(&self.before[i], self.now, self.now_count, sizeof *self.now, compare)) return true;
  return false;
}

void runner_poll_for_ever(void) {
  for (bool first = true;; first = false) {
    uint64_t began_us = howdah_loop_now_us();
    self.now = NULL;
    self.now_count = self.now_size = 0;
    look_through(runner_watched.root, !first);
    if (self.now_count) qsort(self.now, self.now_count, sizeof *self.now, compare);
    if (!first && is_gone()) runner_watch_tell(runner_watched.root, true);
    free(self.before);
    self.before = self.now;
    self.before_count = self.now_count;
    runner_watch_told();
    uint64_t pause_us = (howdah_loop_now_us() - began_us) * POLL_SHARE;
    runner_watch_pause(pause_us < POLL_MS * 1000 ? POLL_MS : pause_us / 1000);
  }
}
