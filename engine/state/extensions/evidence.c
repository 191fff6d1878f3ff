/* What of an extension's memory could be a request's state. See evidence.h. */
#include "evidence.h"
#include "../block.h"
#include "../loaded.h"
#include "code.h"
#include "../php_headers.h"
#include "../audit/shared.h"
#include "../audit/symbols.h"

#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is known of a byte. */
enum { HARMLESS = 1, MADE = 2, REFERRED = 4, WRITTEN = 8, BEGINS = 16 };

enum { WORD = 8 };

/* A segment under examination, with its bytes as the linker left them. */
typedef struct {
  const howdah_segment *segment;
  char *initial;
  unsigned char *marks;
} subject;

typedef struct {
  howdah_segments segments;
  subject *subjects;
  howdah_elf file;
  struct dl_phdr_info object;
} examination;

/* ---- Finding things in the object ---------------------------------------------------------------------------------------- */

static subject *subject_of(const examination *self, uintptr_t address) {
  for (size_t i = 0; i < self->segments.count; i++) {
    const howdah_segment *segment = self->subjects[i].segment;
    if (address >= (uintptr_t)segment->start && address < (uintptr_t)segment->start + segment->size) return &self->subjects[i];
  }
  return NULL;
}

static void mark(const examination *self, const void *from, size_t size, unsigned char what) {
  uintptr_t at = (uintptr_t)from;
  for (size_t i = 0; i < size; i++) {
    subject *one = subject_of(self, at + i);
    if (one) one->marks[at + i - (uintptr_t)one->segment->start] |= what;
  }
}

/* ---- What was written since it was loaded -------------------------------------------------------------------------------- */

static bool read_initial(examination *self) {
  for (size_t i = 0; i < self->segments.count; i++) {
    subject *one = &self->subjects[i];
    uintptr_t start = (uintptr_t)one->segment->start - self->object.dlpi_addr;
    one->initial = calloc(1, one->segment->size);
    one->marks = calloc(1, one->segment->size);
    if (!one->initial || !one->marks) return false;
    if (one->segment->of_thread) continue;
    const ElfW(Phdr) *part = howdah_loaded_part_at(&self->object, PT_LOAD, one->segment->start);
    if (!part || start >= part->p_vaddr + part->p_filesz) continue;
    size_t skipped = start - part->p_vaddr, bytes = part->p_filesz - skipped;
    if (bytes > one->segment->size) bytes = one->segment->size;
    const void *content = howdah_elf_at(&self->file, part->p_offset + skipped, bytes);
    if (!content) return false;
    memcpy(one->initial, content, bytes);
  }
  return true;
}

/* The linker wrote these words: what it wrote is their initial value. Where one points into writable memory, code reaches it
 * that way: a variable that the object exports, as any is that was not declared static or hidden, is reached through a slot
 * with its address. */
static bool note_linked(const struct dl_phdr_info *object, const howdah_relocation *relocation, void *data) {
  examination *self = data;
  uintptr_t place = (uintptr_t)relocation->at, value = object->dlpi_addr + (uintptr_t)relocation->addend;
  bool relative = relocation->kind == HOWDAH_RELOCATION_RELATIVE;
  if (relative && value != place) mark(self, (void *)value, 1, REFERRED);
  if (relocation->kind == HOWDAH_RELOCATION_ADDRESS) mark(self, *relocation->at, 1, REFERRED);
  subject *one = subject_of(self, place);
  size_t at = one ? place - (uintptr_t)one->segment->start : 0;
  if (!one || at + sizeof(value) > one->segment->size) return true;
  if (relative)
    memcpy(one->initial + at, &value, sizeof(value));
  else
    mark(self, relocation->at, WORD, HARMLESS);
  /* __dso_handle, which the compiler gives each object, points to itself. */
  if (relative && value == place) mark(self, relocation->at, WORD, HARMLESS);
  return true;
}

static void mark_made(examination *self) {
  howdah_loaded_relocations(&self->object, HOWDAH_RELOCATION_ANY, note_linked, self);
  for (size_t i = 0; i < self->segments.count; i++) {
    subject *one = &self->subjects[i];
    for (size_t at = 0; at < one->segment->size; at++)
      if (one->segment->start[at] != one->initial[at]) one->marks[at] |= MADE;
  }
}

/* ---- What is known to be harmless ---------------------------------------------------------------------------------------- */

static void mark_functions(examination *self, const zend_function_entry *functions) {
  const zend_function_entry *end = functions;
  while (end && end->fname)
    end++;
  if (functions) mark(self, functions, (size_t)((const char *)(end + 1) - (const char *)functions), HARMLESS);
}

/* A struct that began as a copy of the standard handlers of objects still has most of them. */
static void mark_handlers(examination *self) {
  void *const *standard = (void *const *)&std_object_handlers;
  enum { HANDLERS = sizeof(zend_object_handlers) / sizeof(void *) };
  for (size_t i = 0; i < self->segments.count; i++) {
    const howdah_segment *segment = self->subjects[i].segment;
    for (size_t at = 0; at + sizeof(zend_object_handlers) <= segment->size; at += WORD) {
      void *const *words = (void *const *)(segment->start + at);
      int same = 0;
      for (int w = 0; w < HANDLERS; w++)
        same += standard[w] != NULL && words[w] == standard[w];
      if (same >= HANDLERS / 3) mark(self, words, sizeof(zend_object_handlers), HARMLESS);
    }
  }
}

/* `completed.0` of crtstuff.c: the flag that the object's first destructor tests, in an instruction that no other code begins
 * with. */
static void mark_completed(examination *self) {
  const ElfW(Dyn) *array = howdah_loaded_entry(&self->object, DT_FINI_ARRAY),
                  *bytes = howdah_loaded_entry(&self->object, DT_FINI_ARRAYSZ);
  if (!array || !bytes || bytes->d_un.d_val < sizeof(void *)) return;
  const unsigned char *code = *(const unsigned char *const *)(self->object.dlpi_addr + array->d_un.d_ptr);
#if defined(__x86_64__)
  for (int at = 0; code && at < 16; at++) {
    int32_t distance;
    if (code[at] != 0x80 || code[at + 1] != 0x3d) continue; /* cmpb $0, completed(%rip) */
    memcpy(&distance, code + at + 2, sizeof(distance));
    mark(self, code + at + 7 + distance, 1, HARMLESS);
    return;
  }
#else
  (void)code;
#endif
}

/* Between sections there is nothing; code that walks over one has the address of its end. */
static void mark_gaps(examination *self) {
  for (size_t i = 0; i < self->segments.count; i++) {
    subject *one = &self->subjects[i];
    for (size_t at = 0; at < one->segment->size && !one->segment->of_thread;) {
      size_t in_section = howdah_elf_section_bytes(&self->file, (uintptr_t)one->segment->start + at - self->object.dlpi_addr);
      if (!in_section) one->marks[at] |= HARMLESS;
      at += in_section ? in_section : 1;
    }
  }
}

static void mark_harmless(examination *self) {
  for (size_t i = 0; i < self->segments.count; i++) {
    subject *one = &self->subjects[i];
    for (size_t at = 0; at < one->segment->size; at++)
      if (howdah_blocks_find(one->segment->start + at) || howdah_shared_at(one->segment, one->segment->start + at))
        one->marks[at] |= HARMLESS;
  }
  zend_module_entry *module;
  ZEND_HASH_FOREACH_PTR(&module_registry, module) {
    mark(self, module, sizeof(*module), HARMLESS);
    mark_functions(self, module->functions);
  }
  ZEND_HASH_FOREACH_END();
  zend_class_entry *class;
  ZEND_HASH_FOREACH_PTR(CG(class_table), class) {
    if (class->type == ZEND_INTERNAL_CLASS) mark_functions(self, class->info.internal.builtin_functions);
  }
  ZEND_HASH_FOREACH_END();
  mark_gaps(self);
  mark_handlers(self);
  mark_completed(self);
}

/* ---- What code refers to ------------------------------------------------------------------------------------------------- */

/* What only module startup refers to has been written by then, be it a zero into what was zero. It still begins something: what
 * lies before it ends here. */
static void note_reference(const void *address, bool writes, bool while_starting, void *data) {
  mark(data, address, 1, while_starting ? BEGINS : writes ? WRITTEN : REFERRED);
}

static void mark_references(examination *self) {
  if (howdah_code_references(&self->object, note_reference, self)) return;
  for (size_t i = 0; i < self->segments.count; i++)
    for (size_t at = 0; at < self->subjects[i].segment->size; at++)
      self->subjects[i].marks[at] |= WRITTEN;
}

/* ---- The answer ---------------------------------------------------------------------------------------------------------- */

/* From one place that code refers to as far as the next. */
static size_t extent(const subject *one, size_t from) {
  size_t to = from + 1;
  while (to < one->segment->size && !(one->marks[to] & (HARMLESS | REFERRED | WRITTEN | BEGINS)))
    to++;
  return to - from;
}

/* Nothing of it has been written, code writes to it, or has its address where there were only zeros: a table with a content was
 * meant to be one. */
static bool is_suspect(const subject *one, size_t from, size_t size) {
  bool zero = true;
  if (one->marks[from] & HARMLESS) return false;
  for (size_t at = from; at < from + size; at++) {
    if (one->marks[at] & MADE) return false;
    if (one->initial[at]) zero = false;
  }
  return (one->marks[from] & WRITTEN) || zero;
}

static int list_suspects(const examination *self, howdah_suspect *list, size_t max) {
  size_t count = 0;
  for (size_t i = 0; i < self->segments.count; i++) {
    const subject *one = &self->subjects[i];
    if (one->segment->of_thread) {
      /* Code reaches these in other ways; they are few, and hardly ever harmless. */
      if (count < max) list[count] = (howdah_suspect){one->segment->start, one->segment->size};
      count++;
      continue;
    }
    for (size_t at = 0; at < one->segment->size; at++) {
      if (!(one->marks[at] & (REFERRED | WRITTEN))) continue;
      size_t size = extent(one, at);
      if (!is_suspect(one, at, size)) continue;
      if (count < max) list[count] = (howdah_suspect){one->segment->start + at, size};
      count++;
    }
  }
  return (int)count;
}

static void examination_free(examination *self) {
  for (size_t i = 0; self->subjects && i < self->segments.count; i++) {
    free(self->subjects[i].initial);
    free(self->subjects[i].marks);
  }
  free(self->subjects);
  howdah_elf_close(&self->file);
  howdah_segments_free(&self->segments);
}

int howdah_evidence_suspects(const void *inside, howdah_suspect *list, size_t max, char *error, size_t error_size) {
  examination self = {0};
  int count = -1;
  if (!howdah_loaded_find(inside, &self.object) || howdah_segments_add(&self.segments, inside, error, error_size) < 0) {
    snprintf(error, error_size, "no loaded file holds it");
    return -1;
  }
  self.subjects = calloc(self.segments.count + 1, sizeof(*self.subjects));
  self.file = howdah_elf_open(self.object.dlpi_name);
  for (size_t i = 0; self.subjects && i < self.segments.count; i++)
    self.subjects[i].segment = &self.segments.items[i];
  if (!self.file.data) {
    snprintf(error, error_size, "its file %s cannot be read", self.object.dlpi_name);
  } else if (!self.subjects || !read_initial(&self)) {
    snprintf(error, error_size, "its file %s does not agree with what is loaded, or memory is short", self.object.dlpi_name);
  } else {
    mark_made(&self);
    mark_harmless(&self);
    mark_references(&self);
    count = list_suspects(&self, list, max);
  }
  examination_free(&self);
  return count;
}
