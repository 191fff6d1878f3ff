/* The third way to wait: what has no non-blocking form runs on another thread while the coroutine is parked. */
#ifndef HOWDAH_HOOKS_OFFLOAD_H
#define HOWDAH_HOOKS_OFFLOAD_H

/* Runs work(data) on a thread of a small pool, and parks until it is done; data may lie on the caller's stack. work must not touch
 * anything of PHP, nor a state block: it holds another realm's bytes by then. Not cancelled: it ends when work ends. 0, or -1 when no thread can be had: nothing ran. Parks. */
int howdah_offload(void (*work)(void *data), void *data);
/* Ends the threads: at the end of the process, when no coroutine waits. */
void howdah_offload_stop(void);

#endif
