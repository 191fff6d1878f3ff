/* Who holds a lock of a file. See holder.h. Kind: note.
 *
 * The kernel knows processes and open files, not realms: whoever takes a lock with flock(2) leaves its number with the descriptor, and nothing
 * is done when that is closed. Whether it is still so is looked at when somebody asks: the file is the same, and the open file has a lock.
 * Record locks have their owners in a table (held.h). Other processes are named by the kernel. */
#include "holder.h"

#include "held.h"
#include "record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* By descriptor: who has taken a lock with it, and when (howdah_loop_now_us()). Owner 0: nobody. */
typedef struct {
  int64_t owner;
  uint64_t since_us;
} taker;

static taker *takers;
static size_t room;

void howdah_holder_note(int fd, howdah_coroutine *coroutine) {
  enum { ROOM_MIN = 64 };
  size_t at = (size_t)fd;
  if (at >= room) {
    size_t wanted = at * 2 > ROOM_MIN ? at * 2 : ROOM_MIN;
    taker *more = realloc(takers, wanted * sizeof(*takers));
    if (!more) return; /* nobody will be named */
    memset(more + room, 0, (wanted - room) * sizeof(*takers));
    takers = more;
    room = wanted;
  }
  takers[at] = (taker){.owner = howdah_record_owner(coroutine), .since_us = howdah_loop_now_us()};
}

bool howdah_holder_may_be(int fd) {
  char path[64], line[256];
  bool found = false;
  snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
  FILE *info = fopen(path, "re");
  if (!info) return true;
  while (!found && fgets(line, sizeof(line), info))
    found = strstr(line, "FLOCK") != NULL;
  fclose(info);
  return found;
}

static taker taker_of(const struct stat *file) {
  for (size_t fd = 0; fd < room; fd++) {
    struct stat status;
    if (!takers[fd].owner) continue;
    if (fstat((int)fd, &status) < 0 || S_ISSOCK(status.st_mode))
      takers[fd].owner = 0; /* it was closed */
    else if (status.st_ino == file->st_ino && status.st_dev == file->st_dev && howdah_holder_may_be((int)fd))
      return takers[fd];
  }
  return (taker){0};
}

/* As proc(5) has it: "1: FLOCK  ADVISORY  WRITE 4711 08:01:131073 0 EOF". */
static pid_t process_of(const struct stat *file) {
  char line[256];
  pid_t process = 0;
  FILE *locks = fopen("/proc/locks", "re");
  if (!locks) return 0;
  while (!process && fgets(line, sizeof(line), locks)) {
    unsigned major_number, minor_number;
    unsigned long inode;
    int pid;
    if (sscanf(line, "%*u: FLOCK %*s %*s %d %x:%x:%lu", &pid, &major_number, &minor_number, &inode) == 4 &&
        inode == file->st_ino && major_number == major(file->st_dev) && minor_number == minor(file->st_dev))
      process = pid;
  }
  fclose(locks);
  return process > 0 ? process : 0;
}

static bool find_flock(int fd, howdah_holder *holder) {
  struct stat file;
  if (fstat(fd, &file) < 0) return false;
  const taker taken = taker_of(&file);
  holder->owner = taken.owner;
  holder->since_us = taken.since_us;
  holder->process = taken.owner ? getpid() : process_of(&file);
  return holder->process != 0;
}

/* The table does not know since when. */
static bool find_record(const howdah_coroutine *coroutine, howdah_holder *holder) {
  struct flock lock = *coroutine->subject->record;
  holder->owner = HOWDAH_OWNER_PROCESS;
  holder->since_us = UINT64_MAX;
  if (howdah_held_test(coroutine->subject->fd, &lock, coroutine->record_owner, &holder->owner) < 0 || lock.l_type == F_UNLCK)
    return false;
  holder->process = lock.l_pid;
  return lock.l_pid > 0;
}

bool howdah_holder_find(const howdah_coroutine *coroutine, howdah_holder *holder) {
  const howdah_subject *subject = coroutine->subject;
  if (!subject || !subject->is_lock) return false;
  return subject->record ? find_record(coroutine, holder) : find_flock(subject->fd, holder);
}
