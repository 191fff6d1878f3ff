/* Hidden state that realms share on purpose, and that no other finder meets: found for the audit, which must tell it from state
 * that nobody knows. */
#include "probe.h"

#include <stddef.h>
#include <stdlib.h>

/* ---- Structs that only their ini entries know ---------------------------------------------------------------------------- */

static const struct {
  const char *entry;
  const char *source;
  const char *reason;
} by_entry[] = {
    {"cli.prompt", "ext/readline/readline_cli.h", "used by the interactive shell of php-cli alone"},
    {"igbinary.compact_strings", "pecl/igbinary, php_igbinary.h", "one setting, which changes speed alone"},
};

/* The struct reaches at least as far as the last entry that writes to it. */
static size_t extent(const void *base) {
  size_t size = 0;
  zend_ini_entry *entry;
  ZEND_HASH_FOREACH_PTR(EG(ini_directives), entry) {
    if (entry->mh_arg2 == base && (size_t)entry->mh_arg1 + sizeof(zend_long) > size)
      size = (size_t)entry->mh_arg1 + sizeof(zend_long);
  }
  ZEND_HASH_FOREACH_END();
  return size;
}

static bool add_by_entry(howdah_probe *probe) {
  for (size_t i = 0; i < sizeof(by_entry) / sizeof(*by_entry); i++) {
    zend_ini_entry *entry = howdah_probe_ini(by_entry[i].entry);
    if (!entry || !entry->mh_arg2) continue;
    howdah_shared item = {.name = by_entry[i].entry,
                          .address = entry->mh_arg2,
                          .size = extent(entry->mh_arg2),
                          .source = by_entry[i].source,
                          .reason = by_entry[i].reason};
    if (!howdah_probe_add_shared(probe, item)) return false;
  }
  return true;
}

/* ---- browscap_globals (ext/standard/browscap.c) -------------------------------------------------------------------------- */

typedef struct {
  char path[MAXPATHLEN];
  bool set;
} browscap;

/* The ini entry set for one request alone; the request's end empties it. */
static bool browscap_move(howdah_probe *probe, int step, void *data) {
  browscap *file = data;
  file->set = step % 2 == 0;
  if (!file->set) return howdah_probe_new_request(probe);
  zend_string *name = zend_string_init("browscap", strlen("browscap"), false);
  bool done =
      zend_alter_ini_entry_chars(name, file->path, strlen(file->path), ZEND_INI_SYSTEM, ZEND_INI_STAGE_ACTIVATE) == SUCCESS;
  zend_string_release(name);
  return done;
}

static bool browscap_holds(const void *now, const void *before, int step, void *data) {
  const browscap *file = data;
  (void)before;
  (void)step;
  return *(const char *)now == (file->set ? file->path[0] : '\0');
}

/* The first byte of many things may be a '/': here the whole path stands. */
static bool browscap_confirm(void *place, void *data) {
  browscap *file = data;
  return browscap_move(NULL, 0, file) && howdah_probe_readable(place, sizeof(file->path)) && strcmp(place, file->path) == 0;
}

/* 4 KB that a request uses only when its browscap file is set for it alone: not copied at each switch, but for those (see
 * ../process/browscap.h). */
static bool add_browscap(howdah_probe *probe) {
  browscap file;
  /* Any path without links does: the file is not read. */
  if (!realpath("/proc/version", file.path) && !realpath("/", file.path)) return true;
  howdah_lever lever = {.what = "the globals of get_browser()",
                        .width = 1,
                        .steps = 4,
                        .move = browscap_move,
                        .holds = browscap_holds,
                        .confirm = browscap_confirm,
                        .data = &file};
  char *filename = howdah_probe_search(probe, &lever);
  return filename && howdah_probe_new_request(probe) &&
         howdah_probe_add_shared(
             probe, (howdah_shared){.name = HOWDAH_HIDDEN_BROWSCAP,
                                    .address = filename - offsetof(howdah_browser_data, filename),
                                    .size = sizeof(howdah_browser_data),
                                    .source = "ext/standard/browscap.c",
                                    .reason = "swapped for realms that have a file of their own (state/process/browscap.c)"});
}

/* The first member of ext/pcre's registered globals (php_pcre.h), left out of the block where it is shared. */
static bool add_pattern_cache(howdah_probe *probe) {
  zend_module_entry *pcre = howdah_probe_module("pcre");
  if (HOWDAH_PCRE_CACHE_PRIVATE || !pcre || !pcre->globals_size) return true;
  return howdah_probe_add_shared(probe, (howdah_shared){.name = "pcre_globals.pcre_cache",
                                                        .address = pcre->globals_ptr,
                                                        .size = sizeof(HashTable),
                                                        .source = "ext/pcre/php_pcre.c",
                                                        .reason = "malloc'ed, keyed by the pattern and its locale"});
}

/* What is not a realm's of an exported struct (../block.c). */
static bool add_signals(howdah_probe *probe) {
#ifdef ZEND_SIGNALS
  return howdah_probe_add_shared(
      probe, (howdah_shared){.name = "zend_signal_globals.handlers",
                             .address = zend_signal_globals.handlers,
                             .size = sizeof(zend_signal_globals) - offsetof(zend_signal_globals_t, handlers),
                             .source = "Zend/zend_signal.h",
                             .reason = "signals are the process's, and PHP's handlers take none (SIGG(reset), engine.c)"});
#else
  (void)probe;
  return true;
#endif
}

bool howdah_find_shared(howdah_probe *probe) {
  return add_signals(probe) && add_pattern_cache(probe) && add_by_entry(probe) && add_browscap(probe);
}
