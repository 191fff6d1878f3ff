/* Writable memory of loaded libraries. See segments.h. */
#include "segments.h"
#include "loaded.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WORD = 8 };

typedef struct {
  howdah_segments *segments;
  const void *inside;
  const char *name; /* in place of inside */
  bool found, out_of_memory;
} lookup;

/* Where the part begins that is still writable: the dynamic linker protects whole pages only (glibc, _dl_protect_relro). */
static uintptr_t after_relro(const struct dl_phdr_info *object, uintptr_t start, uintptr_t end) {
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  const ElfW(Phdr) *part = NULL;
  while ((part = howdah_loaded_part(object, part, PT_GNU_RELRO))) {
    uintptr_t relro = howdah_loaded_start(object, part), relro_end = (relro + part->p_memsz) & ~(page - 1);
    if (relro <= start && relro_end > start) return relro_end < end ? relro_end : end;
  }
  return start;
}

/* The slots through which an object calls functions of others: all that its DT_JMPREL names, and before them what the linker puts
 * there for itself (DT_PLTGOT). Both 0: it has none. */
typedef struct {
  uintptr_t start, end;
} slots;

static bool widen(const struct dl_phdr_info *object, const howdah_relocation *relocation, void *data) {
  slots *self = data;
  uintptr_t slot = (uintptr_t)relocation->at;
  const ElfW(Dyn) *table = self->end == 0 ? howdah_loaded_entry(object, DT_PLTGOT) : NULL;
  if (!relocation->for_calls) return false;
  if (self->end == 0) self->start = table ? table->d_un.d_ptr : slot;
  if (slot < self->start) self->start = slot;
  if (slot + sizeof(void *) > self->end) self->end = slot + sizeof(void *);
  return true;
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

/* What the compiler calls for a thread-local variable (ELF Handling For Thread-Local Storage, 3.4): gives the thread the
 * object's block if it has none yet. */
typedef struct {
  unsigned long module, offset;
} tls_index;
extern void *__tls_get_addr(tls_index *index);

static bool add_thread_local(howdah_segments *segments, const struct dl_phdr_info *object) {
  const ElfW(Phdr) *part = howdah_loaded_part(object, NULL, PT_TLS);
  if (!part || !object->dlpi_tls_modid) return true;
  tls_index index = {object->dlpi_tls_modid, 0};
  uintptr_t start = (uintptr_t)__tls_get_addr(&index), end = (start + part->p_memsz) & ~(uintptr_t)(WORD - 1);
  if (start >= end || howdah_segments_find(segments, (void *)start)) return true;
  return append(segments, object->dlpi_name, start - part->p_vaddr, start, end, true);
}

static bool add_part(howdah_segments *segments, const struct dl_phdr_info *object, uintptr_t start, uintptr_t end) {
  if (start >= end || howdah_segments_find(segments, (void *)start)) return true;
  return append(segments, object->dlpi_name, object->dlpi_addr, start, end, false);
}

static int visit(struct dl_phdr_info *object, size_t size, void *data) {
  lookup *look = data;
  (void)size;
  if (look->name ? strncmp(howdah_loaded_name(object), look->name, strlen(look->name)) != 0
                 : !howdah_loaded_holds(object, look->inside))
    return 0;
  look->found = true;
  slots calls = {0, 0};
  bool looked = false;
  const ElfW(Phdr) *part = NULL;
  while (!look->out_of_memory && (part = howdah_loaded_part(object, part, PT_LOAD))) {
    if (!(part->p_flags & PF_W)) continue;
    uintptr_t start = howdah_loaded_start(object, part);
    uintptr_t end = start + part->p_memsz;
    start = (after_relro(object, start, end) + WORD - 1) & ~(uintptr_t)(WORD - 1);
    end &= ~(uintptr_t)(WORD - 1);
    if (howdah_segments_find(look->segments, (void *)start)) continue; /* it is in the list, with what is behind its slots */
    if (!looked) howdah_loaded_relocations(object, HOWDAH_RELOCATION_ANY, widen, &calls);
    looked = true;
    bool has_slots = calls.start < end && calls.end > start;
    look->out_of_memory = !add_part(look->segments, object, start, has_slots ? calls.start : end) ||
                          (has_slots && !add_part(look->segments, object, calls.end, end));
  }
  if (!look->out_of_memory && !add_thread_local(look->segments, object)) look->out_of_memory = true;
  return !look->name || look->out_of_memory;
}

int howdah_segments_add(howdah_segments *segments, const void *inside, char *error, size_t error_size) {
  lookup look = {.segments = segments, .inside = inside};
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
