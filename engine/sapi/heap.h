/* What a realm that has served keeps of memory; in its coroutine. */
#ifndef HOWDAH_SAPI_HEAP_H
#define HOWDAH_SAPI_HEAP_H

#include "../realm/realm.h"

/* Tells the realm how large PHP's heap is, and how many possible roots of reference cycles there are. */
void howdah_heap_measure(howdah_realm *realm);
/* Classic mode, between two requests: gives back what the heap keeps for the next one. */
void howdah_heap_trim(howdah_realm *realm);

#endif
