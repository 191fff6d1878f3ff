/* What realms share on purpose. See shared.h; hidden state that is shared is in hidden/. */
#include "shared.h"
#include "hidden/hidden.h"
#include "php_headers.h"
#include "symbols.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

/* ---- Variables that an object exports -------------------------------------------------------------------------------------------- */

static const struct {
  const char *symbol;
  howdah_reason reason;
} exported[] = {
    {"zend_signal_globals",
     {"zend_signal_globals", "Zend/zend_signal.h", "signals are the process's; no switch while they are blocked"}},
};

/* ---- Libraries ------------------------------------------------------------------------------------------------------------------- */

static const struct {
  const char *file; /* what its name begins with */
  howdah_reason reason;
} libraries[] = {
    {"libnothing.so", {"", "", ""}},
};

/* ---- Hidden state ---------------------------------------------------------------------------------------------------------------- */

enum { HIDDEN_MAX = 64 };

static struct {
  const char *start, *end;
  howdah_reason reason;
} hidden[HIDDEN_MAX];
static size_t hidden_count;

void howdah_shared_start(void) {
  size_t count;
  const howdah_shared *items = howdah_hidden_shared(&count);
  hidden_count = 0;
  for (size_t i = 0; i < count && i < HIDDEN_MAX; i++) {
    hidden[hidden_count].start = items[i].address;
    hidden[hidden_count].end = (const char *)items[i].address + items[i].size;
    hidden[hidden_count++].reason = (howdah_reason){items[i].name, items[i].source, items[i].reason};
  }
}

static const howdah_reason *find_exported(const char *address) {
  Dl_info info;
  const ElfW(Sym) *symbol = NULL;
  if (!dladdr1(address, &info, (void **)&symbol, RTLD_DL_SYMENT) || !info.dli_sname || !symbol) return NULL;
  if (address >= (const char *)info.dli_saddr + symbol->st_size) return NULL;
  for (size_t i = 0; i < sizeof(exported) / sizeof(*exported); i++)
    if (strcmp(info.dli_sname, exported[i].symbol) == 0) return &exported[i].reason;
  return NULL;
}

const howdah_reason *howdah_shared_at(const howdah_segment *segment, const char *address) {
  for (size_t i = 0; i < hidden_count; i++)
    if (address >= hidden[i].start && address < hidden[i].end) return &hidden[i].reason;
  for (size_t i = 0; i < sizeof(libraries) / sizeof(*libraries); i++)
    if (strncmp(segment->object, libraries[i].file, strlen(libraries[i].file)) == 0) return &libraries[i].reason;
  return find_exported(address);
}

/* Where an object was linked without -z now, the first call through a slot writes the function's address into it. */
bool howdah_is_linkers(const howdah_segment *segment, const char *address) {
  Dl_info info;
  struct link_map *map = NULL;
  const ElfW(Rela) *jumps = NULL;
  size_t bytes = 0;
  if (!dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP) || !map) return false;
  for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++) {
    if (entry->d_tag == DT_JMPREL) jumps = (const void *)entry->d_un.d_ptr;
    if (entry->d_tag == DT_PLTRELSZ) bytes = entry->d_un.d_val;
  }
  for (size_t i = 0; jumps && i < bytes / sizeof(*jumps); i++)
    if (segment->base + jumps[i].r_offset == ((uintptr_t)address & ~(uintptr_t)7)) return true;
  return false;
}
