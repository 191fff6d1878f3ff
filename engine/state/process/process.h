/* What a process has once and PHP code may change: working directory and file-creation mask, locale, text domains, environment (and the
 * time zone with it), the system log's name, one request's browscap file; the thread's signal mask.
 *
 * Invariants:
 *  1. A realm that never changes them costs nothing; a realm that did gets its own back before its code runs.
 *  2. Realms in the same folder share one descriptor, and going from one to the other is no system call. */
#ifndef HOWDAH_STATE_PROCESS_H
#define HOWDAH_STATE_PROCESS_H

#include "browscap.h"
#include "domain.h"
#include "environment.h"
#include "locale.h"
#include "signals.h"
#include "syslog.h"

#include <stdbool.h>
#include <sys/types.h>

typedef struct howdah_folder howdah_folder;

typedef struct {
  howdah_folder *folder; /* NULL: the process's first one */
  bool folder_changed;   /* since it was last captured */
  mode_t umask;
  bool own_umask;
  howdah_locale locale;
  howdah_domains domains;
  howdah_environment environment;
  howdah_syslog log;
  howdah_browser_data *browscap; /* NULL: php.ini's */
  howdah_signals signals;        /* not lazily: they are the main stack's business, too (state.c) */
} howdah_process_state;

/* Once per process: captures what the process has. 0, or -1 with errno. */
int howdah_process_state_start(void);
/* The realm that runs has called chdir() or fchdir() with success. */
void howdah_process_state_moved(howdah_process_state *state);
void howdah_process_state_masked(howdah_process_state *state, mode_t mask);
/* Going from one realm's (or NULL: none's) to another's (or NULL). Keeps errno. */
void howdah_process_state_switch(howdah_process_state *from, howdah_process_state *to);
void howdah_process_state_free(howdah_process_state *state);

#endif
