/* The system log of a realm: openlog() keeps a name, options and a facility for the process, and libc keeps no copy of the
 * name. The end of any request would take them from all realms (PHP_RSHUTDOWN(syslog), ext/standard/syslog.c, 8.2) and free the
 * name. A realm that opens the log gets its own back before its code runs.
 *
 * Invariant: while no realm's log is in place, libc holds no pointer to a realm's memory. */
#ifndef HOWDAH_STATE_SYSLOG_H
#define HOWDAH_STATE_SYSLOG_H

#include <stdbool.h>

typedef struct {
  bool is_open; /* openlog() was called, and closelog() was not */
  char *name;   /* NULL: the program's; owned */
  int options, facility;
} howdah_syslog;

/* openlog(3) and closelog(3) for the realm in place. Short of memory, messages carry the program's name. */
void howdah_syslog_open(howdah_syslog *log, const char *name, int options, int facility);
void howdah_syslog_close(howdah_syslog *log);
/* Going from one realm's (or NULL: none's) to another's (or NULL). */
void howdah_syslog_switch(const howdah_syslog *from, const howdah_syslog *to);
/* Not while it is in place. */
void howdah_syslog_free(howdah_syslog *log);

#endif
