/* Working directory and umask per realm, switched lazily with fchdir(2) and umask(2); the rest in files of its own. See process.h. */
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* One folder that at least one realm is in. */
struct howdah_folder {
  int fd;
  dev_t device;
  ino_t inode;
  unsigned users;
  howdah_folder *next;
};

static howdah_folder base = {.fd = -1, .users = 1};
static howdah_folder *folders; /* but for base */
static howdah_folder *current = &base;
static mode_t base_umask, current_umask;

int howdah_process_state_start(void) {
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

static void release(howdah_folder *folder) {
  if (!folder || folder == &base || --folder->users > 0) return;
  for (howdah_folder **at = &folders; *at; at = &(*at)->next)
    if (*at == folder) {
      *at = folder->next;
      break;
    }
  if (current == folder) current = NULL;
  close(folder->fd);
  free(folder);
}

/* The folder that the process is in now; NULL when it cannot be held (out of memory or descriptors). */
static howdah_folder *capture(void) {
  struct stat status;
  if (stat(".", &status) < 0) return NULL;
  if (status.st_dev == base.device && status.st_ino == base.inode) return &base;
  for (howdah_folder *folder = folders; folder; folder = folder->next)
    if (folder->device == status.st_dev && folder->inode == status.st_ino) {
      folder->users++;
      return folder;
    }
  howdah_folder *folder = malloc(sizeof(*folder));
  if (!folder) return NULL;
  folder->fd = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
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

void howdah_process_state_moved(howdah_process_state *state) {
  state->folder_changed = true;
}

void howdah_process_state_masked(howdah_process_state *state, mode_t mask) {
  state->umask = mask;
  state->own_umask = mask != base_umask;
  current_umask = mask;
}

void howdah_process_state_switch(howdah_process_state *from, howdah_process_state *to) {
  if (from && from->folder_changed) {
    int saved = errno;
    howdah_folder *before = from->folder, *now = capture();
    current = now;
    from->folder = now == &base ? NULL : now;
    from->folder_changed = false;
    release(before);
    errno = saved;
  }
  howdah_folder *wanted = to && to->folder ? to->folder : &base;
  if (wanted != current) {
    int saved = errno;
    /* A folder that was removed, or may no longer be searched, is left as it is for code that looks at it: PHP under php-fpm would
     * be in it still. Failing here means that the descriptor was taken from us; the next lookups of "." then say so. */
    current = fchdir(wanted->fd) == 0 ? wanted : NULL;
    errno = saved;
  }
  mode_t mask = to && to->own_umask ? to->umask : base_umask;
  if (mask != current_umask) {
    umask(mask);
    current_umask = mask;
  }
  howdah_locale_switch(from ? &from->locale : NULL, to ? &to->locale : NULL);
  howdah_domain_switch(from ? &from->domains : NULL, to ? &to->domains : NULL);
  howdah_environment_switch(from ? &from->environment : NULL, to ? &to->environment : NULL);
  howdah_syslog_switch(from ? &from->log : NULL, to ? &to->log : NULL);
  howdah_browscap_switch(from ? from->browscap : NULL, to ? to->browscap : NULL);
}

void howdah_process_state_free(howdah_process_state *state) {
  release(state->folder);
  state->folder = NULL;
  state->own_umask = false;
  howdah_locale_free(&state->locale);
  howdah_domain_free(&state->domains);
  howdah_environment_free(&state->environment);
  howdah_syslog_free(&state->log);
  howdah_browscap_free(&state->browscap);
}
