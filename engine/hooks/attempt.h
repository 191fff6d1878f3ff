/* What the families wait with that wait for descriptors: poll.c's and socket.c's. */
#ifndef HOWDAH_HOOKS_ATTEMPT_H
#define HOWDAH_HOOKS_ATTEMPT_H

#include "pause.h"

#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* poll(2) in a coroutine, with its limit in microseconds (below 0: none). What the other families wait with, too. What it says
 * was so when the loop looked: where others share the open file it may not be so any more. Parks. */
int howdah_poll_us(struct pollfd *fds, nfds_t count, int64_t timeout_us);

/* Lets signals in that are pending and that the mask allows (NULL: nothing is done). Never yields. false with errno EINTR when
 * one was handled. */
bool howdah_let_signals_in(const sigset_t *mask);

/* Whether a descriptor waits, as the program has set it. */
bool howdah_is_blocking(int fd);
/* One call on a descriptor, which may wait more than once. Zeroed it begins. */
typedef struct {
  howdah_patience patience; /* its time limit counts from its first wait; until_us 0: there was none yet */
  unsigned in_vain;         /* the descriptor was said to be ready, and was not */
} howdah_attempt;
/* After a call that was not to wait has failed: whether to try again. False: errno says why not. Parks. */
bool howdah_try_again(howdah_attempt *attempt, int fd, short events);
/* For calls that cannot be told not to wait, on a descriptor that waits: parks until poll(2) says that it is ready. True: try;
 * somebody else may have been quicker meanwhile, so a watchdog is wanted (watchdog.h). False: errno says why not (EAGAIN: its
 * own time limit). Parks. */
bool howdah_poll_first(howdah_attempt *attempt, int fd, short events);

#endif
