/* One instruction of a processor, as far as it tells what code refers to. Read by Zydis, on x86-64. */
#ifndef HOWDAH_STATE_INSTRUCTION_H
#define HOWDAH_STATE_INSTRUCTION_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
  size_t bytes;        /* its length */
  const void *written; /* memory relative to the instruction that it writes to, or NULL */
  const void *taken;   /* the same, whose address it takes */
  const void *goes_to; /* where it calls or jumps, when it says where itself */
} howdah_instruction;

/* Reads the one that begins at code, of at most size bytes. False: there is none, or on this processor none can be read. */
bool howdah_instruction_read(const unsigned char *code, size_t size, howdah_instruction *instruction);

#endif
