/* A realm's blocks (block.h) in its snapshot: those that are put back, and the collector's buffer, which one of them points to.
 * For snapshot.c, with the state in place. */
#ifndef HOWDAH_STATE_SNAPSHOT_BLOCKS_H
#define HOWDAH_STATE_SNAPSHOT_BLOCKS_H

#include "php_headers.h"
#include "block.h"
#include "version.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct howdah_block_copy {
  const howdah_block *block;
  char *copy;
} howdah_block_copy;

/* A part of a block that is put back, which itself is not. */
typedef struct {
  void *at;
  size_t bytes;
  char *copy; /* its place in the block's copy; NULL: in none */
} howdah_survivor;

/* A pointer in a block to what malloc() gave. */
typedef struct {
  const howdah_block *block;
  void *const *at;
  const void *was;
} howdah_outward;

enum { HOWDAH_SURVIVORS_MAX = 16, HOWDAH_OUTWARDS_MAX = 1024 };

typedef struct {
  howdah_block_copy *blocks; /* owned */
  size_t count;
  char *bytes; /* theirs; owned */
  howdah_survivor survivors[HOWDAH_SURVIVORS_MAX];
  size_t survivor_count;
  howdah_outward words[HOWDAH_OUTWARDS_MAX];
  size_t word_count;
  void *roots; /* of the collector's buffer; owned */
  howdah_gc_globals *gc;
  howdah_gc_globals gc_was;
} howdah_block_copies;

/* False: no memory, or another allocator; howdah_block_copies_free() then frees what was made. */
bool howdah_block_copies_take(howdah_block_copies *copies);
/* Last, when nothing in them changes any more. */
void howdah_block_copies_fill(howdah_block_copies *copies);
/* The name of a block of which something malloc'ed has changed, which cannot be put back; NULL: none. */
const char *howdah_block_copies_misfit(const howdah_block_copies *copies);
/* All of them. */
void howdah_block_copies_put_back(const howdah_block_copies *copies);
/* The one of that name; NULL: none has it. */
const howdah_block_copy *howdah_block_copies_find(const howdah_block_copies *copies, const char *name);
/* Whether the block of that name is one of those that are put back, on whatever machine. */
bool howdah_block_copies_have(const char *name, size_t length);
void howdah_block_copies_free(howdah_block_copies *copies);

#endif
