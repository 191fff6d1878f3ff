/* The sources of state blocks: exported symbols, module globals, extensions that register nothing, hidden statics. */
#ifndef HOWDAH_STATE_SOURCES_H
#define HOWDAH_STATE_SOURCES_H

#include <stddef.h>

/* Fills the table (block.h) from them, but for the block named `without` (a test's lever: NULL in production), and takes the base
 * image. After PHP's module startup, outside any request. 0, or -1 with a message. */
int howdah_blocks_build(const char *without, char *error, size_t error_size);
void howdah_blocks_free(void);

#endif
