/* Which loaded objects are PHP's. See objects.h. */
#include "objects.h"
#include "../loaded.h"
#include "../php_headers.h"

#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const howdah_skipped_object skipped[] = {
    {"libc.so",
     "the C library: what scripts can set there (working directory, umask, locale, environment) is a realm's by hooks"},
    {"libm.so", "part of the C library"},
    {"libmvec.so", "part of the C library"},
    {"libpthread.so", "part of the C library"},
    {"libdl.so", "part of the C library"},
    {"librt.so", "part of the C library"},
    {"libresolv.so", "part of the C library: its settings are the thread's"},
    {"libnss_", "part of the C library"},
    {"libanl.so", "part of the C library"},
    {"ld-linux", "the dynamic linker: a realm neither loads nor unloads anything for itself alone"},
    {"linux-vdso.so", "the kernel's"},
    {"linux-gate.so", "the kernel's"},
    {"libgcc_s.so", "the compiler's tables of stack frames"},
    {"libasan.so", "a memory checker"},
    {"libubsan.so", "a memory checker"},
    {"vgpreload_", "a memory checker"},
    {NULL, NULL}};

enum { OBJECTS_MAX = 512 };

/* By load address: an object's name may be one that two have. */
static uintptr_t before[OBJECTS_MAX];
static size_t before_count;

typedef struct {
  char *name;   /* DT_SONAME, else the file's name */
  char **needs; /* DT_NEEDED */
  size_t needs_count;
  const void *inside;
  bool is_php, skip;
} object;

typedef struct {
  object *items;
  size_t count;
  bool out_of_memory;
} object_list;

static const char *file_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

/* iconv's converters, each in the folder of that name itself. */
static bool is_converter(const char *path) {
  static const char folder[] = "/gconv/";
  size_t before_name = (size_t)(file_name(path) - path), len = strlen(folder);
  return before_name >= len && strncmp(path + before_name - len, folder, len) == 0;
}

static bool is_skipped(const char *path) {
  if (is_converter(path)) return true;
  for (const howdah_skipped_object *one = skipped; one->name; one++)
    if (strncmp(file_name(path), one->name, strlen(one->name)) == 0) return true;
  return false;
}

static bool was_before(uintptr_t inside) {
  for (size_t i = 0; i < before_count; i++)
    if (before[i] == inside) return true;
  return false;
}

static uintptr_t first_address(const struct dl_phdr_info *info) {
  const ElfW(Phdr) *part = howdah_loaded_part(info, NULL, PT_LOAD);
  return part ? howdah_loaded_start(info, part) : info->dlpi_addr;
}

/* The vDSO has no absolute addresses there, and needs nothing. */
static bool read_dynamic(const struct dl_phdr_info *info, object *to) {
  const ElfW(Dyn) *dynamic = howdah_loaded_dynamic(info), *soname = howdah_loaded_entry(info, DT_SONAME);
  const ElfW(Dyn) *table = howdah_loaded_entry(info, DT_STRTAB);
  const char *strings = table ? (const char *)table->d_un.d_ptr : NULL;
  size_t needs = 0;
  for (const ElfW(Dyn) *entry = dynamic; entry && entry->d_tag != DT_NULL; entry++)
    if (entry->d_tag == DT_NEEDED) needs++;
  to->name = strdup(strings && soname ? strings + soname->d_un.d_val : file_name(info->dlpi_name));
  to->needs = calloc(needs + 1, sizeof(*to->needs));
  if (!to->name || !to->needs) return false;
  for (const ElfW(Dyn) *entry = dynamic; strings && entry && entry->d_tag != DT_NULL; entry++) {
    if (entry->d_tag != DT_NEEDED) continue;
    to->needs[to->needs_count] = strdup(strings + entry->d_un.d_val);
    if (!to->needs[to->needs_count]) return false;
    to->needs_count++;
  }
  return true;
}

static int collect(struct dl_phdr_info *info, size_t size, void *data) {
  object_list *list = data;
  (void)size;
  object *longer = realloc(list->items, (list->count + 1) * sizeof(*longer));
  if (!longer) return list->out_of_memory = true;
  list->items = longer;
  object *one = &longer[list->count++];
  *one = (object){.inside = (void *)first_address(info)};
  one->skip = !info->dlpi_name || !*info->dlpi_name || is_skipped(info->dlpi_name) ||
              howdah_loaded_holds(info, (void *)(uintptr_t)&howdah_objects_add);
  if (one->skip) return 0;
  one->is_php = !was_before((uintptr_t)one->inside) || howdah_loaded_holds(info, (void *)(uintptr_t)php_request_startup);
  if (!read_dynamic(info, one)) list->out_of_memory = true;
  return list->out_of_memory;
}

static void follow(object_list *list) {
  for (bool found = true; found;) {
    found = false;
    for (size_t i = 0; i < list->count; i++) {
      if (!list->items[i].is_php) continue;
      for (size_t n = 0; n < list->items[i].needs_count; n++)
        for (size_t j = 0; j < list->count; j++) {
          object *needed = &list->items[j];
          if (needed->skip || needed->is_php || strcmp(needed->name, list->items[i].needs[n]) != 0) continue;
          needed->is_php = found = true;
        }
    }
  }
}

static void list_free(object_list *list) {
  for (size_t i = 0; i < list->count; i++) {
    for (size_t n = 0; n < list->items[i].needs_count; n++)
      free(list->items[i].needs[n]);
    free(list->items[i].needs);
    free(list->items[i].name);
  }
  free(list->items);
}

static int note_before(struct dl_phdr_info *info, size_t size, void *data) {
  (void)size;
  if (before_count == OBJECTS_MAX) return *(bool *)data = true;
  before[before_count++] = first_address(info);
  return 0;
}

int howdah_objects_before(char *error, size_t error_size) {
  bool full = false;
  before_count = 0;
  dl_iterate_phdr(note_before, &full);
  if (!full) return 0;
  snprintf(error, error_size, "howdah: the audit knows at most %d libraries; this program has more", OBJECTS_MAX);
  return -1;
}

int howdah_objects_add(howdah_segments *segments, char *error, size_t error_size) {
  object_list list = {0};
  int result = 0;
  dl_iterate_phdr(collect, &list);
  if (list.out_of_memory) {
    snprintf(error, error_size, "howdah: out of memory for the list of PHP's libraries");
    list_free(&list);
    return -1;
  }
  follow(&list);
  for (size_t i = 0; i < list.count && result == 0; i++)
    if (list.items[i].is_php && !list.items[i].skip)
      result = howdah_segments_add(segments, list.items[i].inside, error, error_size);
  list_free(&list);
  return result;
}

static int count_changes(struct dl_phdr_info *info, size_t size, void *data) {
  (void)size;
  *(unsigned long long *)data = info->dlpi_adds + info->dlpi_subs;
  return 1;
}

unsigned long long howdah_objects_generation(void) {
  unsigned long long changes = 0;
  dl_iterate_phdr(count_changes, &changes);
  return changes;
}

static int look_for(struct dl_phdr_info *info, size_t size, void *data) {
  (void)size;
  return howdah_loaded_holds(info, data);
}

bool howdah_objects_hold(const void *address) {
  return dl_iterate_phdr(look_for, (void *)(uintptr_t)address) != 0;
}

const howdah_skipped_object *howdah_objects_skipped(void) {
  return skipped;
}

void howdah_objects_free(void) {
  before_count = 0;
}
