/* Names for addresses in the memory of a loaded object, from the symbol table of its file (also static variables, where the
 * file was not stripped, or where its debug symbols are installed below /usr/lib/debug). */
#ifndef HOWDAH_STATE_SYMBOLS_H
#define HOWDAH_STATE_SYMBOLS_H

#include "../segments.h"

typedef struct {
  char section[24];  /* ".bss"; empty when the file cannot be read */
  size_t in_section; /* bytes from its start */
  char name[128];    /* empty when no symbol is known there */
  size_t in_symbol;
  size_t size; /* of the symbol */
} howdah_place;

/* Always fills *place, with what can be found out. Reads the file of the object: slow, for messages and reports. */
void howdah_place_of(const howdah_segment *segment, const void *address, howdah_place *place);
/* ".bss+0x18", "counter (.bss+0x18)", "counter+4 (.bss+0x1c)". */
void howdah_place_print(const howdah_place *place, char *text, size_t size);

/* A file in memory, for those who read more of it. NULL data when it cannot be read, or is no ELF file of this machine's kind. */
typedef struct {
  const char *data;
  size_t size;
} howdah_elf;

howdah_elf howdah_elf_open(const char *path);
void howdah_elf_close(howdah_elf *elf);
/* How many bytes it is from this address (as the file counts) to the end of its section; 0: it is in none. */
size_t howdah_elf_section_bytes(const howdah_elf *elf, uintptr_t address);
/* So many bytes at an offset of the file, or NULL when it has not got them. */
const void *howdah_elf_at(const howdah_elf *elf, uint64_t offset, uint64_t size);

#endif
