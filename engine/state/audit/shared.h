/* What realms share on purpose, for the audit: each item with its name, its source and the reason why that is right.
 *
 * Two kinds: state that a finder met (hidden/: shared.c, touched.c, constructors.c, objects.c), and the memory of whole
 * libraries that keep nothing of a request: threads of one process share these under ZTS, too. Nothing of libphp or of an
 * extension is listed as a whole. */
#ifndef HOWDAH_STATE_SHARED_H
#define HOWDAH_STATE_SHARED_H

#include "../segments.h"

typedef struct {
  const char *name;
  const char *source;
  const char *reason;
} howdah_reason;

/* Once, when the finders have run. */
void howdah_shared_start(void);
/* What the object that holds this address may write to is shared, because the user says so. */
void howdah_shared_by_user(const void *inside);
/* Why this object's memory is shared as a whole, or NULL: it is not a library that is listed. */
const howdah_reason *howdah_shared_library(const howdah_segment *segment);
/* Why the byte at this address may change, or NULL. The answer lives as long as the process and is the same in its children. */
const howdah_reason *howdah_shared_at(const howdah_segment *segment, const char *address);

#endif
