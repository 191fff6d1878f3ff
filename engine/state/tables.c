/* Private copies of PHP's tables. What compiler_globals_ctor(), executor_globals_ctor() and zend_copy_ini_directives() do for a
 * thread under ZTS (Zend/zend.c, Zend/zend_ini.c, PHP 8.2), done by hand. */
#include "tables.h"
#include "image.h"
#include "pages.h"
#include "php_headers.h"
#include "version.h"

#include <stdlib.h>
#include <string.h>

/* Room for what an application declares without growing at once; a table that outgrows it grows as usual. */
enum { SPARE_SLOTS = 64 };

/* What a pointer in a state block is in the base image, to tell a realm's own from PHP's while a birth is being undone. */
static void *base_of(const void *where) {
  const howdah_block *block = howdah_blocks_find(where);
  return block ? *(void **)(howdah_image_base() + block->at + ((const char *)where - block->address)) : NULL;
}

/* A table of a realm's own, and where its entries are: the table cannot tell, as ini_get_all() sorts the ini directives. */
typedef struct {
  HashTable table;
  char *entries; /* NULL: what the entries point to is PHP's own, or lies in the realm's base pages */
} own_table;

/* The tables whose slots are in the base pages: what they point to is PHP's own. */
static struct {
  HashTable **where;
  HashTable table; /* its slots are not there any more */
  size_t at;       /* of the slots, in the pages */
} paged[] = {{.where = &CG(function_table)}, {.where = &CG(class_table)}, {.where = &EG(zend_constants)}};

enum { PAGED = sizeof(paged) / sizeof(*paged), INI_ENTRIES_AT = 0 };
_Static_assert(PAGED + 2 == HOWDAH_TABLES, "a place in the list for each");

static own_table *new_table(void) {
  own_table *own = malloc(sizeof(*own));
  if (own) own->entries = NULL;
  return own;
}

static void copy_table(HashTable *table, const HashTable *from) {
  zend_hash_init(table, zend_hash_num_elements(from) + SPARE_SLOTS, NULL, from->pDestructor, 1);
  zend_hash_copy(table, (HashTable *)from, NULL);
}

static HashTable *clone_table(const HashTable *from) {
  own_table *own = new_table();
  if (!own) return NULL;
  copy_table(&own->table, from);
  return &own->table;
}

static HashTable *table_in_pages(size_t number, char *pages) {
  own_table *own = new_table();
  if (!own) return NULL;
  own->table = paged[number].table;
  HT_SET_DATA_ADDR(&own->table, pages + paged[number].at);
  return &own->table;
}

static void copy_entries(char *to, HashTable *from, size_t size) {
  void *entry;
  ZEND_HASH_FOREACH_PTR(from, entry) {
    memcpy(to, entry, size);
    to += size;
  }
  ZEND_HASH_FOREACH_END();
}

static void point_to_entries(HashTable *table, char *entries, size_t size) {
  zval *value;
  ZEND_HASH_FOREACH_VAL(table, value) {
    Z_PTR_P(value) = entries;
    entries += size;
  }
  ZEND_HASH_FOREACH_END();
}

/* Copies what each entry points to, in one allocation for the whole table: entries are never freed one by one (an ini entry of
 * a module that a request loads with dl() is PHP's own). */
static bool clone_entries(HashTable *table, size_t size) {
  char *entries = malloc(size * (zend_hash_num_elements(table) ? zend_hash_num_elements(table) : 1));
  if (!entries) return false;
  ((own_table *)table)->entries = entries;
  copy_entries(entries, table, size);
  point_to_entries(table, entries, size);
  return true;
}

static size_t aligned(size_t size) {
  return (size + 63) & ~(size_t)63;
}

void howdah_tables_start(void) {
  size_t size = aligned(zend_hash_num_elements(EG(ini_directives)) * sizeof(zend_ini_entry));
  bool mixed = true;
  for (size_t i = 0; i < PAGED; i++) {
    copy_table(&paged[i].table, *paged[i].where);
    paged[i].at = size;
    size += aligned(HT_SIZE(&paged[i].table));
    /* All of these have string keys, and none is empty. */
    mixed = mixed && !(HT_FLAGS(&paged[i].table) & (HASH_FLAG_PACKED | HASH_FLAG_UNINITIALIZED));
  }
  char *bytes = mixed ? calloc(1, size) : NULL;
  if (bytes) copy_entries(bytes + INI_ENTRIES_AT, EG(ini_directives), sizeof(zend_ini_entry));
  for (size_t i = 0; i < PAGED; i++) {
    HashTable slots = paged[i].table;
    if (bytes) memcpy(bytes + paged[i].at, HT_GET_DATA_ADDR(&slots), HT_USED_SIZE(&slots));
    slots.pDestructor = NULL;
    zend_hash_destroy(&slots);
  }
  if (bytes) howdah_pages_start(bytes, size);
  free(bytes);
}

static bool own_map_ptr(void) {
  size_t size = HOWDAH_MAP_PTR_STATIC + CG(map_ptr_size);
  void **map = malloc((size ? size : 1) * sizeof(void *));
  if (!map) return false;
  if (CG(map_ptr_real_base)) memcpy(map, CG(map_ptr_real_base), (HOWDAH_MAP_PTR_STATIC + CG(map_ptr_last)) * sizeof(void *));
  CG(map_ptr_real_base) = map;
  CG(map_ptr_base) = ZEND_MAP_PTR_BIASED_BASE(map);
  return true;
}

static bool birth_of(HashTable **where, HashTable *table) {
  if (!table) return false;
  *where = table;
  return true;
}

bool howdah_tables_birth(char *pages) {
  /* ZTS starts a thread with empty lists of persistent resources; base has none either, but its table may be allocated. First:
   * a birth that fails destroys it. */
  zend_hash_init(&EG(persistent_list), 8, NULL, EG(persistent_list).pDestructor, 1);
  howdah_numbers_birth();
  for (size_t i = 0; i < PAGED; i++)
    if (!birth_of(paged[i].where, pages ? table_in_pages(i, pages) : clone_table(*paged[i].where))) return false;
  EG(function_table) = CG(function_table);
  EG(class_table) = CG(class_table);
  if (!birth_of(&EG(ini_directives), clone_table(EG(ini_directives)))) return false;
  if (pages)
    point_to_entries(EG(ini_directives), pages + INI_ENTRIES_AT, sizeof(zend_ini_entry));
  else if (!clone_entries(EG(ini_directives), sizeof(zend_ini_entry)))
    return false;
  if (!birth_of(&CG(auto_globals), clone_table(CG(auto_globals)))) return false;
  if (!clone_entries(CG(auto_globals), sizeof(zend_auto_global))) return false;
  return own_map_ptr();
}

static void free_table(HashTable **where) {
  HashTable *table = *where, *base = base_of(where);
  if (!table || table == base) return;
  free(((own_table *)table)->entries);
  /* What is left is internal and PHP's own. */
  table->pDestructor = NULL;
  zend_hash_destroy(table);
  free(table);
  *where = base;
}

void howdah_tables_close(void) {
  zend_hash_graceful_reverse_destroy(&EG(persistent_list));
}

void howdah_tables_death(void) {
  howdah_numbers_death();
  free_table(&CG(function_table));
  free_table(&CG(class_table));
  free_table(&EG(zend_constants));
  free_table(&EG(ini_directives));
  free_table(&CG(auto_globals));
  if (CG(map_ptr_real_base) != base_of(&CG(map_ptr_real_base))) free(CG(map_ptr_real_base));
}

static howdah_own_table own_table_at(HashTable **where, char *entries, size_t size) {
  const HashTable *base = base_of(where);
  return (howdah_own_table){.table = *where,
                            .base_used = base ? base->nNumUsed : 0,
                            .entries = entries ? entries : ((own_table *)*where)->entries,
                            .entries_bytes = base ? size * zend_hash_num_elements(base) : 0};
}

void howdah_tables_list(char *pages, howdah_own_table list[HOWDAH_TABLES]) {
  for (size_t i = 0; i < PAGED; i++)
    list[i] = own_table_at(paged[i].where, NULL, 0);
  list[PAGED] = own_table_at(&EG(ini_directives), pages ? pages + INI_ENTRIES_AT : NULL, sizeof(zend_ini_entry));
  list[PAGED + 1] = own_table_at(&CG(auto_globals), NULL, sizeof(zend_auto_global));
  list[PAGED].base_used = list[PAGED + 1].base_used = 0; /* ini_get_all() sorts them where they are */
}
