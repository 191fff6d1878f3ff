/* The table of state blocks. See block.h for the invariants, sources.c for what is in it. */
#include "block.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static howdah_block blocks[HOWDAH_BLOCKS_MAX];
static size_t blocks_count;

int howdah_blocks_add(howdah_block block, char *error, size_t error_size) {
  if (block.size == 0) return 0;
  for (size_t i = 0; i < blocks_count; i++)
    if (block.address < blocks[i].address + blocks[i].size && blocks[i].address < block.address + block.size) {
      /* A module may register an exported struct as its globals (session, random): once is enough. */
      if (block.address >= blocks[i].address && block.address + block.size <= blocks[i].address + blocks[i].size) {
        if (block.birth && !blocks[i].birth) blocks[i].birth = block.birth, blocks[i].death = block.death;
        return 0;
      }
      snprintf(error, error_size,
               "howdah: PHP's state blocks %s and %s overlap; this PHP build is not supported yet, please report it",
               block.name, blocks[i].name);
      return -1;
    }
  if (blocks_count == HOWDAH_BLOCKS_MAX) {
    snprintf(error, error_size, "howdah: more than %d state blocks; leave out PHP extensions that you do not need",
             HOWDAH_BLOCKS_MAX);
    return -1;
  }
  blocks[blocks_count++] = block;
  return 0;
}

static int block_compare(const void *a, const void *b) {
  const howdah_block *x = a, *y = b;
  return x->address < y->address ? -1 : x->address > y->address;
}

void howdah_blocks_sort(void) {
  qsort(blocks, blocks_count, sizeof(*blocks), block_compare);
}

howdah_block *howdah_blocks_table(size_t *count) {
  *count = blocks_count;
  return blocks;
}

const howdah_block *howdah_blocks_all(size_t *count) {
  *count = blocks_count;
  return blocks;
}

const howdah_block *howdah_blocks_find(const void *address) {
  size_t low = 0, high = blocks_count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if ((const char *)address < blocks[middle].address)
      high = middle;
    else if ((const char *)address >= blocks[middle].address + blocks[middle].size)
      low = middle + 1;
    else
      return &blocks[middle];
  }
  return NULL;
}

void howdah_blocks_empty(void) {
  blocks_count = 0;
}
