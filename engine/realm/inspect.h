/* Looks at PHP's memory whenever a realm is left: the audit. Names the request for it. */
#ifndef HOWDAH_REALM_INSPECT_H
#define HOWDAH_REALM_INSPECT_H

#include <stddef.h>

/* Once, when PHP has started and Howdah has made its changes; audit_report as howdah_engine_options has it. 0, or -1 with a message. */
int howdah_inspect_start(const char *audit_report, char *error, size_t error_size);
/* After the last realm's death. */
void howdah_inspect_stop(void);

#endif
