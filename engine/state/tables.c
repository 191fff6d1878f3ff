/* Private copies of PHP's tables. What compiler_globals_ctor(), executor_globals_ctor() and zend_copy_ini_directives() do for a
 * thread under ZTS (Zend/zend.c, Zend/zend_ini.c, PHP 8.2), done by hand. */
#include "tables.h"
#include "block.h"
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
  char *entries; /* NULL: what the entries point to is PHP's own */
} own_table;

static HashTable *clone_table(const HashTable *from) {
  own_table *own = malloc(sizeof(*own));
  if (!own) return NULL;
  own->entries = NULL;
  HashTable *table = &own->table;
  zend_hash_init(table, zend_hash_num_elements(from) + SPARE_SLOTS, NULL, from->pDestructor, 1);
  zend_hash_copy(table, (HashTable *)from, NULL);
  return table;
}

/* Copies what each entry points to, in one allocation for the whole table: entries are never freed one by one (an ini entry of
 * a module that a request loads with dl() is PHP's own). */
static bool clone_entries(HashTable *table, size_t size) {
  char *entries = malloc(size * (zend_hash_num_elements(table) ? zend_hash_num_elements(table) : 1));
  if (!entries) return false;
  ((own_table *)table)->entries = entries;
  char *next = entries;
  zval *value;
  ZEND_HASH_FOREACH_VAL(table, value) {
    memcpy(next, Z_PTR_P(value), size);
    Z_PTR_P(value) = next;
    next += size;
  }
  ZEND_HASH_FOREACH_END();
  return true;
}

static bool own_map_ptr(void) {
  size_t size = HOWDAH_MAP_PTR_STATIC + CG(map_ptr_size);
  void **map = calloc(size ? size : 1, sizeof(void *));
  if (!map) return false;
  if (CG(map_ptr_real_base)) memcpy(map, CG(map_ptr_real_base), (HOWDAH_MAP_PTR_STATIC + CG(map_ptr_last)) * sizeof(void *));
  CG(map_ptr_real_base) = map;
  CG(map_ptr_base) = ZEND_MAP_PTR_BIASED_BASE(map);
  return true;
}

bool howdah_tables_birth(void) {
  howdah_numbers_birth();
  HashTable **cloned[] = {&CG(function_table), &CG(class_table), &EG(zend_constants), &EG(ini_directives), &CG(auto_globals)};
  for (size_t i = 0; i < sizeof(cloned) / sizeof(*cloned); i++) {
    HashTable *table = clone_table(*cloned[i]);
    if (!table) return false;
    *cloned[i] = table;
  }
  EG(function_table) = CG(function_table);
  EG(class_table) = CG(class_table);
  if (!clone_entries(EG(ini_directives), sizeof(zend_ini_entry))) return false;
  if (!clone_entries(CG(auto_globals), sizeof(zend_auto_global))) return false;
  /* ZTS starts a thread with empty lists of persistent resources; base has none either, but its table may be allocated. */
  zend_hash_init(&EG(persistent_list), 8, NULL, EG(persistent_list).pDestructor, 1);
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

void howdah_tables_death(void) {
  howdah_numbers_death();
  /* Persistent connections of this realm; their destructors may still look at tables and ini settings. */
  zend_hash_graceful_reverse_destroy(&EG(persistent_list));
  free_table(&CG(function_table));
  free_table(&CG(class_table));
  free_table(&EG(zend_constants));
  free_table(&EG(ini_directives));
  free_table(&CG(auto_globals));
  if (CG(map_ptr_real_base) != base_of(&CG(map_ptr_real_base))) free(CG(map_ptr_real_base));
}
