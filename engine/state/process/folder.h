/* Working directory and file-creation mask of a realm: the process has one of each, which chdir(2) and umask(2) change.
 *
 * Invariants:
 *  1. A realm that never changes them costs nothing; nor does going between realms in the same folder, which share one
 *     descriptor. */
#ifndef HOWDAH_STATE_FOLDER_H
#define HOWDAH_STATE_FOLDER_H

#include <stdbool.h>
#include <sys/types.h>

typedef struct howdah_held_folder howdah_held_folder;

typedef struct {
  howdah_held_folder *held; /* NULL: the process's first one */
  bool moved;               /* since it was last captured: it may be any */
} howdah_folder;

typedef struct {
  bool own; /* not the process's */
  mode_t mask;
} howdah_umask;

/* Once per process: captures what the process has. 0, or -1 with errno. */
int howdah_folder_start(void);
/* The realm in place has called umask(2). */
void howdah_umask_changed(howdah_umask *own, mode_t mask);
/* Going from one realm's (or NULL: none's) to another's (or NULL). */
void howdah_folder_switch(howdah_folder *from, const howdah_folder *to);
void howdah_umask_switch(const howdah_umask *to);
/* Not while it is in effect. */
void howdah_folder_free(howdah_folder *folder);

#endif
