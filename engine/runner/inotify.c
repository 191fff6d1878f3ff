/* The kernel tells of changes: inotify(7). Folders are watched, not files.
 *
 * Invariants:
 *   1. A folder is entered once in a pass, whatever links lead to it: the kernel gives the same number for the same folder.
 *   2. What is in a folder that appears is told of: it may have been written before the folder was watched.
 *   3. A folder that was moved is not known by its old path any more. */
#include "watch.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

enum { EVENTS = IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_MOVE_SELF | IN_ONLYDIR };
enum { BUFFER_BYTES = 64 * 1024, AGAIN_MS = 100 };

typedef struct {
  char *path;
  unsigned pass;
} folder;

static struct {
  int descriptor, root_number;
  folder *folders; /* by the kernel's numbers */
  size_t size, watched;
  unsigned pass;
  bool limited; /* the kernel watches no more folders */
  bool lost;    /* the root is not where it was */
} self = {.descriptor = -1};

static folder *folder_of(int number) {
  if (number < 0) return NULL;
  size_t index = (size_t)number;
  if (index >= self.size) {
    size_t size = index * 2 + 64;
    folder *larger = realloc(self.folders, size * sizeof *larger);
    if (!larger) return NULL;
    memset(larger + self.size, 0, (size - self.size) * sizeof *larger);
    self.folders = larger;
    self.size = size;
  }
  return &self.folders[index];
}

static bool is_folder(const char *path, const struct dirent *entry) {
  struct stat status;
  if (entry->d_type == DT_DIR) return true;
  if (entry->d_type != DT_LNK && entry->d_type != DT_UNKNOWN) return false;
  return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* False when it is not to be entered: it cannot be watched, or was entered before. */
static bool watch_folder(const char *path) {
  int number = inotify_add_watch(self.descriptor, path, EVENTS);
  if (number < 0 && (errno == ENOSPC || errno == ENOMEM)) self.limited = true;
  folder *known = folder_of(number);
  if (!known || known->pass == self.pass) return false;
  known->pass = self.pass;
  if (!known->path) self.watched++;
  free(known->path);
  known->path = strdup(path);
  if (!known->path) self.watched--;
  return known->path != NULL;
}

static void enter(const char *path, bool tells) {
  if (self.limited || !watch_folder(path)) return;
  DIR *open = opendir(path);
  if (!open) return;
  char below[PATH_MAX];
  for (const struct dirent *entry; (entry = readdir(open));) {
    if (runner_watch_is_dots(entry->d_name) || !runner_watch_join(below, path, entry->d_name)) continue;
    if (!is_folder(below, entry)) {
      if (tells) runner_watch_tell(below, false);
    } else if (!runner_watch_ignores(below, entry->d_name)) {
      enter(below, tells);
    }
  }
  closedir(open);
}

static void enter_root(bool tells) {
  self.pass++;
  enter(runner_watched.root, tells);
  self.root_number = inotify_add_watch(self.descriptor, runner_watched.root, EVENTS); /* the same number again */
  self.lost = self.root_number < 0;
}

static void forget(folder *known) {
  free(known->path);
  *known = (folder){.path = NULL};
  self.watched--;
}

/* And all that was below it: the kernel goes on watching it where it is now. */
static void forget_below(const char *path) {
  size_t len = strlen(path);
  for (size_t i = 0; i < self.size; i++) {
    const char *known = self.folders[i].path;
    if (!known || strncmp(known, path, len) != 0 || (known[len] && known[len] != '/')) continue;
    inotify_rm_watch(self.descriptor, (int)i);
    forget(&self.folders[i]);
  }
}

/* A file is told of when it has been written. One that is a link is there at once. */
static bool is_written(const char *path, const struct inotify_event *event) {
  struct stat status;
  if (!(event->mask & IN_CREATE)) return true;
  return lstat(path, &status) == 0 && (S_ISLNK(status.st_mode) || status.st_nlink > 1);
}

static void hear_of(const char *path, const struct inotify_event *event) {
  struct stat status;
  bool appears = event->mask & (IN_CREATE | IN_MOVED_TO);
  bool leads_to_folder = event->mask & IN_ISDIR || (appears && stat(path, &status) == 0 && S_ISDIR(status.st_mode));
  if (leads_to_folder && runner_watch_ignores(path, event->name)) return;
  if (event->mask & IN_ISDIR && event->mask & IN_MOVED_FROM) forget_below(path);
  if (leads_to_folder && appears) {
    self.pass++;
    enter(path, true);
  }
  if (leads_to_folder || is_written(path, event)) runner_watch_tell(path, leads_to_folder);
}

static void hear(const struct inotify_event *event) {
  char path[PATH_MAX];
  if (event->mask & IN_Q_OVERFLOW) {
    enter_root(false);
    runner_watch_tell(runner_watched.root, true);
    return;
  }
  if (event->wd == self.root_number && event->mask & (IN_IGNORED | IN_MOVE_SELF)) self.lost = true;
  folder *known = folder_of(event->wd);
  if (!known || !known->path) return;
  if (event->mask & IN_IGNORED)
    forget(known);
  else if (event->len && runner_watch_join(path, known->path, event->name))
    hear_of(path, event);
}

/* The project was deleted, or moved away: another one may come in its place. */
static void await_root(void) {
  runner_watch_tell(runner_watched.root, true);
  runner_watch_told();
  forget_below(runner_watched.root);
  while (self.lost && !self.limited) {
    runner_watch_pause(AGAIN_MS);
    enter_root(true);
  }
  runner_watch_tell(runner_watched.root, true);
  runner_watch_told();
}

const char *runner_inotify_begin(void) {
  self.descriptor = inotify_init1(IN_CLOEXEC);
  if (self.descriptor < 0) return "instances";
  enter_root(false);
  return self.limited ? "limit" : NULL;
}

size_t runner_inotify_folders(void) {
  return self.watched;
}

void runner_inotify_listen(void) {
  static _Alignas(struct inotify_event) char buffer[BUFFER_BYTES];
  while (!self.limited) {
    if (self.lost) await_root();
    ssize_t len = read(self.descriptor, buffer, sizeof buffer);
    if (len < 0 && errno == EINTR) continue;
    if (len <= 0) return;
    for (const char *at = buffer; at < buffer + len;) {
      const struct inotify_event *event = (const struct inotify_event *)at;
      hear(event);
      at += sizeof *event + event->len;
    }
    runner_watch_told();
  }
}

void runner_inotify_end(void) {
  if (self.descriptor >= 0) close(self.descriptor);
}
