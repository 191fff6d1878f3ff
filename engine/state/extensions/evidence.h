/* Evidence about an extension that Howdah has never seen: what of its writable memory could be a request's state?
 *
 * From all that it may write to, this takes away what is a state block (its registered globals), its module entry, what is
 * shared on purpose, the linker's and the compiler's own words, function tables, and what no code of it refers to. What is left
 * and was written while PHP started (class entries, handlers, resource types) is *made*: it may stay as it is, and is watched.
 * What is left and was not written yet is *suspect*: its code will write it while a request runs, or never.
 *
 * References are found in the machine code (x86-64: each instruction that reaches memory relative to itself; one that only
 * reads does not count) and among its relocations. On other processors all that is left counts as referred to. */
#ifndef HOWDAH_STATE_EVIDENCE_H
#define HOWDAH_STATE_EVIDENCE_H

#include "../segments.h"

typedef struct {
  char *address;
  size_t size;
} howdah_suspect;

/* Finds the suspects of the object that holds this address: at most max are written, all are counted. -1 with a message when
 * the file of the object cannot be read, or memory is short. */
int howdah_evidence_suspects(const void *inside, howdah_suspect *list, size_t max, char *error, size_t error_size);

#endif
