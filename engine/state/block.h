/* State blocks: every piece of PHP's memory that is private to a realm, declared once, in one table.
 *
 * A block is a range of a library's own memory (an exported global, a module's globals, a hidden static). Its bytes live at their
 * usual address while a realm runs, and in the realm's image while another does.
 *
 * Invariants:
 *  1. The table is built once, before the base image is taken, and never changes after.
 *  2. Blocks do not overlap.
 *  3. The base image is PHP's state between module startup and the first request: every realm is born from it. */
#ifndef HOWDAH_STATE_BLOCK_H
#define HOWDAH_STATE_BLOCK_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
  const char *name;
  const char *source; /* where it is defined: "Zend/zend_globals.h" */
  char *address;
  size_t size;
  size_t at; /* its place in an image (image.h) */
  /* What is done beyond copying the base image, with the new realm's other blocks and heap in place; NULL: nothing. */
  void (*birth)(void *address);
  void (*death)(void *address);
  bool rests; /* nothing changes it before somebody says so (howdah_images_wake(), image.h) */
} howdah_block;

enum { HOWDAH_BLOCKS_MAX = 256 };

/* For sources.c, while the table is being built. One that lies in another is there already. 0, or -1 with a message. */
int howdah_blocks_add(howdah_block block, char *error, size_t error_size);
/* In the order in which they were added, until they are sorted. */
howdah_block *howdah_blocks_table(size_t *count);
/* By address, for howdah_blocks_find(): once, when the table is whole. */
void howdah_blocks_sort(void);
void howdah_blocks_empty(void);

const howdah_block *howdah_blocks_all(size_t *count);
/* The block that holds this address, or NULL. */
const howdah_block *howdah_blocks_find(const void *address);

#endif
