/* Writable memory of loaded libraries. See segments.h. */
#include "segments.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WORD = 8 };

typedef struct {
  howdah_segments *segments;
  uintptr_t inside;
  const char *name; /* in place of inside */
  bool found, out_of_memory;
} lookup;

static bool object_holds(const struct dl_phdr_info *object, uintptr_t address) {
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *header = &object->dlpi_phdr[i];
    uintptr_t start = object->dlpi_addr + header->p_vaddr;
    if (header->p_type == PT_LOAD && address >= start && address < start + header->p_memsz) return true;
  }
  return false;
}

/* Where the part begins that is still writable: the dynamic linker protects whole pages only (glibc, _dl_protect_relro). */
static uintptr_t after_relro(const struct dl_phdr_info *object, uintptr_t start, uintptr_t end) {
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *header = &object->dlpi_phdr[i];
    uintptr_t relro = object->dlpi_addr + header->p_vaddr;
    uintptr_t relro_end = (relro + header->p_memsz) & ~(page - 1);
    if (header->p_type == PT_GNU_RELRO && relro <= start && relro_end > start) return relro_end < end ? relro_end : end;
  }
  return start;
}

const ElfW(Dyn) * howdah_dynamic_entry(const struct dl_phdr_info *object, ElfW(Sxword) tag) {
  for (int i = 0; i < object->dlpi_phnum; i++) {
    if (object->dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    const ElfW(Dyn) *entry = (const void *)(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
    for (; entry->d_tag != DT_NULL; entry++)
      if (entry->d_tag == tag) return entry;
  }
  return NULL;
}

/* The slots through which an object calls functions of others: all that its DT_JMPREL names, and before them what the linker puts
 * there for itself (DT_PLTGOT). Both 0: it has none. */
static void find_slots(const struct dl_phdr_info *object, uintptr_t *start, uintptr_t *end) {
  const ElfW(Dyn) *jumps = howdah_dynamic_entry(object, DT_JMPREL), *bytes = howdah_dynamic_entry(object, DT_PLTRELSZ);
  const ElfW(Dyn) *table = howdah_dynamic_entry(object, DT_PLTGOT);
  *start = *end = 0;
  if (!jumps || !bytes || !bytes->d_un.d_val) return;
  const ElfW(Rela) *slots = (const void *)jumps->d_un.d_ptr;
  *start = table ? table->d_un.d_ptr : UINTPTR_MAX;
  for (size_t i = 0; i < bytes->d_un.d_val / sizeof(*slots); i++) {
    uintptr_t slot = object->dlpi_addr + slots[i].r_offset;
    if (slot < *start) *start = slot;
    if (slot + sizeof(void *) > *end) *end = slot + sizeof(void *);
  }
}

static bool append(howdah_segments *segments, const char *path, uintptr_t base, uintptr_t start, uintptr_t end,
                   bool of_thread) {
  howdah_segment *items = realloc(segments->items, (segments->count + 1) * sizeof(*items));
  if (!items) return false;
  segments->items = items;
  char *own_path = strdup(*path ? path : "/proc/self/exe");
  if (!own_path) return false;
  howdah_segment *segment = &items[segments->count++];
  const char *slash = strrchr(path, '/');
  *segment =
      (howdah_segment){.start = (char *)start, .size = end - start, .path = own_path, .base = base, .of_thread = of_thread};
  snprintf(segment->object, sizeof(segment->object), "%s", *path ? (slash ? slash + 1 : path) : "the program itself");
  return true;
}

/* What the compiler calls for a thread-local variable (ELF Handling For Thread-Local Storage, 3.4): gives the thread the object's block
 * if it has none yet. */
typedef struct {
  unsigned long module, offset;
} tls_index;
extern void *__tls_get_addr(tls_index *index);

static bool add_thread_local(howdah_segments *segments, const struct dl_phdr_info *object) {
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *header = &object->dlpi_phdr[i];
    if (header->p_type != PT_TLS || !object->dlpi_tls_modid) continue;
    tls_index index = {object->dlpi_tls_modid, 0};
    uintptr_t start = (uintptr_t)__tls_get_addr(&index), end = (start + header->p_memsz) & ~(uintptr_t)(WORD - 1);
    if (start >= end || howdah_segments_find(segments, (void *)start)) continue;
    if (!append(segments, object->dlpi_name, start - header->p_vaddr, start, end, true)) return false;
  }
  return true;
}

static bool add_part(howdah_segments *segments, const struct dl_phdr_info *object, uintptr_t start, uintptr_t end) {
  if (start >= end || howdah_segments_find(segments, (void *)start)) return true;
  return append(segments, object->dlpi_name, object->dlpi_addr, start, end, false);
}

static bool is_named(const struct dl_phdr_info *object, const char *name) {
  const char *slash = strrchr(object->dlpi_name, '/');
  return strncmp(slash ? slash + 1 : object->dlpi_name, name, strlen(name)) == 0;
}

static int visit(struct dl_phdr_info *object, size_t size, void *data) {
  lookup *look = data;
  (void)size;
  if (look->name ? !is_named(object, look->name) : !object_holds(object, look->inside)) return 0;
  look->found = true;
  uintptr_t slots, slots_end;
  find_slots(object, &slots, &slots_end);
  for (int i = 0; i < object->dlpi_phnum && !look->out_of_memory; i++) {
    const ElfW(Phdr) *header = &object->dlpi_phdr[i];
    if (header->p_type != PT_LOAD || !(header->p_flags & PF_W)) continue;
    uintptr_t start = object->dlpi_addr + header->p_vaddr;
    uintptr_t end = start + header->p_memsz;
    start = (after_relro(object, start, end) + WORD - 1) & ~(uintptr_t)(WORD - 1);
    end &= ~(uintptr_t)(WORD - 1);
    bool has_slots = slots < end && slots_end > start;
    look->out_of_memory = !add_part(look->segments, object, start, has_slots ? slots : end) ||
                          (has_slots && !add_part(look->segments, object, slots_end, end));
  }
  if (!look->out_of_memory && !add_thread_local(look->segments, object)) look->out_of_memory = true;
  return !look->name || look->out_of_memory;
}

int howdah_segments_add(howdah_segments *segments, const void *inside, char *error, size_t error_size) {
  lookup look = {.segments = segments, .inside = (uintptr_t)inside};
  dl_iterate_phdr(visit, &look);
  if (look.out_of_memory) {
    snprintf(error, error_size, "howdah: out of memory for a list of library segments");
    return -1;
  }
  if (!look.found) {
    snprintf(error, error_size, "howdah: no loaded library holds the address %p", inside);
    return -1;
  }
  return 0;
}

int howdah_segments_add_named(howdah_segments *segments, const char *name, char *error, size_t error_size) {
  lookup look = {.segments = segments, .name = name};
  dl_iterate_phdr(visit, &look);
  if (!look.out_of_memory) return 0;
  snprintf(error, error_size, "howdah: out of memory for a list of library segments");
  return -1;
}

int howdah_segments_copy(howdah_segments *segments, char *error, size_t error_size) {
  for (size_t i = 0; i < segments->count; i++) {
    howdah_segment *segment = &segments->items[i];
    if (!segment->copy) segment->copy = malloc(segment->size);
    if (!segment->copy) {
      snprintf(error, error_size, "howdah: out of memory for a copy of %s (%zu bytes)", segment->object, segment->size);
      return -1;
    }
    memcpy(segment->copy, segment->start, segment->size);
  }
  return 0;
}

void howdah_segments_compare(const howdah_segments *segments,
                             void (*changed)(const howdah_segment *segment, const void *now, const void *before, void *data),
                             void *data) {
  for (size_t i = 0; i < segments->count; i++) {
    const howdah_segment *segment = &segments->items[i];
    if (!segment->copy) continue;
    for (size_t at = 0; at < segment->size; at += WORD)
      if (memcmp(segment->start + at, segment->copy + at, WORD) != 0)
        changed(segment, segment->start + at, segment->copy + at, data);
  }
}

const howdah_segment *howdah_segments_find(const howdah_segments *segments, const void *address) {
  for (size_t i = 0; i < segments->count; i++) {
    const howdah_segment *segment = &segments->items[i];
    if ((const char *)address >= segment->start && (const char *)address < segment->start + segment->size) return segment;
  }
  return NULL;
}

void howdah_segments_free(howdah_segments *segments) {
  for (size_t i = 0; i < segments->count; i++) {
    free(segments->items[i].copy);
    free(segments->items[i].path);
  }
  free(segments->items);
  *segments = (howdah_segments){0};
}
