/* Objects that the linker has loaded: their parts, their dynamic sections, and what it has filled in for them. The one reader
 * of ELF in memory; files are read by audit/symbols.h. A dl_phdr_info is dl_iterate_phdr()'s, or a copy of it, which is good
 * while its object is loaded. */
#ifndef HOWDAH_STATE_LOADED_H
#define HOWDAH_STATE_LOADED_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The object that holds this address; false: none does. */
bool howdah_loaded_find(const void *inside, struct dl_phdr_info *found);
/* Its file's name without folders; "" for the program itself. */
const char *howdah_loaded_name(const struct dl_phdr_info *object);

/* The next part of this type (PT_LOAD, ...) after that one, or the first (NULL); NULL: there is none. */
const ElfW(Phdr) * howdah_loaded_part(const struct dl_phdr_info *object, const ElfW(Phdr) * after, ElfW(Word) type);
/* Where it begins in memory. */
uintptr_t howdah_loaded_start(const struct dl_phdr_info *object, const ElfW(Phdr) * part);
/* The part of this type that holds the address, or NULL. */
const ElfW(Phdr) * howdah_loaded_part_at(const struct dl_phdr_info *object, ElfW(Word) type, const void *address);
/* Whether the object holds it. */
bool howdah_loaded_holds(const struct dl_phdr_info *object, const void *address);

/* Its dynamic section, which ends with DT_NULL, or NULL. glibc writes absolute addresses into it where it may (not so for the
 * vDSO). */
const ElfW(Dyn) * howdah_loaded_dynamic(const struct dl_phdr_info *object);
/* The first entry of this tag there, or NULL. */
const ElfW(Dyn) * howdah_loaded_entry(const struct dl_phdr_info *object, ElfW(Sxword) tag);

/* A word that the linker fills in. Sets of kinds are sums. */
typedef enum {
  HOWDAH_RELOCATION_CALL = 1,     /* through which the object calls a function of another (JUMP_SLOT) */
  HOWDAH_RELOCATION_ADDRESS = 2,  /* through which it reaches a variable, or a function's address (GLOB_DAT) */
  HOWDAH_RELOCATION_POINTER = 4,  /* a pointer to a symbol in a table of its own */
  HOWDAH_RELOCATION_RELATIVE = 8, /* a pointer into itself */
  HOWDAH_RELOCATION_OTHER = 16,
  HOWDAH_RELOCATION_ANY = 31
} howdah_relocation_kind;

typedef struct {
  howdah_relocation_kind kind;
  bool for_calls; /* it is in the table of those (DT_JMPREL), whatever its kind is */
  void **at;
  ElfW(Sxword) addend;
  const ElfW(Sym) * symbol; /* NULL: the object has none */
  const char *name;         /* of the symbol, which may be "" */
} howdah_relocation;

typedef bool howdah_relocation_visitor(const struct dl_phdr_info *object, const howdah_relocation *relocation, void *data);

/* Calls visit() for each of these kinds, those for calls first, until it is false; then this is false, too. Most of a library's
 * are relative. */
bool howdah_loaded_relocations(const struct dl_phdr_info *object, unsigned kinds, howdah_relocation_visitor *visit, void *data);

#endif
