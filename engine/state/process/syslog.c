/* The system log of a realm. See syslog.h. */
#include "syslog.h"

#include <stdlib.h>
#include <string.h>
#include <syslog.h>

void howdah_syslog_open(howdah_syslog *log, const char *name, int options, int facility) {
  char *copy = name ? strdup(name) : NULL;
  openlog(copy, options, facility);
  free(log->name); /* libc holds the copy now */
  *log = (howdah_syslog){.is_open = true, .name = copy, .options = options, .facility = facility};
}

/* As in a new process. closelog() alone forgets the name, and keeps options and facility. */
static void reset(void) {
  openlog(NULL, 0, LOG_USER);
  closelog();
}

/* PHP calls it at the end of every request. */
void howdah_syslog_close(howdah_syslog *log) {
  if (!log->is_open) {
    closelog();
    return;
  }
  reset();
  howdah_syslog_free(log);
}

void howdah_syslog_switch(const howdah_syslog *from, const howdah_syslog *to) {
  bool was_open = from && from->is_open, will_be = to && to->is_open;
  /* The connection itself may be anybody's: it is kept, or made by the next message. */
  if (will_be)
    openlog(to->name, to->options & ~LOG_NDELAY, to->facility);
  else if (was_open)
    reset();
}

void howdah_syslog_free(howdah_syslog *log) {
  free(log->name);
  *log = (howdah_syslog){0};
}
