/* Restarts of opcache as all workers see them.
 *
 * opcache_reset(), or memory that is full, asks for a restart, which wipes the shared code as soon as nobody reads it. A
 * worker-mode realm reads it for all its life: so that a restart comes at all, such realms are replaced (engine/realm), first
 * by ones that boot from their files and keep their code to themselves, as any request does that begins while a restart is
 * asked for, and after it by ones that share code again.
 *
 * Invariant: the generation is odd while a restart is asked for, and grows by one when it is and when it is done. A realm whose
 * own generation is another one is outdated. */
#ifndef HOWDAH_HOOKS_RESTART_H
#define HOWDAH_HOOKS_RESTART_H

#include "../coroutine/coroutine.h"

#include <stdint.h>

/* Once, in the process that starts the others. 0, or -1 with errno. */
int howdah_restart_start(void);
/* Of the code that the coroutine will run from now on: before its script starts. */
void howdah_restart_begin(howdah_coroutine *coroutine);
bool howdah_restart_outdates(const howdah_coroutine *coroutine);

/* Files of the application have changed, and opcache looks at them each time: a realm that began to boot before is outdated. Or
 * they are no code, and only pages show them. How often one of the two was said, in all workers, this time included. */
uint32_t howdah_restart_save(bool is_code);
uint32_t howdah_restart_shown(void);
/* How often it was code. */
uint32_t howdah_restart_saves(void);
bool howdah_restart_is_saved_over(const howdah_coroutine *coroutine);

/* Asks for a restart in the place of a script: for the process that starts the others, while it runs no request. False when
 * opcache is not there or is switched off, and so keeps no old code. Does not yield. */
bool howdah_restart_ask(void);

/* For opcache.c. In a coroutine: somebody found that a restart is asked for; this coroutine's request has done it. */
void howdah_restart_asked(void);
void howdah_restart_done(void);

#endif
