/* See snapshot_tables.h. A request adds to tables, at their ends, and seldom to all of them: where the table says that it has
 * as many entries as before, only those that the application has put there are looked at. */
#include "snapshot_tables.h"
#include "pages.h"

#include <stdlib.h>
#include <string.h>

static char *slots_of(const HashTable *table) {
  return HT_GET_DATA_ADDR(table);
}

static size_t slots_bytes(const howdah_table_copy *copy) {
  return HT_USED_SIZE(&copy->was);
}

static bool take(howdah_table_copy *copy, const howdah_own_table *own) {
  copy->own = *own;
  copy->table = own->table;
  copy->was = *own->table;
  copy->slots = malloc(slots_bytes(copy));
  if (!copy->slots) return false;
  memcpy(copy->slots, slots_of(copy->table), slots_bytes(copy));
  if (!own->entries) return true;
  copy->entries = malloc(own->entries_bytes + 1);
  if (!copy->entries) return false;
  memcpy(copy->entries, own->entries, own->entries_bytes);
  return true;
}

static bool list_modified(howdah_table_copies *copies) {
  const howdah_table_copy *settings = copies->settings;
  zend_ini_entry *entries = (zend_ini_entry *)settings->own.entries;
  const size_t count = settings->own.entries_bytes / sizeof(*entries);
  copies->modified = malloc((count + 1) * sizeof(*copies->modified));
  for (size_t i = 0; i < count && copies->modified; i++)
    if (entries[i].modified) copies->modified[copies->modified_count++] = &entries[i];
  return copies->modified != NULL;
}

bool howdah_table_copies_take(howdah_table_copies *copies, char *pages) {
  howdah_own_table list[HOWDAH_TABLES];
  howdah_tables_list(pages, list);
  for (size_t i = 0; i < HOWDAH_TABLES; i++) {
    if (!take(&copies->copies[i], &list[i])) return false;
    if (list[i].table == EG(ini_directives)) copies->settings = &copies->copies[i];
  }
  return copies->settings && list_modified(copies);
}

/* ---- Settings: PHP lists those that were changed ---- */

static const zend_ini_entry *was(const howdah_table_copies *copies, const zend_ini_entry *entry) {
  const howdah_table_copy *settings = copies->settings;
  size_t at = (size_t)((const char *)entry - settings->own.entries);
  return at < settings->own.entries_bytes ? (const zend_ini_entry *)(settings->entries + at) : NULL;
}

/* False: too many. */
static bool note_changed(howdah_table_copies *copies, zend_ini_entry *entry) {
  const zend_ini_entry *before = was(copies, entry);
  const void *bytes = entry, *bytes_before = before; /* PHP writes members alone: what lies between them is as it was */
  if (!before || memcmp(bytes, bytes_before, sizeof(*entry)) == 0) return true;
  for (size_t i = 0; i < copies->changed_count; i++)
    if (copies->changed[i] == entry) return true;
  if (copies->changed_count == HOWDAH_CHANGES_MAX) return false;
  copies->changed[copies->changed_count++] = entry;
  return true;
}

static bool note_all_changed(howdah_table_copies *copies) {
  zend_ini_entry *entry;
  copies->changed_count = 0;
  for (size_t i = 0; i < copies->modified_count; i++)
    if (!note_changed(copies, copies->modified[i])) return false;
  if (!EG(modified_ini_directives)) return true;
  ZEND_HASH_MAP_FOREACH_PTR(EG(modified_ini_directives), entry) {
    if (!note_changed(copies, entry)) return false;
  }
  ZEND_HASH_FOREACH_END();
  return true;
}

/* ---- All tables ---- */

static bool is_outgrown(const howdah_table_copy *copy) {
  return slots_of(copy->table) != slots_of(&copy->was) && !howdah_pages_keep(slots_of(&copy->was));
}

bool howdah_table_copies_prepare(howdah_table_copies *copies, const char **why) {
  *why = "PHP's tables: memory is short";
  for (size_t i = 0; i < HOWDAH_TABLES; i++) {
    howdah_table_copy *copy = &copies->copies[i];
    if (!is_outgrown(copy) || copy->spare) continue;
    copy->spare = malloc(HT_SIZE(&copy->was));
    if (!copy->spare) return false;
  }
  *why = "many settings (ini_set())";
  return note_all_changed(copies);
}

/* The buckets of the application. */
static bool is_as_before(const howdah_table_copy *copy) {
  if (memcmp(copy->table, &copy->was, sizeof(copy->was)) != 0) return false;
  const size_t first = HT_HASH_SIZE(copy->was.nTableMask) + copy->own.base_used * sizeof(Bucket), bytes = slots_bytes(copy);
  return first >= bytes || memcmp(slots_of(copy->table) + first, copy->slots + first, bytes - first) == 0;
}

static void put_back(howdah_table_copy *copy) {
  if (is_as_before(copy)) return;
  char *slots = slots_of(&copy->was);
  if (slots_of(copy->table) != slots) {
    if (!howdah_pages_keep(slots)) {
      slots = copy->spare;
      copy->spare = NULL;
    }
    free(slots_of(copy->table));
  }
  HT_SET_DATA_ADDR(&copy->was, slots);
  memcpy(slots, copy->slots, slots_bytes(copy));
  *copy->table = copy->was;
}

void howdah_table_copies_put_back(howdah_table_copies *copies) {
  for (size_t i = 0; i < HOWDAH_TABLES; i++)
    put_back(&copies->copies[i]);
  for (size_t i = 0; i < copies->changed_count; i++)
    *copies->changed[i] = *was(copies, copies->changed[i]);
  const howdah_table_copy *last = &copies->copies[HOWDAH_TABLES - 1]; /* auto-globals: a few, and each may be armed */
  memcpy(last->own.entries, last->entries, last->own.entries_bytes);
}

bool howdah_table_copies_are_back(const howdah_table_copies *copies) {
  for (size_t i = 0; i < HOWDAH_TABLES; i++) {
    const howdah_table_copy *copy = &copies->copies[i];
    if (memcmp(copy->table, &copy->was, sizeof(copy->was)) != 0 ||
        memcmp(slots_of(copy->table), copy->slots, slots_bytes(copy)) != 0)
      return false;
    if (copy->entries && memcmp(copy->own.entries, copy->entries, copy->own.entries_bytes) != 0) return false;
  }
  return true;
}

void howdah_table_copies_free(howdah_table_copies *copies) {
  for (size_t i = 0; i < HOWDAH_TABLES; i++) {
    free(copies->copies[i].slots);
    free(copies->copies[i].spare);
    free(copies->copies[i].entries);
  }
  free(copies->modified);
}
