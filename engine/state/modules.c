/* Extensions' globals: "as ZTS would do for a thread" (TSRM.c allocate_new_resource(), zend_new_thread_end_handler()). A plain
 * copy of the base image is wrong where a constructor allocates: mbstring's globals would point to memory that every realm
 * believes to be its own. */
#include "modules.h"
#include "php_headers.h"
#include "version.h"

#include <stdlib.h>
#include <string.h>

/* Core ini entries whose handlers make something outside the tables: the heap's limits, the collector's buffer, the list of
 * script encodings, and the malloc'ed tables of the URL rewriter (ext/standard/url_scanner_ex.re, php_ini_on_update_tags),
 * which free the copy they find. */
static const char *const core_entries[] = {"memory_limit",         "memory_hard_limit_percent", "zend.enable_gc",
                                           "zend.script_encoding", "session.trans_sid_tags",    "session.trans_sid_hosts",
                                           "url_rewriter.tags",    "url_rewriter.hosts"};

static bool constructs(const zend_module_entry *module) {
  /* pcre's constructor forgets the character tables, which are shared; its cache and its hidden statics have births of their
   * own. */
  return module->globals_size && module->globals_ctor && strcmp(module->name, "pcre") != 0;
}

static void refresh(zend_ini_entry *entry) {
  if (entry->on_modify)
    entry->on_modify(entry, entry->value, entry->mh_arg1, entry->mh_arg2, entry->mh_arg3, ZEND_INI_STAGE_STARTUP);
}

/* basic_globals_ctor() (ext/standard/basic_functions.c): what the base image points to belongs to the base. */
static void basic_globals_birth(void) {
  BG(url_adapt_session_ex).tags = NULL;
  BG(url_adapt_output_ex).tags = NULL;
  zend_hash_init(&BG(url_adapt_session_hosts_ht), 0, NULL, NULL, 1);
  zend_hash_init(&BG(url_adapt_output_hosts_ht), 0, NULL, NULL, 1);
}

static void free_tags(url_adapt_state_ex_t *state) {
  if (!state->tags) return;
  zend_hash_destroy(state->tags);
  free(state->tags);
  state->tags = NULL;
}

/* basic_globals_dtor() */
static void basic_globals_death(void) {
  free_tags(&BG(url_adapt_session_ex));
  free_tags(&BG(url_adapt_output_ex));
  zend_hash_destroy(&BG(url_adapt_session_hosts_ht));
  zend_hash_destroy(&BG(url_adapt_output_hosts_ht));
}

/* ext/pgsql has no destructor: under ZTS, what its constructor allocates is lost with the thread, 2 KB of patterns since 8.4.
 * Frees it as PHP_MSHUTDOWN_FUNCTION(pgsql) does. */
static void pgsql_globals_death(const zend_module_entry *module) {
  if (module->globals_size == sizeof(howdah_pgsql_globals) && strcmp(module->name, "pgsql") == 0)
    howdah_pgsql_globals_death(module->globals_ptr);
}

void howdah_modules_birth(void) {
  /* Module numbers are small and dense; one more than the registry holds is left for modules numbered after a gap. */
  static unsigned char constructed[512];
  memset(constructed, 0, sizeof(constructed));
  zend_module_entry *module;
  ZEND_HASH_FOREACH_PTR(&module_registry, module) {
    if (!constructs(module)) continue;
    memset(module->globals_ptr, 0, module->globals_size);
    module->globals_ctor(module->globals_ptr);
    if ((size_t)module->module_number < sizeof(constructed)) constructed[module->module_number] = 1;
  }
  ZEND_HASH_FOREACH_END();

  basic_globals_birth();
  /* Copied from the base with a list that belongs to it (compiler_globals_ctor(), Zend/zend.c). */
  CG(script_encoding_list) = NULL;
  CG(script_encoding_list_size) = 0;

  zend_ini_entry *entry;
  ZEND_HASH_FOREACH_PTR(EG(ini_directives), entry) {
    if (entry->module_number >= 0 && (size_t)entry->module_number < sizeof(constructed) && constructed[entry->module_number])
      refresh(entry);
  }
  ZEND_HASH_FOREACH_END();
  for (size_t i = 0; i < sizeof(core_entries) / sizeof(*core_entries); i++) {
    entry = zend_hash_str_find_ptr(EG(ini_directives), core_entries[i], strlen(core_entries[i]));
    if (entry && entry->value) refresh(entry);
  }
}

void howdah_modules_death(void) {
  zend_module_entry *module;
  ZEND_HASH_FOREACH_PTR(&module_registry, module) {
    if (!constructs(module)) continue;
    if (module->globals_dtor)
      module->globals_dtor(module->globals_ptr);
    else
      pgsql_globals_death(module);
  }
  ZEND_HASH_FOREACH_END();
  basic_globals_death();
  free((void *)CG(script_encoding_list));
}
