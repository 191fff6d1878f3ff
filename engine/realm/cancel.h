/* Ending a request before its time: its client has gone, its body is refused, somebody on this machine wants it to end, its time limit has passed, or the worker
 * stops. And ending a boot that takes too long or that nobody needs any more, and a realm's last act that takes too long.
 *
 * What it waits for fails with ECANCELED, which PHP code sees as its library's own error, and at its next instruction PHP unwinds the
 * code as exit does (engine/sapi/unwind.c); from then on waits work again, for shutdown functions and destructors. Where there is
 * somebody to answer (503, 504, what refuses a body), the answer does not wait for that longer than ANSWER_US. A realm that has not ended after a while
 * loses its place in the pool to a new one, and is refused every wait; it ends when it can.
 *
 * All on the main stack. */
#ifndef HOWDAH_REALM_CANCEL_H
#define HOWDAH_REALM_CANCEL_H

#include "realm.h"

/* Cancels the realm's request. False when there is none, or when there is no reason (any more): its response has ended, the script said
 * ignore_user_abort(), the request is cancelled already. The realm may be gone when this returns true. */
bool howdah_cancel(howdah_realm *realm, howdah_cancel_reason reason);

/* The worker stops. Ends the realm's boot, or what it waits for in its last act. False when it does neither, or was told before. The realm
 * may be gone when this returns true. */
bool howdah_cancel_ends(howdah_realm *realm);
/* The realm begins to boot: what takes long is told in the log; after the pool's time limit it is ended. */
void howdah_cancel_boot_begins(howdah_realm *realm);
/* In its coroutine: its last act begins, with a time limit of its own. What it waits for after that fails. */
void howdah_cancel_closing_begins(howdah_realm *realm);

/* For the pool: the request given to the realm, or what it does while it is idle, has so much time, in microseconds, from now on. */
void howdah_cancel_start(howdah_realm *realm, uint64_t limit_us);
/* The request, or what it did while it was idle, is over. */
void howdah_cancel_stop(howdah_realm *realm);
/* A new realm. */
void howdah_cancel_init(howdah_realm *realm);

#endif
