/* Objects that the linker has loaded: see loaded.h. */
#include "loaded.h"

#include <string.h>

#if defined(__x86_64__)
enum { CALL = R_X86_64_JUMP_SLOT, ADDRESS = R_X86_64_GLOB_DAT, POINTER = R_X86_64_64, RELATIVE = R_X86_64_RELATIVE };
#elif defined(__aarch64__)
enum { CALL = R_AARCH64_JUMP_SLOT, ADDRESS = R_AARCH64_GLOB_DAT, POINTER = R_AARCH64_ABS64, RELATIVE = R_AARCH64_RELATIVE };
#else
#error "howdah knows the relocations of x86-64 and arm64 only: add this machine's to engine/state/loaded.c"
#endif

/* ---- Parts --------------------------------------------------------------------------------------------------------------- */

const ElfW(Phdr) * howdah_loaded_part(const struct dl_phdr_info *object, const ElfW(Phdr) * after, ElfW(Word) type) {
  const ElfW(Phdr) *end = object->dlpi_phdr + object->dlpi_phnum;
  for (const ElfW(Phdr) *part = after ? after + 1 : object->dlpi_phdr; part < end; part++)
    if (part->p_type == type) return part;
  return NULL;
}

uintptr_t howdah_loaded_start(const struct dl_phdr_info *object, const ElfW(Phdr) * part) {
  return object->dlpi_addr + part->p_vaddr;
}

const ElfW(Phdr) * howdah_loaded_part_at(const struct dl_phdr_info *object, ElfW(Word) type, const void *address) {
  uintptr_t inside = (uintptr_t)address - object->dlpi_addr;
  const ElfW(Phdr) *end = object->dlpi_phdr + object->dlpi_phnum;
  for (const ElfW(Phdr) *part = object->dlpi_phdr; part < end; part++)
    if (part->p_type == type && inside - part->p_vaddr < part->p_memsz) return part;
  return NULL;
}

bool howdah_loaded_holds(const struct dl_phdr_info *object, const void *address) {
  return howdah_loaded_part_at(object, PT_LOAD, address) != NULL;
}

typedef struct {
  const void *inside;
  struct dl_phdr_info *found;
} search;

static int look_at(struct dl_phdr_info *object, size_t size, void *data) {
  const search *self = data;
  (void)size;
  if (!howdah_loaded_holds(object, self->inside)) return 0;
  *self->found = *object;
  return 1;
}

bool howdah_loaded_find(const void *inside, struct dl_phdr_info *found) {
  return dl_iterate_phdr(look_at, &(search){inside, found}) != 0;
}

const char *howdah_loaded_name(const struct dl_phdr_info *object) {
  if (!object->dlpi_name) return "";
  const char *slash = strrchr(object->dlpi_name, '/');
  return slash ? slash + 1 : object->dlpi_name;
}

/* ---- The dynamic section ------------------------------------------------------------------------------------------------- */

const ElfW(Dyn) * howdah_loaded_dynamic(const struct dl_phdr_info *object) {
  const ElfW(Phdr) *part = howdah_loaded_part(object, NULL, PT_DYNAMIC);
  return part ? (const void *)howdah_loaded_start(object, part) : NULL;
}

const ElfW(Dyn) * howdah_loaded_entry(const struct dl_phdr_info *object, ElfW(Sxword) tag) {
  for (const ElfW(Dyn) *entry = howdah_loaded_dynamic(object); entry && entry->d_tag != DT_NULL; entry++)
    if (entry->d_tag == tag) return entry;
  return NULL;
}

/* ---- Relocations --------------------------------------------------------------------------------------------------------- */

static howdah_relocation_kind kind_of(unsigned long type) {
  switch (type) {
  case CALL:
    return HOWDAH_RELOCATION_CALL;
  case ADDRESS:
    return HOWDAH_RELOCATION_ADDRESS;
  case POINTER:
    return HOWDAH_RELOCATION_POINTER;
  case RELATIVE:
    return HOWDAH_RELOCATION_RELATIVE;
  default:
    return HOWDAH_RELOCATION_OTHER;
  }
}

static bool visit_table(const struct dl_phdr_info *object, unsigned kinds, bool for_calls, howdah_relocation_visitor *visit,
                        void *data) {
  const ElfW(Dyn) *table = howdah_loaded_entry(object, for_calls ? DT_JMPREL : DT_RELA);
  const ElfW(Dyn) *bytes = howdah_loaded_entry(object, for_calls ? DT_PLTRELSZ : DT_RELASZ);
  const ElfW(Dyn) *symbols = howdah_loaded_entry(object, DT_SYMTAB), *strings = howdah_loaded_entry(object, DT_STRTAB);
  if (!table || !bytes) return true;
  const ElfW(Rela) *first = (const void *)table->d_un.d_ptr, *end = first + bytes->d_un.d_val / sizeof(*first);
  for (const ElfW(Rela) *each = first; each < end; each++) {
    howdah_relocation_kind kind = kind_of(ELF64_R_TYPE(each->r_info));
    if (!(kinds & kind)) continue;
    const ElfW(Sym) *symbol = symbols ? (const ElfW(Sym) *)symbols->d_un.d_ptr + ELF64_R_SYM(each->r_info) : NULL;
    howdah_relocation relocation = {
        .kind = kind,
        .for_calls = for_calls,
        .at = (void **)(object->dlpi_addr + each->r_offset),
        .addend = each->r_addend,
        .symbol = symbol,
        .name = symbol && strings ? (const char *)strings->d_un.d_ptr + symbol->st_name : "",
    };
    if (!visit(object, &relocation, data)) return false;
  }
  return true;
}

bool howdah_loaded_relocations(const struct dl_phdr_info *object, unsigned kinds, howdah_relocation_visitor *visit,
                               void *data) {
  return visit_table(object, kinds, true, visit, data) && visit_table(object, kinds, false, visit, data);
}
