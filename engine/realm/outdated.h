/* Worker-mode realms whose code is of before a restart of opcache (engine/hooks/restart.h) are replaced: idle ones within LOOK_US, busy ones
 * after their request. */
#ifndef HOWDAH_REALM_OUTDATED_H
#define HOWDAH_REALM_OUTDATED_H

#include "realm.h"

/* A pool's own. */
typedef struct {
  howdah_timer timer;
  void (*retire)(void *data); /* ends idle realms that are outdated */
  void *data;
} howdah_outdated_look;

/* Begins to look, at once. self stays where it is until it is stopped. */
void howdah_outdated_start(howdah_outdated_look *self, void (*retire)(void *data), void *data);
/* Does nothing when it was not started. */
void howdah_outdated_stop(howdah_outdated_look *self);
/* In a process that leaves as soon as another one serves: its realms keep their code to the end. opcache waits for that, and who boots meanwhile
 * compiles for itself (engine/hooks/restart.h). */
void howdah_outdated_keep(void);
/* Whether the realm has booted, in worker mode, with code of before a restart. */
bool howdah_outdated(const howdah_realm *realm);
/* Whether it began to boot, in worker mode, before a file of the application was saved: then it serves no request that came after that. */
bool howdah_outdated_by_save(const howdah_realm *realm);
/* True when files were saved since *seen, which is brought up to date. What PHP remembers of where links lead is forgotten then. */
bool howdah_outdated_look_for_saves(uint32_t *seen);

#endif
