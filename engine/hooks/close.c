/* close, fclose, dup2, dup3: a number is free, or another file's. Kind: note, and offload for sockets that linger (linger.c).
 *
 * Realms that wait for the descriptor are told, so that they look again and see what a fresh call would see; a file lock that
 * went with it goes to who waits for it; what was remembered of the number is forgotten; and neighbours keep their record locks
 * on the file (held.h), for which nginx's own closes come here, too. libc's own closing is not seen (closedir, freopen, and
 * what is closed inside other functions): it never closes what a library waits for, nor a database. */
#include "../coroutine/coroutine.h"
#include "caller.h"
#include "held.h"
#include "hooked.h"
#include "kinds.h"
#include "linger.h"
#include "lock.h"

#include <errno.h>
#include <fcntl.h>

/* ---- Who else holds something of a number that is about to be free ------------------------------------------------------- */

typedef struct {
  bool ours;             /* this is the loop's thread */
  howdah_lock_file file; /* whose lock somebody waits for */
  int twin;              /* of a socket that lingers */
} holders;

static holders holders_of(int fd) {
  holders self = {.ours = fd >= 0 && howdah_hooks_are_ours(), .file = {.waited_for = false}};
  if (self.ours) self.file = howdah_lock_before_close(fd);
  self.twin = howdah_linger_hold(fd);
  howdah_kind_note(fd, HOWDAH_KIND_UNKNOWN);
  return self;
}

/* freed: the number is; keeps errno. In a coroutine: others must not be woken in the middle of what the main stack does. */
static void tell(const holders *self, int fd, bool freed) {
  int error = errno;
  if (freed && self->ours) {
    howdah_kind_note(fd, HOWDAH_KIND_UNKNOWN);
    if (howdah_coroutine_current()) {
      howdah_loop_closed(howdah_coroutine_loop(), fd);
      howdah_lock_after_close(fd, &self->file);
    }
  }
  errno = error;
  howdah_linger_let_go(self->twin);
}

/* ---- What the original does, for howdah_held_close() --------------------------------------------------------------------- */

typedef struct {
  int old, new, flags;
} duplication;

static int really_close(void *fd) {
  return howdah_real_close(*(int *)fd);
}

static int really_fclose(void *stream) {
  return howdah_real_fclose(stream);
}

static int really_dup2(void *what) {
  const duplication *self = what;
  return howdah_real_dup2(self->old, self->new);
}

static int really_dup3(void *what) {
  const duplication *self = what;
  return howdah_real_dup3(self->old, self->new, self->flags);
}

/* ---- The hooks ----------------------------------------------------------------------------------------------------------- */

int howdah_hook_close(int fd) {
  int result = 0;
  holders others = holders_of(fd);
  howdah_held_close(fd, true, really_close, &fd, &result);
  tell(&others, fd, true);
  return result;
}

/* Its descriptor stays open: the stream gets another one to close. */
static int close_without_descriptor(FILE *stream) {
  int result = fflush(stream), error = errno;
  int other = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (other >= 0) {
    stream->_fileno = other;
    howdah_real_fclose(stream);
  } /* else the stream's few hundred bytes stay */
  errno = error;
  return result;
}

int howdah_hook_fclose(FILE *stream) {
  int fd = fileno(stream), result = 0;
  holders others = holders_of(fd);
  if (howdah_held_close(fd, true, really_fclose, stream, &result) == HOWDAH_KEPT) result = close_without_descriptor(stream);
  tell(&others, fd, true);
  return result;
}

/* The number cannot be kept and be another file's: EBUSY, which dup2(2) has for open() in another thread. */
static int duplicate(duplication self, int (*really)(void *)) {
  int result = -1;
  if (self.old == self.new) return really(&self);
  holders others = holders_of(self.new);
  if (howdah_held_close(self.new, false, really, &self, &result) == HOWDAH_REFUSED) errno = EBUSY;
  tell(&others, self.new, result >= 0);
  return result;
}

int howdah_hook_dup2(int old, int new) {
  return duplicate((duplication){old, new, 0}, really_dup2);
}

int howdah_hook_dup3(int old, int new, int flags) {
  return duplicate((duplication){old, new, flags}, really_dup3);
}
