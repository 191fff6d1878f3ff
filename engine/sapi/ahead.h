/* Where PHP keeps what the end of a request touches, and the beginning of the next one: for ../coroutine/near.h. */
#ifndef HOWDAH_SAPI_AHEAD_H
#define HOWDAH_SAPI_AHEAD_H

#include "../realm/realm.h"

/* In its coroutine, while a request begins: looks again after 1, 2, 4, 8... requests, as tables grow. Nothing yields; where
 * memory is short nothing is known. */
void howdah_ahead_look(howdah_realm *realm);

#endif
