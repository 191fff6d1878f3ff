/* Reads machine code for references to memory. See code.h. */
#include "code.h"
#include "../php_headers.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)

/* ---- Instructions ------------------------------------------------------------------------------------------------------------------ */

/* Does this instruction only read? code points to the byte that says how memory is reached (ModRM, Intel SDM volume 2, 2.1), with
 * RIP-relative memory. What is not recognised counts as writing. */
static bool only_reads(const unsigned char *code) {
  unsigned char opcode = code[-1], field = (code[0] >> 3) & 7;
  bool two_bytes = code[-2] == 0x0f;
  if (two_bytes) {
    if (opcode >= 0x40 && opcode <= 0x4f) return true; /* cmov */
    switch (opcode) {
    case 0x10: /* movups, movss, movsd */
    case 0x12:
    case 0x16:
    case 0x28: /* movaps */
    case 0x2a: /* cvtsi2sd */
    case 0x2e: /* ucomis */
    case 0x2f:
    case 0x58: /* addsd and its like */
    case 0x59:
    case 0x5c:
    case 0x5e:
    case 0x6e: /* movd */
    case 0x6f: /* movdqa */
    case 0x7e: /* movq from memory (with f3) */
    case 0xaf: /* imul */
    case 0xb6: /* movzx, movsx */
    case 0xb7:
    case 0xbe:
    case 0xbf:
      return opcode != 0x7e || code[-3] == 0xf3 || code[-4] == 0xf3;
    default:
      return false;
    }
  }
  switch (opcode) {
  case 0x02: /* add, or, adc, sbb, and, sub, xor, cmp from memory */
  case 0x03:
  case 0x0a:
  case 0x0b:
  case 0x12:
  case 0x13:
  case 0x1a:
  case 0x1b:
  case 0x22:
  case 0x23:
  case 0x2a:
  case 0x2b:
  case 0x32:
  case 0x33:
  case 0x38: /* cmp */
  case 0x39:
  case 0x3a:
  case 0x3b:
  case 0x63: /* movsxd */
  case 0x69: /* imul */
  case 0x6b:
  case 0x84: /* test */
  case 0x85:
  case 0x8a: /* mov from memory */
  case 0x8b:
    return true;
  case 0x80: /* a group: only its last, cmp, does not write */
  case 0x81:
  case 0x83:
    return field == 7;
  case 0xf6: /* test, mul, div */
  case 0xf7:
    return field == 0 || field >= 4;
  case 0xff: /* call, jmp, push */
    return field == 2 || field == 4 || field == 6;
  default:
    return false;
  }
}

/* Bytes of the constant that follows the address in the instruction. */
static int constant_after(const unsigned char *code) {
  if (code[-2] == 0x0f) return code[-1] == 0xba;
  switch (code[-1]) {
  case 0x80:
  case 0x83:
  case 0xc0:
  case 0xc1:
  case 0xc6:
    return 1;
  case 0x81:
  case 0xc7:
    return code[-2] == 0x66 ? 2 : 4;
  default:
    return 0;
  }
}

/* lea: the address alone. */
static bool takes_address(const unsigned char *code) {
  return code[-1] == 0x8d && code[-2] != 0x0f;
}

/* ---- Functions --------------------------------------------------------------------------------------------------------------------- */

enum { STARTS_MODULES = 1, HAS_CALLER = 2, CALLED_LATER = 4 };

typedef struct {
  const unsigned char *start;
  unsigned what;
} function;

typedef struct {
  const struct dl_phdr_info *object;
  function *functions; /* in the order of memory */
  size_t count;
} program;

/* .eh_frame_hdr (Linux Standard Base, Exception Frames): a sorted table of pairs, function and frame, relative to the header. */
static bool read_functions(program *self) {
  enum { HEADER = 12, SIGNED_4 = 0x0b, RELATIVE_TO_HEADER = 0x30, UNSIGNED_4 = 0x03 };
  for (int p = 0; p < self->object->dlpi_phnum; p++) {
    const ElfW(Phdr) *header = &self->object->dlpi_phdr[p];
    const unsigned char *table = (const unsigned char *)(self->object->dlpi_addr + header->p_vaddr);
    uint32_t count;
    if (header->p_type != PT_GNU_EH_FRAME || header->p_memsz < HEADER || table[0] != 1 || table[2] != UNSIGNED_4 ||
        table[3] != (RELATIVE_TO_HEADER | SIGNED_4))
      continue;
    memcpy(&count, table + 8, sizeof(count));
    if (count > (header->p_memsz - HEADER) / 8) return true;
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

static void each_code(const program *self,
                      void (*look)(const program *self, const unsigned char *code, size_t size, void *data), void *data) {
  for (int p = 0; p < self->object->dlpi_phnum; p++) {
    const ElfW(Phdr) *header = &self->object->dlpi_phdr[p];
    if (header->p_type == PT_LOAD && (header->p_flags & PF_X))
      look(self, (const unsigned char *)(self->object->dlpi_addr + header->p_vaddr), header->p_memsz, data);
  }
}

static void call_later(const program *self, const unsigned char *address) {
  function *one = function_at(self, address);
  if (one && one->start == address) one->what |= CALLED_LATER;
}

/* One whose address is taken may be called from anywhere. */
static void look_for_addresses(const program *self, const unsigned char *code, size_t size, void *data) {
  (void)data;
  for (size_t at = 4; at + 5 <= size; at++) {
    int32_t distance;
    if ((code[at] & 0xc7) != 0x05 || !takes_address(code + at)) continue;
    memcpy(&distance, code + at + 1, sizeof(distance));
    call_later(self, code + at + 5 + distance);
  }
}

static void look_for_pointers_in(const program *self, const ElfW(Rela) * relocations, size_t count, const ElfW(Sym) * symbols) {
  for (size_t i = 0; relocations && i < count; i++) {
    uintptr_t value = self->object->dlpi_addr + (uintptr_t)relocations[i].r_addend;
    if (ELF64_R_TYPE(relocations[i].r_info) != R_X86_64_RELATIVE && symbols)
      value += symbols[ELF64_R_SYM(relocations[i].r_info)].st_value;
    call_later(self, (const unsigned char *)value);
  }
}

/* In tables of pointers that the linker fills, those for calls among them. */
static void look_for_pointers(const program *self) {
  const ElfW(Rela) *data = NULL, *jumps = NULL;
  const ElfW(Sym) *symbols = NULL;
  size_t data_bytes = 0, jumps_bytes = 0;
  for (int p = 0; p < self->object->dlpi_phnum; p++) {
    if (self->object->dlpi_phdr[p].p_type != PT_DYNAMIC) continue;
    const ElfW(Dyn) *entry = (const void *)(self->object->dlpi_addr + self->object->dlpi_phdr[p].p_vaddr);
    for (; entry->d_tag != DT_NULL; entry++) {
      if (entry->d_tag == DT_RELA) data = (const void *)entry->d_un.d_ptr;
      if (entry->d_tag == DT_RELASZ) data_bytes = entry->d_un.d_val;
      if (entry->d_tag == DT_JMPREL) jumps = (const void *)entry->d_un.d_ptr;
      if (entry->d_tag == DT_PLTRELSZ) jumps_bytes = entry->d_un.d_val;
      if (entry->d_tag == DT_SYMTAB) symbols = (const void *)entry->d_un.d_ptr;
    }
  }
  look_for_pointers_in(self, data, data_bytes / sizeof(*data), symbols);
  look_for_pointers_in(self, jumps, jumps_bytes / sizeof(*jumps), symbols);
}

/* call and jmp, with a distance. */
static void look_for_calls(const program *self, const unsigned char *code, size_t size, void *data) {
  bool *changed = data;
  for (size_t at = 0; at + 5 <= size; at++) {
    int32_t distance;
    if (code[at] != 0xe8 && code[at] != 0xe9) continue;
    memcpy(&distance, code + at + 1, sizeof(distance));
    function *callee = function_at(self, code + at + 5 + distance), *caller = function_at(self, code + at);
    if (!callee || !caller || callee == caller || callee->start != code + at + 5 + distance) continue;
    unsigned what = callee->what | HAS_CALLER;
    if (!(caller->what & STARTS_MODULES)) what |= CALLED_LATER;
    if (what != callee->what) *changed = true;
    callee->what = what;
  }
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

/* Begins with all that may be called only from module startup, and takes away what is called from elsewhere, until nothing changes. */
static void find_startup(const program *self) {
  bool changed = true;
  look_for_pointers(self);
  each_code(self, look_for_addresses, NULL);
  for (size_t i = 0; i < self->count; i++)
    if (!(self->functions[i].what & CALLED_LATER)) self->functions[i].what |= STARTS_MODULES;
  for (size_t i = 0; i < self->count; i++)
    self->functions[i].what &= ~(unsigned)CALLED_LATER;
  mark_startup_functions(self);
  while (changed) {
    changed = false;
    each_code(self, look_for_calls, &changed);
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

/* ---- References -------------------------------------------------------------------------------------------------------------------- */

typedef struct {
  void (*found)(const void *address, bool writes, bool while_starting, void *data);
  void *data;
} listener;

static void look_for_references(const program *self, const unsigned char *code, size_t size, void *data) {
  const listener *tell = data;
  for (size_t at = 4; at + 5 <= size; at++) {
    int32_t distance;
    if ((code[at] & 0xc7) != 0x05 || only_reads(code + at)) continue;
    memcpy(&distance, code + at + 1, sizeof(distance));
    tell->found(code + at + 5 + distance + constant_after(code + at), !takes_address(code + at),
                starts_modules(self, code + at), tell->data);
  }
}

bool howdah_code_references(const struct dl_phdr_info *object,
                            void (*found)(const void *address, bool writes, bool while_starting, void *data), void *data) {
  program self = {.object = object};
  listener tell = {found, data};
  /* Without the list of functions nothing is taken for startup code. */
  if (read_functions(&self) && self.count) find_startup(&self);
  each_code(&self, look_for_references, &tell);
  free(self.functions);
  return true;
}

#else

bool howdah_code_references(const struct dl_phdr_info *object,
                            void (*found)(const void *address, bool writes, bool while_starting, void *data), void *data) {
  (void)object;
  (void)found;
  (void)data;
  return false;
}

#endif
