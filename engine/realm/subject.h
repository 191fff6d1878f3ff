/* What a parked coroutine waits for, in words. */
#ifndef HOWDAH_REALM_SUBJECT_H
#define HOWDAH_REALM_SUBJECT_H

#include "../coroutine/coroutine.h"

/* Writes it, with a zero at its end; what is too long is cut. "" where it is not known. From the main stack, while it is
 * parked: asks the kernel about descriptors. */
void howdah_subject_tell(const howdah_coroutine *coroutine, char *text, size_t size);
/* Who is at the other end, of the first of its descriptors that has a peer. The same. False: none has. */
bool howdah_subject_peer(const howdah_coroutine *coroutine, howdah_peer *peer);

#endif
