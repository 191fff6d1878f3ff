/* System V semaphores and message queues (ext/sysvsem, ext/sysvmsg). Kind: timer: asked with IPC_NOWAIT, again and again.
 *
 * SEM_UNDO undoes at the end of the process, which is the worker's: PHP itself gives a semaphore back at the end of its request
 * (release_sysvsem_sem(), ext/sysvsem/sysvsem.c, 8.2). */
#include "hooked.h"

#include "caller.h"
#include "pause.h"

#include <errno.h>
#include <string.h>
#include <sys/ipc.h>

enum { OPERATIONS_MAX = 16 };

/* Whether all of them wait. A set in which some do not is left to the kernel: EAGAIN would not tell whose it is. */
static bool all_wait(const struct sembuf *operations, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (operations[i].sem_flg & IPC_NOWAIT) return false;
  return true;
}

int howdah_hook_semop(int set, struct sembuf *operations, size_t count) {
  return howdah_hook_semtimedop(set, operations, count, NULL);
}

int howdah_hook_semtimedop(int set, struct sembuf *operations, size_t count, const struct timespec *limit) {
  if (!operations || count == 0 || count > OPERATIONS_MAX || !all_wait(operations, count) ||
      (limit && (limit->tv_sec < 0 || limit->tv_nsec < 0 || limit->tv_nsec >= 1000000000)) || !howdah_hooks_may_park())
    return howdah_real_semtimedop(set, operations, count, limit);
  struct sembuf at_once[OPERATIONS_MAX];
  memcpy(at_once, operations, count * sizeof(*operations));
  for (size_t i = 0; i < count; i++)
    at_once[i].sem_flg |= IPC_NOWAIT;
  howdah_patience patience = {.until_us = howdah_until_us(limit), .kind = HOWDAH_WAIT_LOCK};
  for (;;) {
    if (howdah_real_semop(set, at_once, count) == 0) return 0;
    if (errno != EAGAIN) return -1;
    int over = howdah_pause(&patience);
    if (over > 0) errno = EAGAIN;
    if (over) return -1;
  }
}

ssize_t howdah_hook_msgrcv(int queue, void *message, size_t size, long type, int flags) {
  if ((flags & IPC_NOWAIT) || !howdah_hooks_may_park()) return howdah_real_msgrcv(queue, message, size, type, flags);
  howdah_patience patience = {.until_us = UINT64_MAX, .subject = {.name = "a message queue"}};
  ssize_t got;
  while ((got = howdah_real_msgrcv(queue, message, size, type, flags | IPC_NOWAIT)) < 0 && errno == ENOMSG &&
         howdah_pause(&patience) == 0) {
  }
  return got;
}

int howdah_hook_msgsnd(int queue, const void *message, size_t size, int flags) {
  if ((flags & IPC_NOWAIT) || !howdah_hooks_may_park()) return howdah_real_msgsnd(queue, message, size, flags);
  howdah_patience patience = {.until_us = UINT64_MAX, .subject = {.name = "a message queue"}};
  int result;
  while ((result = howdah_real_msgsnd(queue, message, size, flags | IPC_NOWAIT)) < 0 && errno == EAGAIN &&
         howdah_pause(&patience) == 0) {
  }
  return result;
}
