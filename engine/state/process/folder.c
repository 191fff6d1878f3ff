/* Working directory and umask per realm. See folder.h. */
#include "folder.h"
#include "reserve.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* One folder that at least one realm is in. */
struct howdah_held_folder {
  int fd;
  dev_t device;
  ino_t inode;
  unsigned users;
  howdah_held_folder *next;
};

static howdah_held_folder base = {.fd = -1, .users = 1};
static howdah_held_folder *folders; /* but for base */
static howdah_held_folder *current = &base;
static mode_t base_umask, current_umask;

int howdah_folder_start(void) {
  struct stat status;
  if (base.fd >= 0) close(base.fd);
  base.fd = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (base.fd < 0 || fstat(base.fd, &status) < 0) return -1;
  base.device = status.st_dev;
  base.inode = status.st_ino;
  current = &base;
  base_umask = current_umask = umask(0);
  umask(base_umask);
  return 0;
}

static void release(howdah_held_folder *folder) {
  if (!folder || folder == &base || --folder->users > 0) return;
  for (howdah_held_folder **at = &folders; *at; at = &(*at)->next)
    if (*at == folder) {
      *at = folder->next;
      break;
    }
  if (current == folder) current = NULL;
  close(folder->fd);
  free(folder);
}

/* Also where PHP has taken all descriptors: the realm would be in another folder when it goes on. */
static int hold(void) {
  int fd = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (!howdah_reserve_open(fd)) return fd;
  fd = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
  howdah_reserve_close();
  return fd;
}

/* The folder that the process is in now; NULL when it cannot be held (out of memory or descriptors). */
static howdah_held_folder *capture(void) {
  struct stat status;
  if (stat(".", &status) < 0) return NULL;
  if (status.st_dev == base.device && status.st_ino == base.inode) return &base;
  for (howdah_held_folder *folder = folders; folder; folder = folder->next)
    if (folder->device == status.st_dev && folder->inode == status.st_ino) {
      folder->users++;
      return folder;
    }
  howdah_held_folder *folder = malloc(sizeof(*folder));
  if (!folder) return NULL;
  folder->fd = hold();
  if (folder->fd < 0) {
    free(folder);
    return NULL;
  }
  folder->device = status.st_dev;
  folder->inode = status.st_ino;
  folder->users = 1;
  folder->next = folders;
  folders = folder;
  return folder;
}

void howdah_folder_switch(howdah_folder *from, const howdah_folder *to) {
  if (from && from->moved) {
    howdah_held_folder *before = from->held, *now = capture();
    current = now;
    from->held = now == &base ? NULL : now;
    from->moved = false;
    release(before);
  }
  howdah_held_folder *wanted = to && to->held ? to->held : &base;
  if (wanted == current) return;
  /* A folder that was removed, or may no longer be searched, is left as it is for code that looks at it: PHP under php-fpm would
   * be in it still. Failing here means that the descriptor was taken from us; the next lookups of "." then say so. */
  current = fchdir(wanted->fd) == 0 ? wanted : NULL;
}

void howdah_folder_free(howdah_folder *folder) {
  release(folder->held);
  *folder = (howdah_folder){0};
}

void howdah_umask_changed(howdah_umask *own, mode_t mask) {
  *own = (howdah_umask){.own = mask != base_umask, .mask = mask};
  current_umask = mask;
}

void howdah_umask_switch(const howdah_umask *to) {
  mode_t mask = to && to->own ? to->mask : base_umask;
  if (mask == current_umask) return;
  umask(mask);
  current_umask = mask;
}
