/* PHP's heap as memory: its chunks, and which of their pages are in use. What zend_alloc.c keeps for itself is found by its
 * effect, or checked before it is believed. */
#ifndef HOWDAH_STATE_CHUNKS_H
#define HOWDAH_STATE_CHUNKS_H

#include <stdbool.h>
#include <stddef.h>

/* Takes all pages of the heap's chunks that are free, so that whoever calls knows which they are: none is touched, and the heap
 * gets no memory from the kernel. For free() and howdah_chunks_give(); in the order of memory within a chunk. NULL: there is
 * none (*count is 0), or no memory for the list, or the heap is not as it is known. */
char **howdah_chunks_take(void *heap, size_t *count);
/* Gives them back, and frees the list. */
void howdah_chunks_give(void *heap, char **pages, size_t count);
/* Calls visit() for each chunk that is in use (cached false) or kept for later, until it says false. Chunks may be unmapped in
 * it. False: it said so, or the heap is not as it is known. */
bool howdah_chunks_visit(void *heap, bool (*visit)(char *chunk, bool cached, void *data), void *data);
/* The same for blocks that are mapped by themselves (2 MB and more). */
bool howdah_chunks_visit_huge(void *heap, bool (*visit)(char *block, size_t bytes, void *data), void *data);

/* What is allocated from now on lies on pages of its own: free places among what is there are given up until the heap ends.
 * False where PHP's heap is not as it is known: then nothing was done. */
bool howdah_chunks_seal(void *heap);

#endif
