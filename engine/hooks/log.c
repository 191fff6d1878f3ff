/* openlog and closelog: each realm has its own name in the system's log (engine/state/process/syslog.h). Kind: note. */
#include "hooked.h"

#include "../coroutine/coroutine.h"
#include "caller.h"

static howdah_syslog *own(void) {
  howdah_process_state *state = howdah_hooks_process_state();
  return state ? &state->log : NULL;
}

void howdah_hook_openlog(const char *name, int options, int facility) {
  howdah_syslog *log = own();
  if (log)
    howdah_syslog_open(log, name, options, facility);
  else
    howdah_real_openlog(name, options, facility);
}

void howdah_hook_closelog(void) {
  howdah_syslog *log = own();
  if (log)
    howdah_syslog_close(log);
  else
    howdah_real_closelog();
}
