/* Hidden state of ext/spl: the autoload functions and the file extensions of spl_autoload() (ext/spl/php_spl.c). */
#include "probe.h"

/* ---- spl_autoload_functions: a HashTable made by the first registration, gone at the request's end ----------------------- */

static bool is_pointer(const void *place) {
  uintptr_t value = *(const uintptr_t *)place;
  return value && value % sizeof(void *) == 0;
}

static bool register_function(howdah_probe *probe, const char *name) {
  zval argument;
  ZVAL_STRING(&argument, name);
  bool done = howdah_probe_call(probe, "spl_autoload_register", 1, &argument, NULL);
  zval_ptr_dtor(&argument);
  return done;
}

/* A registered autoloader is there at the odd steps. */
static bool functions_move(howdah_probe *probe, int step, void *data) {
  (void)data;
  return step % 2 ? register_function(probe, "strtolower") : howdah_probe_new_request(probe);
}

static bool functions_holds(const void *now, const void *before, int step, void *data) {
  (void)before;
  (void)data;
  return step % 2 ? is_pointer(now) : *(const uintptr_t *)now == 0;
}

static int listed_functions(howdah_probe *probe) {
  zval list;
  if (!howdah_probe_call(probe, "spl_autoload_functions", 0, NULL, &list) || Z_TYPE(list) != IS_ARRAY) return -1;
  int count = (int)zend_hash_num_elements(Z_ARRVAL(list));
  zval_ptr_dtor(&list);
  return count;
}

static bool functions_confirm(void *place, void *data) {
  howdah_probe *probe = data;
  HashTable **functions = place;
  if (!howdah_probe_is_table(*functions, 1)) return false;
  if (!register_function(probe, "strtoupper") || (*functions)->nNumOfElements != 2) return false;
  HashTable *saved = *functions;
  *functions = NULL;
  bool forgotten = listed_functions(probe) == 0;
  *functions = saved;
  return forgotten && listed_functions(probe) == 2;
}

/* ---- spl_autoload_extensions: the very string that was given ------------------------------------------------------------- */

static bool extensions_move(howdah_probe *probe, int step, void *data) {
  zval *strings = data;
  return step < 2 ? howdah_probe_call(probe, "spl_autoload_extensions", 1, &strings[step], NULL)
                  : howdah_probe_new_request(probe);
}

static bool extensions_holds(const void *now, const void *before, int step, void *data) {
  const zval *strings = data;
  (void)before;
  return *(zend_string *const *)now == (step < 2 ? Z_STR(strings[step]) : NULL);
}

static void *search_extensions(howdah_probe *probe) {
  /* Persistent: they outlive the requests that the lever ends. */
  zval strings[2];
  ZVAL_STR(&strings[0], zend_string_init(".howdah", strlen(".howdah"), true));
  ZVAL_STR(&strings[1], zend_string_init(".realm", strlen(".realm"), true));
  howdah_lever lever = {.what = "PHP's SPL autoload extensions",
                        .width = sizeof(void *),
                        .steps = 3,
                        .move = extensions_move,
                        .holds = extensions_holds,
                        .data = strings};
  void *place = howdah_probe_search(probe, &lever);
  for (int i = 0; i < 2; i++)
    zend_string_release_ex(Z_STR(strings[i]), true);
  return place;
}

bool howdah_find_spl(howdah_probe *probe) {
  howdah_lever lever = {.what = "PHP's SPL autoload list",
                        .width = sizeof(void *),
                        .steps = 4,
                        .move = functions_move,
                        .holds = functions_holds,
                        .confirm = functions_confirm,
                        .data = probe};
  void *functions = howdah_probe_search(probe, &lever);
  if (!functions) return false;
  void *extensions = search_extensions(probe);
  /* Both are NULL outside requests. */
  return extensions &&
         howdah_probe_add(probe, (howdah_hidden){.name = "spl_autoload_functions",
                                                 .address = functions,
                                                 .size = sizeof(HashTable *),
                                                 .source = "ext/spl/php_spl.c"}) &&
         howdah_probe_add(probe, (howdah_hidden){.name = "spl_autoload_extensions",
                                                 .address = extensions,
                                                 .size = sizeof(zend_string *),
                                                 .source = "ext/spl/php_spl.c"});
}
