/* A realm's tables (tables.h) in its snapshot: what they held, and putting it back. For snapshot.c, with the state in place. */
#ifndef HOWDAH_STATE_SNAPSHOT_TABLES_H
#define HOWDAH_STATE_SNAPSHOT_TABLES_H

#include "php_headers.h"
#include "tables.h"

typedef struct {
  HashTable *table, was;
  char *slots;   /* a copy of hashes and buckets; owned */
  char *spare;   /* room for them where the table has outgrown its own; owned, NULL: none is needed */
  char *entries; /* a copy; owned, NULL: none of its own */
  howdah_own_table own;
} howdah_table_copy;

enum { HOWDAH_CHANGES_MAX = 64 };

typedef struct {
  howdah_table_copy copies[HOWDAH_TABLES];
  howdah_table_copy *settings; /* one of them: the ini directives */
  zend_ini_entry **modified;   /* those that had been changed; owned */
  size_t modified_count;
  zend_ini_entry *changed[HOWDAH_CHANGES_MAX]; /* by the request */
  size_t changed_count;
} howdah_table_copies;

/* False: no memory; howdah_table_copies_free() then frees what was made. */
bool howdah_table_copies_take(howdah_table_copies *copies, char *pages);
/* Before they are put back: whether there is memory to do so, and which settings differ. False with what there is too little,
 * or too much of. */
bool howdah_table_copies_prepare(howdah_table_copies *copies, const char **why);
void howdah_table_copies_put_back(howdah_table_copies *copies);
/* Whether each byte is as it was. */
bool howdah_table_copies_are_back(const howdah_table_copies *copies);
void howdah_table_copies_free(howdah_table_copies *copies);

#endif
