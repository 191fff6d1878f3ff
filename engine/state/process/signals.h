/* The signal mask of a realm: a mask is the thread's, and libraries that block a signal around a call that waits (libpq:
 * SIGPIPE around what it sends with TLS) would leave it blocked for the next realm, and put back what another one had.
 *
 * Invariant: a realm that has the process's mask, or has put it back, costs nothing. */
#ifndef HOWDAH_STATE_SIGNALS_H
#define HOWDAH_STATE_SIGNALS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
  bool own;      /* not the process's */
  uint64_t mask; /* a bit for each signal, from 1: a sigset_t has room for 1,024 */
} howdah_signals;

/* The mask that each realm begins with: this thread's, now. Once for each process. */
void howdah_signals_start(void);
/* The realm in place has changed this thread's mask. Keeps errno. */
void howdah_signals_masked(howdah_signals *signals);
/* Its code runs now; something else's does, which must not miss a signal: nginx is told by signals to end. */
void howdah_signals_enter(const howdah_signals *signals);
void howdah_signals_leave(const howdah_signals *signals);

#endif
