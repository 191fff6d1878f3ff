/* What a parked coroutine waits for, in words. */
#ifndef HOWDAH_REALM_SUBJECT_H
#define HOWDAH_REALM_SUBJECT_H

#include "../coroutine/coroutine.h"

/* Writes it, with a zero at its end; what is too long is cut. "" where it is not known. From the main stack, while it is
 * parked: asks the kernel about descriptors. */
void howdah_subject_tell(const howdah_coroutine *coroutine, char *text, size_t size);

#endif
