/* The table of settings, and going from one realm's to another's. See settings.h. */
#include "settings.h"
#include "sqlite.h"

#include <stdlib.h>

typedef struct {
  const char *library, *name;
  howdah_library_use use;
  bool (*find)(void);        /* whether the library is there; more than once is once */
  int64_t (*get)(int which); /* pointers, too: a realm's is its own */
  void (*set)(int which, int64_t value);
  void (*drop)(int64_t value); /* what a realm's own was made of; NULL: a number */
  int which;
  bool stays; /* between two requests of a realm, too */
} row;

#define SQLITE(name, which, drop)                                                                                              \
  { "libsqlite3.so", name, HOWDAH_USES_SQLITE, howdah_sqlite_find, howdah_sqlite_get, howdah_sqlite_set, drop, which, false }
#define MAGICK(name, which)                                                                                                    \
  { "libMagickCore", name, HOWDAH_USES_MAGICK, howdah_magick_find, howdah_magick_get, howdah_magick_set, NULL, which, false }

/* In the order in which they are set: sqlite3_hard_heap_limit64() changes the soft limit as well. */
static const row table[] = {
    SQLITE("hard_heap_limit", HOWDAH_SQLITE_HARD_LIMIT, NULL),
    SQLITE("soft_heap_limit", HOWDAH_SQLITE_SOFT_LIMIT, NULL),
    SQLITE("temp_store_directory", HOWDAH_SQLITE_FOLDER, howdah_sqlite_drop),
    /* A persistent connection may attach databases before one is opened. */
    {"libsqlite3.so", "names of VFS", HOWDAH_USES_SQLITE, howdah_sqlite_find, howdah_sqlite_get, howdah_sqlite_set, NULL,
     HOWDAH_SQLITE_NAMES, true},
    MAGICK("area limit", 1),
    MAGICK("disk limit", 2),
    MAGICK("file limit", 3),
    MAGICK("map limit", 4),
    MAGICK("memory limit", 5),
    MAGICK("thread limit", 6),
    MAGICK("time limit", 7),
    MAGICK("throttle limit", 8),
    MAGICK("width limit", 9),
    MAGICK("height limit", 10),
    MAGICK("list length limit", 11),
};

enum { ROWS = sizeof(table) / sizeof(*table) };
_Static_assert(ROWS <= 8 * sizeof(((howdah_settings *)NULL)->own), "a bit for each row");

static int64_t base[ROWS];
static bool there[ROWS];

void howdah_settings_start(void) {
  for (size_t i = 0; i < ROWS; i++) {
    there[i] = table[i].find();
    if (there[i]) base[i] = table[i].get(table[i].which);
  }
}

static bool is_used(const howdah_settings *settings, size_t i) {
  return there[i] && (settings->used & table[i].use);
}

void howdah_settings_enter(const howdah_settings *settings) {
  if (!settings->used) return;
  howdah_magick_enter(settings->texts);
  for (size_t i = 0; i < ROWS; i++)
    if (settings->own & 1u << i) table[i].set(table[i].which, settings->values[i]);
}

/* Short of memory for its copies a realm goes on with the process's. */
static void keep(howdah_settings *settings, size_t i, int64_t now) {
  if (!settings->values) settings->values = calloc(ROWS, sizeof(*settings->values));
  if (settings->values) {
    settings->values[i] = now;
    settings->own |= 1u << i;
  } else if (table[i].drop) {
    table[i].drop(now);
  }
}

/* First all are asked: to set one may change another. */
void howdah_settings_leave(howdah_settings *settings) {
  bool differ = false;
  if (!settings->used) return;
  settings->own = 0;
  howdah_magick_leave(settings->texts);
  for (size_t i = 0; i < ROWS; i++) {
    if (!is_used(settings, i)) continue;
    int64_t now = table[i].get(table[i].which);
    if (now == base[i]) continue;
    keep(settings, i, now);
    differ = true;
  }
  for (size_t i = 0; differ && i < ROWS; i++)
    if (is_used(settings, i) && table[i].get(table[i].which) != base[i]) table[i].set(table[i].which, base[i]);
}

static void put_back(const howdah_settings *settings, bool all) {
  for (size_t i = 0; i < ROWS; i++) {
    if (!is_used(settings, i) || (table[i].stays && !all)) continue;
    int64_t now = table[i].get(table[i].which);
    if (now == base[i]) continue;
    table[i].set(table[i].which, base[i]);
    if (table[i].drop) table[i].drop(now);
  }
}

void howdah_settings_forget(howdah_settings *settings) {
  if (!settings->used) return;
  howdah_magick_forget(&settings->texts);
  put_back(settings, false);
}

void howdah_settings_free(howdah_settings *settings) {
  howdah_settings_forget(settings);
  put_back(settings, true);
  howdah_sqlite_leave(settings->sqlite);
  free(settings->values);
  *settings = (howdah_settings){0};
}

const char *howdah_settings_row(size_t i, const char **library) {
  *library = i < ROWS ? table[i].library : NULL;
  return i < ROWS ? table[i].name : NULL;
}

bool howdah_settings_is_the_process_s(size_t i) {
  return !there[i] || table[i].get(table[i].which) == base[i];
}
