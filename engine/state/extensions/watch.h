/* The watch: memory of extensions that Howdah has never seen, compared whenever a realm is left.
 *
 * What the evidence (evidence.h) cannot tell is seen here when it happens: a static that was initialised while PHP started and
 * changes later. Some KB for each such extension; nothing where there is none. */
#ifndef HOWDAH_STATE_WATCH_H
#define HOWDAH_STATE_WATCH_H

#include "../segments.h"

/* Watches what the object that holds this address may write to and is no state block, for the extension of this name. 0, or -1
 * with a message. */
int howdah_watch_add(const void *inside, const char *extension, char *error, size_t error_size);
bool howdah_watch_is_on(void);
/* The first change that is not shared on purpose since the last look: the extension's name, and the place ("counter
 * (.bss+0x10)"), which is written to place. NULL: none. An extension that has changed something is watched no more. */
const char *howdah_watch_look(char *place, size_t place_size);
void howdah_watch_free(void);

#endif
