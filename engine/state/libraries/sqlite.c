/* SQLite's settings, and a VFS for each realm. See sqlite.h. */
#include "sqlite.h"
#include "../state.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As in sqlite3.h, which need not be installed: fields are only ever added at the end. */
typedef struct vfs vfs;
typedef int open_file(vfs *self, const char *name, void *file, int flags, int *out_flags);
struct vfs {
  int version, file_bytes, name_max;
  vfs *next;
  const char *name;
  void *data;
  open_file *open;
  void (*others[15])(void); /* of version 3, the last one that there is; before it 12 and 11 */
};

enum { OUT_OF_MEMORY = 7 };

static int64_t (*hard_limit)(int64_t), (*soft_limit)(int64_t);
static char **folder;
static void (*release)(void *);
static vfs *(*find_vfs)(const char *);
static int (*add_vfs)(vfs *, int is_default);

/* ---- Settings -------------------------------------------------------------------------------------------------------------------- */

int64_t howdah_sqlite_get(int which) {
  if (which == HOWDAH_SQLITE_FOLDER) return (int64_t)(intptr_t)*folder;
  return which == HOWDAH_SQLITE_HARD_LIMIT ? hard_limit(-1) : soft_limit(-1);
}

void howdah_sqlite_set(int which, int64_t value) {
  if (which == HOWDAH_SQLITE_FOLDER)
    *folder = (char *)(intptr_t)value;
  else
    (which == HOWDAH_SQLITE_HARD_LIMIT ? hard_limit : soft_limit)(value);
}

void howdah_sqlite_drop(int64_t name) {
  release((void *)(intptr_t)name);
}

/* ---- A VFS for each realm -------------------------------------------------------------------------------------------------------- */

typedef struct {
  vfs own;
  char name[24];
  bool taken;
} realms_vfs;

static realms_vfs **all; /* SQLite keeps pointers to them for ever */
static unsigned count;
static vfs *memory, own_memory; /* "memdb", and what is found by that name instead */

static void copy_vfs(vfs *to, const vfs *from) {
  size_t functions = from->version >= 3 ? 15 : from->version == 2 ? 12 : 11;
  *to = (vfs){0};
  memcpy(to, from, offsetof(vfs, others) + functions * sizeof(from->others[0]));
  to->next = NULL;
  if (to->version > 3) to->version = 3;
}

static realms_vfs *make(unsigned number) {
  const vfs *standard = find_vfs(NULL);
  realms_vfs **longer = standard ? realloc(all, (count + 1) * sizeof(*all)) : NULL;
  if (!longer) return NULL;
  all = longer;
  realms_vfs *made = calloc(1, sizeof(*made));
  if (!made) return NULL;
  copy_vfs(&made->own, standard);
  snprintf(made->name, sizeof(made->name), "howdah-%u", number);
  made->own.name = made->name;
  if (add_vfs(&made->own, 0) != 0) {
    free(made);
    return NULL;
  }
  return all[count++] = made;
}

const char *howdah_sqlite_vfs(unsigned *number) {
  if (!find_vfs) return NULL;
  for (unsigned i = 0; i < count && !*number; i++)
    if (!all[i]->taken) *number = i + 1;
  if (!*number) *number = make(count + 1) ? count : 0;
  if (!*number) return NULL;
  all[*number - 1]->taken = true;
  return all[*number - 1]->name;
}

void howdah_sqlite_leave(unsigned number) {
  if (number) all[number - 1]->taken = false;
}

/* Of other names each is a database of its own. */
static int open_memory(vfs *self, const char *name, void *file, int flags, int *out_flags) {
  const howdah_state *state = howdah_state_in_place();
  char *realms = NULL;
  (void)self;
  if (!name || (name[0] != '/' && name[0] != '\\') || !state) return memory->open(memory, name, file, flags, out_flags);
  if (asprintf(&realms, "/howdah-%u%s", state->settings.sqlite, name) < 0) return OUT_OF_MEMORY;
  int result = memory->open(memory, realms, file, flags, out_flags);
  free(realms);
  return result;
}

static void replace_memory(void) {
  memory = find_vfs("memdb");
  if (!memory) return;
  copy_vfs(&own_memory, memory);
  own_memory.open = open_memory;
  add_vfs(&own_memory, 0); /* it comes before those that are there, but for the default one */
}

bool howdah_sqlite_find(void) {
  if (find_vfs) return true;
  *(void **)&hard_limit = dlsym(RTLD_DEFAULT, "sqlite3_hard_heap_limit64");
  *(void **)&soft_limit = dlsym(RTLD_DEFAULT, "sqlite3_soft_heap_limit64");
  *(void **)&release = dlsym(RTLD_DEFAULT, "sqlite3_free");
  *(void **)&add_vfs = dlsym(RTLD_DEFAULT, "sqlite3_vfs_register");
  folder = dlsym(RTLD_DEFAULT, "sqlite3_temp_directory");
  if (!hard_limit || !soft_limit || !release || !add_vfs || !folder) return false;
  *(void **)&find_vfs = dlsym(RTLD_DEFAULT, "sqlite3_vfs_find");
  if (find_vfs) replace_memory();
  return find_vfs != NULL;
}
