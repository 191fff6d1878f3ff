/* SO_LINGER: the close of a connection waits until the peer has everything, or for so many seconds, whatever the socket is set to
 * (inet_release(), net/ipv4/af_inet.c, Linux 6.1). Kind: offload.
 *
 * Only the last close of a socket waits. So the program's descriptor gets a twin; its number is free at once, as with the
 * original; and the twin is closed by a thread of its own, because a few who linger for minutes would keep all look-ups of
 * names waiting. A cancelled request leaves it behind. */
#include "linger.h"

#include "hooked.h"
#include "caller.h"
#include "kinds.h"
#include "offload.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

typedef struct {
  howdah_job job;
  int fd;
} closing;

static void work(howdah_job *job) {
  howdah_real_close(((closing *)job)->fd);
}

static void release(howdah_job *job) {
  free(job);
}

static bool lingers(int fd) {
  struct linger how;
  socklen_t size = sizeof(how);
  howdah_kind kind = howdah_kind_known(fd);
  if (kind != HOWDAH_KIND_UNKNOWN && kind != HOWDAH_KIND_SOCKET) return false;
  return getsockopt(fd, SOL_SOCKET, SO_LINGER, &how, &size) == 0 && how.l_onoff && how.l_linger > 0;
}

int howdah_linger_hold(int fd) {
  int error = errno, held = -1;
  if (fd >= 0 && howdah_hooks_may_park() && lingers(fd)) held = fcntl(fd, F_DUPFD_CLOEXEC, 0);
  errno = error;
  return held;
}

void howdah_linger_let_go(int held) {
  if (held < 0) return;
  int error = errno;
  closing *self = calloc(1, sizeof(*self));
  if (self) {
    self->job = (howdah_job){.work = work, .release = release, .alone = true};
    self->fd = held;
  }
  if (self && howdah_offload(&self->job) == 0)
    release(&self->job);
  else if (!self || errno == EAGAIN) /* no memory, or no thread: the worker waits */
    howdah_real_close(held);
  errno = error;
}
