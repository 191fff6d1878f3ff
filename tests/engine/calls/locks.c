/* Locks on files, System V semaphores and messages. */
#include "calls.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/wait.h>
#include <unistd.h>

static int temporary(char path[32]) {
  strcpy(path, "/tmp/howdah-lock-XXXXXX");
  return mkstemp(path);
}

typedef struct {
  const char *path;
  int way; /* 0: flock, 1: lockf, 2: OFD */
  int told[2], go[2];
} holder;

static int take(int fd, int way, bool wait) {
  struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  switch (way) {
  case 0:
    return flock(fd, wait ? LOCK_EX : LOCK_EX | LOCK_NB);
  case 1:
    return lockf(fd, wait ? F_LOCK : F_TLOCK, 0);
  case 2:
    return fcntl(fd, wait ? F_OFD_SETLKW : F_OFD_SETLK, &all);
  default:
    return fcntl(fd, wait ? F_SETLKW : F_SETLK, &all);
  }
}

static int hold(void *data) {
  const holder *self = data;
  int fd = open(self->path, O_RDWR);
  if (take(fd, self->way, true) < 0) return 1;
  char byte = 'x';
  if (write(self->told[1], &byte, 1) != 1 || read(self->go[0], &byte, 1) != 1) return 2;
  nap_ms(100);
  return 0;
}

/* Another process has the lock, and 100 ms after it was told it ends. */
static const char *wait_for_lock(int way) {
  char path[32], byte;
  int fd = temporary(path), status;
  holder other = {.path = path, .way = way};
  CHECK(fd >= 0 && pipe(other.told) == 0 && pipe(other.go) == 0);
  int pid = child(hold, &other);
  CHECK(pid > 0 && read(other.told[0], &byte, 1) == 1);
  CHECK(take(fd, way, false) == -1 && (errno == EWOULDBLOCK || errno == EACCES));
  int64_t start = now_ms();
  CHECK(write(other.go[1], &byte, 1) == 1);
  CHECK(take(fd, way, true) == 0 && took_ms(start, 100));
  CHECK(waitpid(pid, &status, 0) == pid && status == 0);
  close(other.told[0]);
  close(other.told[1]);
  close(other.go[0]);
  close(other.go[1]);
  close(fd);
  unlink(path);
  CHECK(take(fd, way, true) == -1 && errno == EBADF);
  return NULL;
}

static const char *flock_wait(void) {
  return wait_for_lock(0);
}

static const char *lockf_wait(void) {
  return wait_for_lock(1);
}

static const char *ofd_wait(void) {
  return wait_for_lock(2);
}

static const char *record_wait(void) {
  return wait_for_lock(3);
}

/* Where nobody waits, every kind of change is as the kernel does it. */
static const char *flock_changes(void) {
  char path[32];
  int one = temporary(path), two = open(path, O_RDWR);
  CHECK(one >= 0 && two >= 0);
  CHECK(flock(one, LOCK_SH) == 0 && flock(two, LOCK_SH) == 0);
  CHECK(flock(one, LOCK_EX | LOCK_NB) == -1 && errno == EWOULDBLOCK); /* and its shared lock is gone */
  CHECK(flock(two, LOCK_EX) == 0 && flock(two, LOCK_EX) == 0);
  CHECK(flock(one, LOCK_SH | LOCK_NB) == -1 && errno == EWOULDBLOCK);
  CHECK(flock(two, LOCK_SH) == 0 && flock(one, LOCK_SH | LOCK_NB) == 0);
  CHECK(flock(one, LOCK_UN) == 0 && flock(one, LOCK_UN) == 0);
  CHECK(flock(one, 0) == -1 && errno == EINVAL);
  CHECK(flock(one, LOCK_SH | LOCK_EX) == -1 && errno == EINVAL);
  CHECK(flock(-1, LOCK_EX) == -1 && errno == EBADF && flock(-1, LOCK_UN) == -1 && errno == EBADF);
  close(one);
  close(two);
  unlink(path);
  return NULL;
}

static void raise_semaphore(void *data) {
  struct sembuf up = {0, 1, 0};
  semop(*(int *)data, &up, 1);
}

static const char *sysv_semaphore(void) {
  int set = semget(IPC_PRIVATE, 1, 0600);
  struct sembuf down = {0, -1, 0}, at_once = {0, -1, IPC_NOWAIT};
  struct timespec limit = {0, 50000000}, bad = {0, -1};
  CHECK(set >= 0);
  int64_t start = now_ms();
  CHECK(semop(set, &at_once, 1) == -1 && errno == EAGAIN);
  CHECK(semtimedop(set, &down, 1, &limit) == -1 && errno == EAGAIN && took_ms(start, 50));
  CHECK(semtimedop(set, &down, 1, &bad) == -1 && errno == EINVAL);
  later(50, raise_semaphore, &set);
  CHECK(semop(set, &down, 1) == 0 && took_ms(start, 100));
  CHECK(down.sem_flg == 0);
  CHECK(semop(set, &down, 0) == -1 && errno == EINVAL);
  CHECK(semctl(set, 0, IPC_RMID) == 0);
  CHECK(semop(set, &down, 1) == -1 && (errno == EINVAL || errno == EIDRM));
  return NULL;
}

typedef struct {
  long type;
  char text[1024];
} message;

static void send_message(void *data) {
  message it = {.type = 5, .text = "hi"};
  msgsnd(*(int *)data, &it, 3, 0);
}

static void drain(void *data) {
  message it;
  while (msgrcv(*(int *)data, &it, sizeof(it.text), 0, IPC_NOWAIT) > 0) {
  }
}

static const char *sysv_messages(void) {
  int queue = msgget(IPC_PRIVATE, 0600);
  message it = {.type = 0};
  CHECK(queue >= 0);
  int64_t start = now_ms();
  CHECK(msgrcv(queue, &it, sizeof(it.text), 0, IPC_NOWAIT) == -1 && errno == ENOMSG);
  later(50, send_message, &queue);
  CHECK(msgrcv(queue, &it, sizeof(it.text), 5, 0) == 3 && it.type == 5 && strcmp(it.text, "hi") == 0);
  CHECK(took_ms(start, 50));
  while (msgsnd(queue, &it, sizeof(it.text), IPC_NOWAIT) == 0) {
  }
  CHECK(errno == EAGAIN);
  later(50, drain, &queue);
  CHECK(msgsnd(queue, &it, sizeof(it.text), 0) == 0 && took_ms(start, 100));
  drain(&queue);
  send_message(&queue);
  CHECK(msgrcv(queue, &it, 1, 0, 0) == -1 && errno == E2BIG);
  CHECK(msgctl(queue, IPC_RMID, NULL) == 0);
  return NULL;
}

const named_call lock_calls[] = {
    {"flock", flock_wait},
    {"lockf", lockf_wait},
    {"ofd", ofd_wait},
    {"record", record_wait},
    {"flock_changes", flock_changes},
    {"sysv_semaphore", sysv_semaphore},
    {"sysv_messages", sysv_messages},
    {NULL, NULL},
};
