/* What a process has once and PHP code may change: working directory and file-creation mask, locale, environment (and the time
 * zone with it), the system log's name; text domains and one request's browscap file, opcache's key of what is included; the
 * thread's signal mask.
 *
 * Invariants:
 *  1. A realm that never changes them costs nothing; a realm that did gets its own back before its code runs.
 *  2. While the main stack runs, what is the process's is as the process had it: nginx's logs have its time zone, its files its
 *     umask. Only the working directory may be put back later, where the front-end says so
 *     (howdah_process_state_lend_folder()). Text domains, browscap and opcache's key are no business of the main stack: they
 *     change when another realm's take their place. */
#ifndef HOWDAH_STATE_PROCESS_H
#define HOWDAH_STATE_PROCESS_H

#include "browscap.h"
#include "domain.h"
#include "environment.h"
#include "folder.h"
#include "locale.h"
#include "opcache_key.h"
#include "signals.h"
#include "syslog.h"

#include <stdbool.h>

typedef struct {
  bool touched; /* something below may not be the process's; what is only PHP's does not count */
  howdah_folder folder;
  howdah_umask umask;
  howdah_locale locale;
  howdah_environment environment;
  howdah_syslog log;
  howdah_domains domains;
  howdah_browser_data *browscap; /* NULL: php.ini's */
  howdah_opcache_key opcache_key;
  howdah_signals signals; /* switched by state.c */
} howdah_process_state;

/* Once per process: captures what the process has. 0, or -1 with errno. */
int howdah_process_state_start(void);
/* The code of this realm is about to run; NULL: nobody's. Keeps errno. */
void howdah_process_state_enter(howdah_process_state *state);
/* It does not run any more: the main stack's does. One test, where the realm that was left has touched nothing. Keeps errno. */
void howdah_process_state_leave(void);
/* Whether the working directory of a realm that was left may stay until a realm with another one is entered. False puts it
 * back. */
void howdah_process_state_lend_folder(bool lent);
/* Puts it back, and goes on lending. */
void howdah_process_state_take_back(void);
/* After the realm was left. */
void howdah_process_state_free(howdah_process_state *state);

#endif
