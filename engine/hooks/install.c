/* Puts the hook table into effect by patching the slots through which objects call libc.
 * LD_PRELOAD would not do: PHP loads extensions with RTLD_DEEPBIND, and a server must work without an environment variable. */
#include "families.h"
#include "hook.h"

#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#if defined(__x86_64__)
#define IS_SLOT(type) ((type) == R_X86_64_JUMP_SLOT || (type) == R_X86_64_GLOB_DAT)
#elif defined(__aarch64__)
#define IS_SLOT(type) ((type) == R_AARCH64_JUMP_SLOT || (type) == R_AARCH64_GLOB_DAT)
#else
#error "howdah knows the relocations of x86-64 and arm64 only: add this machine's to engine/hooks/install.c"
#endif

/* Whose own calls stay as they are. The engine is found by address: it may be linked into the nginx module or the runner. */
static const char *const untouched[] = {"/libc.so",   "/libpthread.so", "/librt.so", "/ld-linux",  "/libasan.so",
                                        "linux-vdso", "/libdl.so",      "/nginx",    "/vgpreload", "/ngx_"};

static bool is_untouched(const struct dl_phdr_info *object) {
  if (!object->dlpi_name || !*object->dlpi_name) return true; /* the program itself: nginx, or the runner */
  for (size_t i = 0; i < sizeof(untouched) / sizeof(*untouched); i++)
    if (strstr(object->dlpi_name, untouched[i])) return true;
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *header = &object->dlpi_phdr[i];
    uintptr_t start = object->dlpi_addr + header->p_vaddr, here = (uintptr_t)&is_untouched;
    if (header->p_type == PT_LOAD && here >= start && here < start + header->p_memsz) return true;
  }
  return false;
}

static const howdah_hook *hook_for(const char *name, const char *object) {
  for (const howdah_hook *hook = howdah_hooks; hook->name; hook++)
    if (*hook->original && strcmp(hook->name, name) == 0 && (!hook->only_in || strstr(object, hook->only_in))) return hook;
  return NULL;
}

/* The pages that RELRO made read-only after relocation are opened for the one write. */
static bool write_slot(void **slot, void *value, bool read_only) {
  uintptr_t page = (uintptr_t)slot & ~(uintptr_t)(sysconf(_SC_PAGESIZE) - 1);
  size_t bytes = (uintptr_t)(slot + 1) - page;
  if (mprotect((void *)page, bytes, PROT_READ | PROT_WRITE) < 0) return false;
  *slot = value;
  return !read_only || mprotect((void *)page, bytes, PROT_READ) == 0;
}

static bool in_relro(const struct dl_phdr_info *object, const void *slot) {
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *header = &object->dlpi_phdr[i];
    uintptr_t start = object->dlpi_addr + header->p_vaddr;
    if (header->p_type == PT_GNU_RELRO && (uintptr_t)slot >= start && (uintptr_t)slot < start + header->p_memsz) return true;
  }
  return false;
}

static bool patch_relocations(const struct dl_phdr_info *object, const ElfW(Rela) * relocation, size_t count,
                              const ElfW(Sym) * symbols, const char *strings) {
  for (size_t i = 0; i < count; i++) {
    if (!IS_SLOT(ELF64_R_TYPE(relocation[i].r_info))) continue;
    const howdah_hook *hook = hook_for(strings + symbols[ELF64_R_SYM(relocation[i].r_info)].st_name, object->dlpi_name);
    if (!hook) continue;
    void **slot = (void **)(object->dlpi_addr + relocation[i].r_offset);
    if (*slot != hook->replacement && !write_slot(slot, hook->replacement, in_relro(object, slot))) return false;
  }
  return true;
}

static int patch_object(struct dl_phdr_info *object, size_t size, void *failed) {
  (void)size;
  if (is_untouched(object)) return 0;
  const ElfW(Dyn) *dynamic = NULL;
  for (int i = 0; i < object->dlpi_phnum; i++)
    if (object->dlpi_phdr[i].p_type == PT_DYNAMIC) dynamic = (void *)(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
  if (!dynamic) return 0;
  const ElfW(Rela) *jumps = NULL, *data = NULL;
  const ElfW(Sym) *symbols = NULL;
  const char *strings = NULL;
  size_t jumps_bytes = 0, data_bytes = 0;
  for (; dynamic->d_tag != DT_NULL; dynamic++)
    switch (dynamic->d_tag) {
    case DT_JMPREL:
      jumps = (void *)dynamic->d_un.d_ptr;
      break;
    case DT_PLTRELSZ:
      jumps_bytes = dynamic->d_un.d_val;
      break;
    case DT_RELA:
      data = (void *)dynamic->d_un.d_ptr;
      break;
    case DT_RELASZ:
      data_bytes = dynamic->d_un.d_val;
      break;
    case DT_SYMTAB:
      symbols = (void *)dynamic->d_un.d_ptr;
      break;
    case DT_STRTAB:
      strings = (void *)dynamic->d_un.d_ptr;
      break;
    default:
      break;
    }
  if (!symbols || !strings) return 0;
  if ((jumps && !patch_relocations(object, jumps, jumps_bytes / sizeof(*jumps), symbols, strings)) ||
      (data && !patch_relocations(object, data, data_bytes / sizeof(*data), symbols, strings))) {
    *(const char **)failed = object->dlpi_name;
    return 1;
  }
  return 0;
}

/* The first that is missing and must not be, or NULL. */
static const howdah_hook *find_originals(void) {
  const howdah_hook *missing = NULL;
  for (const howdah_hook *hook = howdah_hooks; hook->name; hook++) {
    if (!*hook->original) *hook->original = dlsym(RTLD_DEFAULT, hook->name);
    if (!*hook->original && !hook->only_in && !missing) missing = hook;
  }
  return missing;
}

int howdah_hooks_install(char *error, size_t error_size) {
  const howdah_hook *missing = find_originals();
  if (missing) {
    snprintf(error, error_size, "howdah: the C library has no %s(); this C library is not supported (glibc is)", missing->name);
    return -1;
  }
  const char *failed = NULL;
  dl_iterate_phdr(patch_object, &failed);
  if (failed) {
    snprintf(error, error_size, "howdah: cannot make blocking calls of %s yield: its relocations may not be written", failed);
    return -1;
  }
  return 0;
}

void howdah_hooks_refresh(void) {
  const char *failed = NULL;
  find_originals();
  dl_iterate_phdr(patch_object, &failed);
}
