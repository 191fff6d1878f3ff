/* Opening a FIFO: each end waits for the other one. */
#include "calls.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
  char folder[32], path[40];
  const char *text; /* what is written to it */
} fifo;

static bool make(fifo *self) {
  strcpy(self->folder, "/tmp/howdah-fifo-XXXXXX");
  if (!mkdtemp(self->folder)) return false;
  snprintf(self->path, sizeof(self->path), "%s/fifo", self->folder);
  return mkfifo(self->path, 0600) == 0;
}

static void end(const fifo *self) {
  unlink(self->path);
  rmdir(self->folder);
}

/* Who comes to the other end, later; told when it has left, so that it takes no part in what follows. */
typedef struct {
  const fifo *at;
  int delay_ms;
  pthread_t thread;
} partner;

static void *open_and_write(void *data) {
  partner *self = data;
  nap_ms(self->delay_ms);
  int fd = open(self->at->path, O_WRONLY);
  if (fd < 0) abort();
  nap_ms(10);
  if (write(fd, self->at->text, strlen(self->at->text)) < 0) abort();
  close(fd);
  return NULL;
}

static void *open_and_read(void *data) {
  partner *self = data;
  char text[8];
  nap_ms(self->delay_ms);
  int fd = open(self->at->path, O_RDONLY);
  if (fd < 0) abort();
  while (read(fd, text, sizeof(text)) > 0) {
  }
  close(fd);
  return NULL;
}

static void comes(partner *self, int delay_ms, void *(*work)(void *)) {
  self->delay_ms = delay_ms;
  if (pthread_create(&self->thread, NULL, work, self) != 0) abort();
}

static bool left(const partner *self) {
  return pthread_join(self->thread, NULL) == 0;
}

static const char *reading(fifo *it) {
  partner other = {.at = it};
  char text[8];
  it->text = "x";
  int64_t start = now_ms();
  comes(&other, 30, open_and_write);
  int fd = open(it->path, O_RDONLY | O_CLOEXEC);
  CHECK(fd >= 0 && took_ms(start, 30) && fcntl(fd, F_GETFD) == FD_CLOEXEC && !(fcntl(fd, F_GETFL) & O_NONBLOCK));
  CHECK(read(fd, text, sizeof(text)) == 1 && read(fd, text, sizeof(text)) == 0 && close(fd) == 0 && left(&other));
  it->text = ""; /* one that leaves without a word */
  comes(&other, 10, open_and_write);
  fd = open(it->path, O_RDONLY);
  CHECK(fd >= 0 && read(fd, text, sizeof(text)) == 0 && close(fd) == 0 && left(&other));
  it->text = "line\n";
  comes(&other, 5, open_and_write);
  FILE *stream = fopen(it->path, "re");
  CHECK(stream && fgets(text, sizeof(text), stream) && strcmp(text, "line\n") == 0 && fclose(stream) == 0 && left(&other));
  return NULL;
}

static const char *writing(const fifo *it) {
  partner other = {.at = it};
  int64_t start = now_ms();
  CHECK(open(it->path, O_WRONLY | O_NONBLOCK) == -1 && errno == ENXIO);
  CHECK(open(it->path, O_WRONLY | O_CREAT | O_EXCL, 0600) == -1 && errno == EEXIST);
  comes(&other, 60, open_and_read);
  int fd = open(it->path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  CHECK(fd >= 0 && took_ms(start, 60) && write(fd, "x", 1) == 1 && close(fd) == 0 && left(&other));
  comes(&other, 5, open_and_read);
  CHECK((fd = openat(AT_FDCWD, it->path, O_WRONLY)) >= 0 && close(fd) == 0 && left(&other));
  comes(&other, 5, open_and_read);
  CHECK((fd = creat(it->path, 0600)) >= 0 && close(fd) == 0 && left(&other));
  comes(&other, 5, open_and_read);
  FILE *stream = fopen(it->path, "a");
  CHECK(stream && fputs("line\n", stream) >= 0 && fclose(stream) == 0 && left(&other));
  return NULL;
}

static const char *fifos(void) {
  fifo it;
  int ends[2], fd;
  CHECK(make(&it));
  const char *wrong = reading(&it);
  if (!wrong) wrong = writing(&it);
  if (wrong) return wrong;
  CHECK((fd = open(it.path, O_RDWR)) >= 0 && close(fd) == 0);
  end(&it);
  CHECK(pipe(ends) == 0 && close(ends[1]) == 0);
  snprintf(it.path, sizeof(it.path), "/proc/self/fd/%d", ends[0]);
  CHECK((fd = open(it.path, O_RDONLY)) >= 0 && close(fd) == 0 && close(ends[0]) == 0);
  CHECK(open(it.folder, O_RDONLY) == -1 && errno == ENOENT);
  return NULL;
}

/* Two realms at its ends. Not for php-cli. */
static const char *fifo_ends(void) {
  static int turn;
  static fifo it;
  char byte = 'x';
  bool writes = turn++ == 0;
  if (writes) CHECK(make(&it));
  int fd = open(it.path, writes ? O_WRONLY : O_RDONLY);
  CHECK(fd >= 0);
  CHECK(writes ? write(fd, "y", 1) == 1 : read(fd, &byte, 1) == 1 && byte == 'y');
  close(fd);
  if (!writes) end(&it);
  return NULL;
}

const named_call fifo_calls[] = {
    {"fifos", fifos},
    {"fifo_ends", fifo_ends},
    {NULL, NULL},
};
