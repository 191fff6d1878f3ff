/* Which loaded objects are PHP's: libphp, its extensions, and the libraries that these brought along. For the audit.
 *
 * Those are libphp with all that it needs (DT_NEEDED), and whatever was loaded since howdah_objects_before(): extensions, what
 * they need, what they load themselves. Not among them are the program, Howdah, and the C library with its parts, for
 * howdah_objects_skipped()'s reasons. */
#ifndef HOWDAH_STATE_OBJECTS_H
#define HOWDAH_STATE_OBJECTS_H

#include "../segments.h"

typedef struct {
  const char *name; /* what the name of its file begins with */
  const char *reason;
} howdah_skipped_object;

/* Notes what is loaded before PHP starts. 0, or -1 with a message. */
int howdah_objects_before(char *error, size_t error_size);
/* Adds the writable segments of PHP's objects that are loaded now and not in the list yet. 0, or -1 with a message. */
int howdah_objects_add(howdah_segments *segments, char *error, size_t error_size);
/* A number that changes when an object is loaded or unloaded. */
unsigned long long howdah_objects_generation(void);
/* Is this address in the memory of an object that is still loaded? */
bool howdah_objects_hold(const void *address);
/* What is not looked at, and why; ends with a NULL name. */
const howdah_skipped_object *howdah_objects_skipped(void);
void howdah_objects_free(void);

#endif
