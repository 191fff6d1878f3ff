/* Reads machine code for references to memory. See code.h. */
#include "code.h"
#include "instruction.h"
#include "../php_headers.h"
#include "../loaded.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)

/* ---- Functions ----------------------------------------------------------------------------------------------------------- */

enum { STARTS_MODULES = 1, HAS_CALLER = 2, CALLED_LATER = 4 };

typedef struct {
  const unsigned char *start;
  unsigned what;
} function;

typedef struct {
  function *caller, *callee;
} call;

typedef struct {
  const struct dl_phdr_info *object;
  function *functions; /* in the order of memory */
  size_t count;
  call *calls; /* from one function to the beginning of another */
  size_t calls_count, calls_room;
  bool short_of_memory;
} program;

/* .eh_frame_hdr (Linux Standard Base, Exception Frames): a sorted table of pairs, function and frame, relative to the header. */
static bool read_functions(program *self) {
  enum { HEADER = 12, SIGNED_4 = 0x0b, RELATIVE_TO_HEADER = 0x30, UNSIGNED_4 = 0x03 };
  const ElfW(Phdr) *part = howdah_loaded_part(self->object, NULL, PT_GNU_EH_FRAME);
  uint32_t count;
  if (!part || part->p_memsz < HEADER) return true;
  const unsigned char *table = (const unsigned char *)howdah_loaded_start(self->object, part);
  if (table[0] != 1 || table[2] != UNSIGNED_4 || table[3] != (RELATIVE_TO_HEADER | SIGNED_4)) return true;
  memcpy(&count, table + 8, sizeof(count));
  if (count > (part->p_memsz - HEADER) / 8) return true;
  self->functions = calloc(count + 1, sizeof(*self->functions));
  if (!self->functions) return false;
  for (uint32_t i = 0; i < count; i++) {
    int32_t distance;
    memcpy(&distance, table + HEADER + 8 * (size_t)i, sizeof(distance));
    self->functions[i].start = table + distance;
  }
  self->count = count;
  return true;
}

/* The one that holds this address: the last that begins before it. */
static function *function_at(const program *self, const unsigned char *address) {
  size_t low = 0, high = self->count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (self->functions[middle].start <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low ? &self->functions[low - 1] : NULL;
}

typedef void visitor(program *self, const unsigned char *code, const howdah_instruction *instruction, void *data);

/* One instruction after the other. What is none is skipped by a byte; at the next function at the latest this is in step
 * again. */
static void read_code(program *self, const unsigned char *code, const unsigned char *end, visitor *visit, void *data) {
  const function *known = self->functions, *last = self->functions + self->count;
  howdah_instruction instruction;
  while (code < end) {
    while (known < last && known->start <= code)
      known++;
    size_t room = (size_t)((known < last && known->start < end ? known->start : end) - code);
    if (!howdah_instruction_read(code, room, &instruction)) {
      code++;
      continue;
    }
    visit(self, code, &instruction, data);
    code += instruction.bytes;
  }
}

static void each_instruction(program *self, visitor *visit, void *data) {
  const ElfW(Phdr) *part = NULL;
  while ((part = howdah_loaded_part(self->object, part, PT_LOAD))) {
    const unsigned char *code = (const unsigned char *)howdah_loaded_start(self->object, part);
    if (part->p_flags & PF_X) read_code(self, code, code + part->p_memsz, visit, data);
  }
}

static void call_later(const program *self, const unsigned char *address) {
  function *one = function_at(self, address);
  if (one && one->start == address) one->what |= CALLED_LATER;
}

/* In tables of pointers that the linker fills, those for calls among them. */
static bool note_pointer(const struct dl_phdr_info *object, const howdah_relocation *relocation, void *data) {
  uintptr_t value = object->dlpi_addr + (uintptr_t)relocation->addend;
  if (relocation->kind != HOWDAH_RELOCATION_RELATIVE && relocation->symbol) value += relocation->symbol->st_value;
  call_later(data, (const unsigned char *)value);
  return true;
}

static void add_call(program *self, function *caller, function *callee) {
  if (self->calls_count == self->calls_room) {
    size_t room = self->calls_room ? 2 * self->calls_room : 1024;
    call *larger = realloc(self->calls, room * sizeof(*larger));
    if (!larger) {
      self->short_of_memory = true;
      return;
    }
    self->calls = larger;
    self->calls_room = room;
  }
  self->calls[self->calls_count++] = (call){caller, callee};
}

/* Who calls whom; and one whose address is taken may be called from anywhere. */
static void note_calls(program *self, const unsigned char *code, const howdah_instruction *instruction, void *data) {
  (void)data;
  if (instruction->taken) call_later(self, instruction->taken);
  if (!instruction->goes_to) return;
  function *callee = function_at(self, instruction->goes_to), *caller = function_at(self, code);
  if (callee && caller && callee != caller && callee->start == instruction->goes_to) add_call(self, caller, callee);
}

static bool follow_calls(const program *self) {
  bool changed = false;
  for (size_t i = 0; i < self->calls_count; i++) {
    function *callee = self->calls[i].callee;
    unsigned what = callee->what | HAS_CALLER;
    if (!(self->calls[i].caller->what & STARTS_MODULES)) what |= CALLED_LATER;
    if (what != callee->what) changed = true;
    callee->what = what;
  }
  return changed;
}

static void mark_startup_functions(const program *self) {
  zend_module_entry *module;
  ZEND_HASH_FOREACH_PTR(&module_registry, module) {
    const unsigned char *startup = (const unsigned char *)(uintptr_t)module->module_startup_func;
    function *one = startup ? function_at(self, startup) : NULL;
    if (one && one->start == startup) one->what |= STARTS_MODULES;
  }
  ZEND_HASH_FOREACH_END();
}

/* Begins with all that may be called only from module startup, and takes away what is called from elsewhere, until nothing
 * changes. */
static void find_startup(program *self) {
  howdah_loaded_relocations(self->object, HOWDAH_RELOCATION_ANY, note_pointer, self);
  each_instruction(self, note_calls, NULL);
  /* Without the list of calls nothing is taken for startup code. */
  if (self->short_of_memory) return;
  for (size_t i = 0; i < self->count; i++)
    if (!(self->functions[i].what & CALLED_LATER)) self->functions[i].what |= STARTS_MODULES;
  for (size_t i = 0; i < self->count; i++)
    self->functions[i].what &= ~(unsigned)CALLED_LATER;
  mark_startup_functions(self);
  while (follow_calls(self)) {
    for (size_t i = 0; i < self->count; i++)
      if (self->functions[i].what & CALLED_LATER) self->functions[i].what &= ~(unsigned)STARTS_MODULES;
    mark_startup_functions(self);
  }
}

/* Nobody's: called in a way that was not understood. */
static bool starts_modules(const program *self, const unsigned char *site) {
  const function *one = function_at(self, site);
  if (!one || !(one->what & STARTS_MODULES)) return false;
  if (one->what & HAS_CALLER) return true;
  zend_module_entry *module;
  ZEND_HASH_FOREACH_PTR(&module_registry, module) {
    if ((const unsigned char *)(uintptr_t)module->module_startup_func == one->start) return true;
  }
  ZEND_HASH_FOREACH_END();
  return false;
}

/* ---- References ---------------------------------------------------------------------------------------------------------- */

typedef struct {
  void (*found)(const void *address, bool writes, bool while_starting, void *data);
  void *data;
} listener;

static void note_references(program *self, const unsigned char *code, const howdah_instruction *instruction, void *data) {
  const listener *tell = data;
  if (instruction->written) tell->found(instruction->written, true, starts_modules(self, code), tell->data);
  if (instruction->taken) tell->found(instruction->taken, false, starts_modules(self, code), tell->data);
}

bool howdah_code_references(const struct dl_phdr_info *object,
                            void (*found)(const void *address, bool writes, bool while_starting, void *data), void *data) {
  program self = {.object = object};
  listener tell = {found, data};
  /* Without the list of functions nothing is taken for startup code. */
  if (read_functions(&self) && self.count) find_startup(&self);
  each_instruction(&self, note_references, &tell);
  free(self.calls);
  free(self.functions);
  return true;
}

#else

bool howdah_code_references(const struct dl_phdr_info *object,
                            void (*found)(const void *address, bool writes, bool while_starting, void *data), void *data) {
  (void)object, (void)found, (void)data;
  return false;
}

#endif
