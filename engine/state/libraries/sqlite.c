/* SQLite's settings, and a VFS for each realm. See sqlite.h. */
#include "sqlite.h"
#include "../state.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

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

/* ---- A VFS for each realm ------------------------------------------------------------------------------------------------ */

enum { KINDS_MAX = 8, HIDDEN_NAME = 40 };

/* The library's own: the default one, "unix", and its relatives. A name may ask for one of them (`vfs=unix`): it gets the
 * realm's. So of all VFS of a kind the realm's bears the name while it is in place, and the library's otherwise; the others
 * have names that nobody knows. */
typedef struct {
  vfs *own;
  const char *name;
  char hidden[HIDDEN_NAME];
} kind;

typedef struct {
  vfs own[KINDS_MAX];
  char hidden[KINDS_MAX][HIDDEN_NAME];
  bool taken;
} realms_vfs;

static kind kinds[KINDS_MAX];
static unsigned kind_count;
static realms_vfs **all; /* SQLite keeps pointers to them for ever */
static unsigned count;
static unsigned named;          /* whose VFS bear the library's names: a realm's number, or 0: its own */
static vfs *memory, own_memory; /* "memdb", and what is found by that name instead */

static void copy_vfs(vfs *to, const vfs *from) {
  size_t functions = from->version >= 3 ? 15 : from->version == 2 ? 12 : 11;
  *to = (vfs){0};
  memcpy(to, from, offsetof(vfs, others) + functions * sizeof(from->others[0]));
  to->next = NULL;
  if (to->version > 3) to->version = 3;
}

static bool hide(char name[HIDDEN_NAME]) {
  uint64_t random[2];
  if (getrandom(random, sizeof(random), 0) != sizeof(random)) return false;
  snprintf(name, HIDDEN_NAME, "%016llx%016llx", (unsigned long long)random[0], (unsigned long long)random[1]);
  return true;
}

static bool add_kinds(void) {
  for (vfs *each = find_vfs(NULL); each && kind_count < KINDS_MAX; each = each->next) {
    kind *to = &kinds[kind_count];
    if (strcmp(each->name, "memdb") == 0) continue;
    if (!hide(to->hidden)) return false;
    to->own = each;
    to->name = each->name;
    kind_count++;
  }
  return kind_count > 0;
}

static void give_names(unsigned to) {
  for (unsigned i = 0; i < kind_count && to != named; i++) {
    if (named)
      all[named - 1]->own[i].name = all[named - 1]->hidden[i];
    else
      kinds[i].own->name = kinds[i].hidden;
    if (to)
      all[to - 1]->own[i].name = kinds[i].name;
    else
      kinds[i].own->name = kinds[i].name;
  }
  named = to;
}

/* What is added stays: where one cannot be, those before it are nobody's. */
static realms_vfs *make(void) {
  realms_vfs **longer = realloc(all, (count + 1) * sizeof(*all));
  if (!longer) return NULL;
  all = longer;
  realms_vfs *made = calloc(1, sizeof(*made));
  if (!made) return NULL;
  for (unsigned i = 0; i < kind_count; i++)
    if (!hide(made->hidden[i])) {
      free(made);
      return NULL;
    }
  for (unsigned i = 0; i < kind_count; i++) {
    copy_vfs(&made->own[i], kinds[i].own);
    made->own[i].name = made->hidden[i];
    if (add_vfs(&made->own[i], 0) == 0) continue;
    if (i == 0) free(made);
    return NULL;
  }
  return all[count++] = made;
}

const char *howdah_sqlite_vfs(unsigned *number) {
  if (!find_vfs) return NULL;
  for (unsigned i = 0; i < count && !*number; i++)
    if (!all[i]->taken) *number = i + 1;
  if (!*number) *number = make() ? count : 0;
  if (!*number) return NULL;
  all[*number - 1]->taken = true;
  give_names(*number);
  return all[*number - 1]->own[0].name;
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

/* ---- Settings ------------------------------------------------------------------------------------------------------------ */

int64_t howdah_sqlite_get(int which) {
  if (which == HOWDAH_SQLITE_FOLDER) return (int64_t)(intptr_t)*folder;
  if (which == HOWDAH_SQLITE_NAMES) return named;
  return which == HOWDAH_SQLITE_HARD_LIMIT ? hard_limit(-1) : soft_limit(-1);
}

void howdah_sqlite_set(int which, int64_t value) {
  if (which == HOWDAH_SQLITE_FOLDER)
    *folder = (char *)(intptr_t)value;
  else if (which == HOWDAH_SQLITE_NAMES)
    give_names((unsigned)value);
  else
    (which == HOWDAH_SQLITE_HARD_LIMIT ? hard_limit : soft_limit)(value);
}

void howdah_sqlite_drop(int64_t name) {
  release((void *)(intptr_t)name);
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
  if (find_vfs && !add_kinds()) find_vfs = NULL;
  if (find_vfs) replace_memory();
  return find_vfs != NULL;
}
