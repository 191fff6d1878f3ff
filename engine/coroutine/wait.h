/* The wait primitive: what hooks and the SAPI park on. There are three ways to wait (ready, timer, offload); the first two are
 * here. */
#ifndef HOWDAH_COROUTINE_WAIT_H
#define HOWDAH_COROUTINE_WAIT_H

#include "coroutine.h"

#include <poll.h>

enum { HOWDAH_WAIT_FOREVER = -1 };

/* Parks the coroutine that runs until one of the descriptors may be ready (poll(2)'s events; negative descriptors are passed
 * over, and disk files: what poll(2) says of them never changes), or until timeout_us has passed. 1: look again; 0: the time is
 * over; -1 with errno: ECANCELED (not EINTR, after which libraries try again for ever), ENOMEM, or what epoll_ctl(2) refuses a
 * descriptor with (EBADF, ENOSPC, ELOOP). May wake spuriously. *found becomes what poll(2) would say of a single descriptor,
 * where the loop knows; else 0: look again. Connections that it waits for are shut down when it is cancelled. Parks. */
int howdah_wait_ready(const struct pollfd *fds, nfds_t count, int64_t timeout_us, short *found);
/* Parks for so long; kind: what for, and the same below. 0, or -1 with errno ECANCELED when cancelled and *left_us set to what
 * was left. left_us may be NULL. Cancelled, PHP code does not go on when the C function that it called returns. Parks. */
int howdah_wait_sleep(howdah_wait_kind kind, uint64_t duration_us, uint64_t *left_us);
/* Parks until howdah_coroutine_wake(). 0, or -1 when cancelled. Parks. */
int howdah_wait_wake(howdah_wait_kind kind);

#endif
