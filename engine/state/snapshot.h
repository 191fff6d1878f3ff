/* A state as it was at one moment, to be put back: "rewind" (docs/rewind.md).
 *
 * Invariants:
 *  1. All memory of a realm is put back, or none: its heap, its blocks but for those that are kept (below), its tables.
 *  2. What is malloc'ed beneath a block is not put back, and must be as it was: howdah_snapshot_misfit() tells when it is not.
 *     Then the realm must not be rewound.
 *  3. Memory that the heap had then stays mapped as long as the snapshot lives (howdah_snapshot_keeps()).
 *
 * Kept are: blocks of extensions whose request ends and begins between two (the caller sees to that), and what outlives a
 * request in php-fpm's child, too: persistent connections, compiled patterns, numbers of zend_strtod(). */
#ifndef HOWDAH_STATE_SNAPSHOT_H
#define HOWDAH_STATE_SNAPSHOT_H

#include "state.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct howdah_snapshot howdah_snapshot;
struct _zend_ini_entry;
struct howdah_block_copy;

/* Of the state in place, in its coroutine; to be freed before the state dies: parts of its heap would stay mapped. False with a
 * message for the user, who reads "cannot be rewound: " before it: nothing is kept then. */
bool howdah_snapshot_take(howdah_state *state, char *error, size_t error_size);
/* With the state in place: what is not as it was and cannot be put back, in words; NULL: nothing. */
const char *howdah_snapshot_misfit(howdah_state *state);
/* The part of it that looks at what the process has once (process/note.h); nothing is changed. */
const char *howdah_snapshot_process_misfit(howdah_state *state);
/* Puts the memory back. After howdah_snapshot_misfit() has said NULL; what ran since must not have changed what that looks
 * at. */
void howdah_snapshot_put_back(howdah_state *state);
/* One block alone, by its name; NULL: none has it. As long as the snapshot. */
const struct howdah_block_copy *howdah_snapshot_find_block(const howdah_state *state, const char *name);
void howdah_snapshot_put_block_back(const struct howdah_block_copy *copy);
/* After that: calls tell() for each setting that the request had changed, which has its old value already. */
void howdah_snapshot_each_setting(const howdah_state *state, void (*tell)(struct _zend_ini_entry *entry));
/* Whether what PHP is about to unmap has to stay: a chunk of its heap. It is unmapped with the snapshot, where PHP has no use
 * for it then. */
bool howdah_snapshot_keeps(const void *address);
void howdah_snapshot_free(howdah_state *state);
/* Whether the module's blocks are put back, by its lower-case name: else they are kept. */
bool howdah_snapshot_has_module(const char *name);

#endif
