/* Names for addresses, from ELF files. See symbols.h. */
#include "symbols.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEBUG_FILES "/usr/lib/debug/.build-id"

howdah_elf howdah_elf_open(const char *path) {
  howdah_elf elf = {NULL, 0};
  struct stat status;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return elf;
  if (fstat(fd, &status) == 0 && status.st_size >= (off_t)sizeof(ElfW(Ehdr))) {
    void *data = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (data != MAP_FAILED) elf = (howdah_elf){data, (size_t)status.st_size};
  }
  close(fd);
  const ElfW(Ehdr) *header = (const void *)elf.data;
  if (header && (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
                 header->e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32) ||
                 (header->e_shnum && header->e_shentsize != sizeof(ElfW(Shdr)))))
    howdah_elf_close(&elf);
  return elf;
}

void howdah_elf_close(howdah_elf *elf) {
  if (elf->data) munmap((void *)(uintptr_t)elf->data, elf->size);
  *elf = (howdah_elf){NULL, 0};
}

const void *howdah_elf_at(const howdah_elf *elf, uint64_t offset, uint64_t size) {
  return elf->data && offset <= elf->size && size <= elf->size - offset ? elf->data + offset : NULL;
}

static const ElfW(Shdr) * sections(const howdah_elf *elf, size_t *count) {
  const ElfW(Ehdr) *header = howdah_elf_at(elf, 0, sizeof(*header));
  *count = header ? header->e_shnum : 0;
  return header ? howdah_elf_at(elf, header->e_shoff, *count * sizeof(ElfW(Shdr))) : NULL;
}

/* A string that ends within its table. */
static const char *text_at(const howdah_elf *elf, const ElfW(Shdr) * table, uint64_t at) {
  const char *strings = howdah_elf_at(elf, table->sh_offset, table->sh_size);
  if (!strings || at >= table->sh_size || !memchr(strings + at, 0, table->sh_size - at)) return "";
  return strings + at;
}

static const ElfW(Shdr) * section_at(const howdah_elf *elf, uintptr_t address, bool of_thread) {
  size_t count;
  const ElfW(Shdr) *all = sections(elf, &count);
  for (size_t i = 0; all && i < count; i++)
    if ((all[i].sh_flags & SHF_ALLOC) && of_thread == ((all[i].sh_flags & SHF_TLS) != 0) && address >= all[i].sh_addr &&
        address < all[i].sh_addr + all[i].sh_size)
      return &all[i];
  return NULL;
}

size_t howdah_elf_section_bytes(const howdah_elf *elf, uintptr_t address) {
  const ElfW(Shdr) *section = section_at(elf, address, false);
  return section ? section->sh_addr + section->sh_size - address : 0;
}

static void find_section(const howdah_elf *elf, uintptr_t address, bool of_thread, howdah_place *place) {
  size_t count;
  const ElfW(Ehdr) *header = howdah_elf_at(elf, 0, sizeof(*header));
  const ElfW(Shdr) *all = sections(elf, &count), *section = section_at(elf, address, of_thread);
  if (!section) return;
  place->in_section = address - section->sh_addr;
  if (header->e_shstrndx < count)
    snprintf(place->section, sizeof(place->section), "%s", text_at(elf, &all[header->e_shstrndx], section->sh_name));
}

/* Symbols of thread-local variables count from the start of the object's block of them. */
static uintptr_t thread_block(const howdah_elf *elf) {
  const ElfW(Ehdr) *header = howdah_elf_at(elf, 0, sizeof(*header));
  const ElfW(Phdr) *all = header ? howdah_elf_at(elf, header->e_phoff, header->e_phnum * sizeof(*all)) : NULL;
  for (size_t i = 0; all && i < header->e_phnum; i++)
    if (all[i].p_type == PT_TLS) return all[i].p_vaddr;
  return 0;
}

static bool find_symbol(const howdah_elf *elf, uintptr_t address, bool of_thread, howdah_place *place) {
  size_t count;
  const ElfW(Shdr) *all = sections(elf, &count);
  for (size_t i = 0; all && i < count; i++) {
    if ((all[i].sh_type != SHT_SYMTAB && all[i].sh_type != SHT_DYNSYM) || all[i].sh_link >= count) continue;
    const ElfW(Sym) *symbols = howdah_elf_at(elf, all[i].sh_offset, all[i].sh_size);
    for (size_t s = 0; symbols && s < all[i].sh_size / sizeof(*symbols); s++) {
      const ElfW(Sym) *symbol = &symbols[s];
      if (ELF64_ST_TYPE(symbol->st_info) != (of_thread ? STT_TLS : STT_OBJECT) || symbol->st_shndx == SHN_UNDEF ||
          address < symbol->st_value || address >= symbol->st_value + symbol->st_size)
        continue;
      snprintf(place->name, sizeof(place->name), "%s", text_at(elf, &all[all[i].sh_link], symbol->st_name));
      place->in_symbol = address - symbol->st_value;
      place->size = symbol->st_size;
      if (all[i].sh_type == SHT_SYMTAB) return true;
    }
  }
  return place->name[0] != '\0';
}

/* gdb's rule: the first byte of the build id is a folder. */
static howdah_elf open_debug_file(const howdah_elf *elf) {
  size_t count;
  const ElfW(Shdr) *all = sections(elf, &count);
  for (size_t i = 0; all && i < count; i++) {
    if (all[i].sh_type != SHT_NOTE) continue;
    const ElfW(Nhdr) *note = howdah_elf_at(elf, all[i].sh_offset, sizeof(*note));
    if (!note || note->n_type != NT_GNU_BUILD_ID || note->n_namesz != 4 || note->n_descsz < 2 || note->n_descsz > 64) continue;
    const unsigned char *id = howdah_elf_at(elf, all[i].sh_offset + sizeof(*note) + 4, note->n_descsz);
    char path[sizeof(DEBUG_FILES) + 160];
    int at = id ? snprintf(path, sizeof(path), "%s/%02x/", DEBUG_FILES, id[0]) : 0;
    for (unsigned b = 1; id && b < note->n_descsz; b++)
      at += snprintf(path + at, sizeof(path) - (size_t)at, "%02x", id[b]);
    if (!id) continue;
    snprintf(path + at, sizeof(path) - (size_t)at, ".debug");
    return howdah_elf_open(path);
  }
  return (howdah_elf){NULL, 0};
}

void howdah_place_of(const howdah_segment *segment, const void *address, howdah_place *place) {
  uintptr_t in_file = (uintptr_t)address - segment->base;
  *place = (howdah_place){.in_section = in_file};
  howdah_elf elf = howdah_elf_open(segment->path);
  if (!elf.data) return;
  find_section(&elf, in_file, segment->of_thread, place);
  if (segment->of_thread) in_file -= thread_block(&elf);
  if (!find_symbol(&elf, in_file, segment->of_thread, place)) {
    howdah_elf debug = open_debug_file(&elf);
    if (debug.data) find_symbol(&debug, in_file, segment->of_thread, place);
    howdah_elf_close(&debug);
  }
  howdah_elf_close(&elf);
}

void howdah_place_print(const howdah_place *place, char *text, size_t size) {
  char where[64];
  snprintf(where, sizeof(where), "%s+0x%zx", place->section, place->in_section);
  if (!place->name[0])
    snprintf(text, size, "%s", where);
  else if (place->in_symbol)
    snprintf(text, size, "%s+%zu (%s)", place->name, place->in_symbol, where);
  else
    snprintf(text, size, "%s (%s)", place->name, where);
}
