/* Looks at PHP's memory whenever a realm is left: the audit, and the watch of extensions that Howdah does not know. Names the request for them.
 *
 * What the watch finds closes the server: from then on each worker takes one request at a time (alone.h). */
#ifndef HOWDAH_REALM_INSPECT_H
#define HOWDAH_REALM_INSPECT_H

#include <stdbool.h>
#include <stddef.h>

/* Once, when PHP has started, the extensions are judged and Howdah has made its changes. audit_report as howdah_engine_options has it; alone: one
 * request at a time was asked for. 0, or -1 with a message. */
int howdah_inspect_start(const char *audit_report, bool alone, char *error, size_t error_size);
/* After the last realm's death. */
void howdah_inspect_stop(void);

#endif
