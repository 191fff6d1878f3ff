/* What a realm that has served keeps of memory; in its coroutine. */
#ifndef HOWDAH_SAPI_HEAP_H
#define HOWDAH_SAPI_HEAP_H

#include "../realm/realm.h"

/* Tells the realm how large PHP's heap is, and how many possible roots of reference cycles there are. */
void howdah_heap_measure(howdah_realm *realm);
/* Bytes that it has from the kernel, also of a realm that is parked. Async-signal-safe. */
uint64_t howdah_heap_size(const howdah_realm *realm);
/* Classic mode, between two requests: gives back what the heap keeps for the next one. */
void howdah_heap_trim(howdah_realm *realm);
/* Gives the kernel the pages of the heap, and of the stack of PHP's frames, in which nothing is: what booting an application
 * has used and freed. Takes some 100 us; a page that is wanted again costs a page fault. Does not yield. */
void howdah_heap_give_back(void);

#endif
