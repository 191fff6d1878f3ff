/* What realms share on purpose, for the audit: each item with its name, its source and the reason why that is right.
 *
 * Three kinds: hidden state that a finder met (hidden/shared.c, hidden/touched.c), variables that an object exports under a name, and
 * the memory of whole libraries that keep nothing of a request: "as ZTS would do for a thread", threads of one process share these. Nothing of libphp or
 * of an extension is listed as a whole. */
#ifndef HOWDAH_STATE_SHARED_H
#define HOWDAH_STATE_SHARED_H

#include "segments.h"

typedef struct {
  const char *name;
  const char *source;
  const char *reason;
} howdah_reason;

/* Once, when the finders have run. */
void howdah_shared_start(void);
/* Why the byte at this address may change, or NULL. The answer lives as long as the process and is the same in its children. */
const howdah_reason *howdah_shared_at(const howdah_segment *segment, const char *address);
/* The linker's own words: slots that it fills when a function is called first. */
bool howdah_is_linkers(const howdah_segment *segment, const char *address);

#endif
