/* The queues of flock(2), for those who close descriptors: a lock goes with the last descriptor of its file. */
#ifndef HOWDAH_HOOKS_LOCK_H
#define HOWDAH_HOOKS_LOCK_H

#include <stdbool.h>
#include <sys/types.h>

typedef struct {
  bool waited_for;
  dev_t device;
  ino_t inode;
} howdah_lock_file;

/* Before a descriptor is closed: which file it is, if anybody waits for a lock at all. */
howdah_lock_file howdah_lock_before_close(int fd);
/* After it: who waited with this descriptor fails with EBADF, and who is first gets the lock when it is free. */
void howdah_lock_after_close(int fd, const howdah_lock_file *file);

#endif
