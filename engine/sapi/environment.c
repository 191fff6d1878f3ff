/* The process's environment as variables of PHP. PHP makes, hashes and frees two strings for each of its entries in each request that looks at
 * $_SERVER: 660 instructions (PHP 8.2), and a console has forty of them. What it has once made of an environment holds for each that has the same
 * entries in the same order. They are compared, since scripts change them (putenv()): pointers tell nothing, for memory is used again. */
#include "sapi.h"
#include "names.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  zend_string *name; /* NULL: PHP makes a number of it */
  zend_ulong index;
  zend_string *value;
} variable;

/* The first environment that was asked for: of all realms, until one of them calls putenv(). */
static struct {
  bool tried;
  char **entries; /* up to NULL; NULL: nothing is known */
  variable *variables;
  uint32_t count;
} known;

static bool is_known(void) {
  char *const *entry = known.entries, *const *now = environ;
  if (!entry || !now) return false;
  while (*entry && *now && strcmp(*entry, *now) == 0)
    entry++, now++;
  return !*entry && !*now;
}

static zend_string *kept(const zend_string *text) {
  return howdah_string_for_ever((howdah_str){ZSTR_VAL(text), ZSTR_LEN(text)});
}

static char **copy_entries(void) {
  size_t count = 0;
  while (environ && environ[count])
    count++;
  char **copy = calloc(count + 1, sizeof(*copy));
  for (size_t i = 0; copy && i < count; i++)
    if (!(copy[i] = strdup(environ[i]))) {
      while (i > 0)
        free(copy[--i]);
      free(copy);
      return NULL;
    }
  return copy;
}

/* Without memory for it each request does without. */
static void learn(zval *array) {
  HashTable *made = Z_ARRVAL_P(array);
  zend_ulong index;
  zend_string *name;
  zval *value;
  known.tried = true;
  known.variables = calloc(zend_hash_num_elements(made) + 1, sizeof(*known.variables));
  if (!known.variables) return;
  ZEND_HASH_FOREACH_KEY_VAL(made, index, name, value) {
    if (Z_TYPE_P(value) != IS_STRING) return; /* no PHP makes that */
    known.variables[known.count++] = (variable){name ? kept(name) : NULL, index, kept(Z_STR_P(value))};
  }
  ZEND_HASH_FOREACH_END();
  known.entries = copy_entries();
}

void howdah_sapi_import_environment(zval *array, void (*import)(zval *array)) {
  if (!is_known()) {
    bool empty = zend_hash_num_elements(Z_ARRVAL_P(array)) == 0;
    import(array);
    if (empty && !known.tried) learn(array);
    return;
  }
  for (const variable *one = known.variables; one < known.variables + known.count; one++) {
    zval text;
    ZVAL_INTERNED_STR(&text, one->value);
    if (one->name)
      zend_hash_update(Z_ARRVAL_P(array), one->name, &text);
    else
      zend_hash_index_update(Z_ARRVAL_P(array), one->index, &text);
  }
}
