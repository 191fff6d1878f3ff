/* Hidden state of opcache: what of accel_globals belongs to a request (ext/opcache/ZendAccelerator.h).
 *
 * Private, as under ZTS: nearly all of it. A compilation may run PHP code (a stream wrapper, an error handler), which waits;
 * then others compile. So what one compilation uses is a realm's: the key (32 KB, of which what is used is copied:
 * ../process/opcache_key.h), mem, current_persistent_script, xlat_table. counted says that this request holds the reader's
 * lock; the lock itself is the process's (README.md says what follows). Shared: locked, as the process holds the writer's lock,
 * and no PHP code runs meanwhile; what a preloaded script left, made once when PHP starts. pcre_reseted and last_restart_time
 * say whether the realpath and pattern caches were emptied: they are private where the pattern cache is
 * (HOWDAH_PCRE_CACHE_PRIVATE). */
#include "probe.h"

#include <stddef.h>

typedef struct {
  char *base;
  howdah_accel_head *head;
  howdah_accel_tail *tail;
} accel;

/* Where an ini entry of accel_globals writes, or NULL. */
static void *member(const accel *globals, const char *entry) {
  zend_ini_entry *ini = howdah_probe_ini(entry);
  return ini && ini->mh_arg2 == globals->base ? globals->base + (size_t)ini->mh_arg1 : NULL;
}

static bool locate(accel *globals) {
  zend_ini_entry *enable = howdah_probe_ini("opcache.enable");
  zend_ini_entry *last = howdah_probe_ini(HOWDAH_ACCEL_LAST_DIRECTIVE);
  zend_ini_entry *memory = howdah_probe_ini("opcache.memory_consumption");
  if (!enable || !enable->mh_arg2 || (size_t)enable->mh_arg1 != offsetof(howdah_accel_head, enabled)) return false;
  globals->base = enable->mh_arg2;
  if (!last || last->mh_arg2 != globals->base || !memory || memory->mh_arg2 != globals->base) return false;
  if ((size_t)memory->mh_arg1 != ((sizeof(howdah_accel_head) + 7) & ~(size_t)7)) return false;
  globals->head = (void *)globals->base;
  globals->tail = (void *)(globals->base + (size_t)last->mh_arg1 + sizeof(char *));
  return howdah_probe_readable(globals->base, (size_t)((char *)(globals->tail + 1) - globals->base));
}

/* Several values of the directives, so that a chance agreement is out of the question. */
static bool directives_agree(const accel *globals) {
  static const char *const bools[] = {"opcache.use_cwd", "opcache.validate_timestamps", "opcache.save_comments",
                                      "opcache.revalidate_path"};
  static const char *const longs[] = {"opcache.interned_strings_buffer", "opcache.force_restart_timeout",
                                      "opcache.log_verbosity_level", "opcache.optimization_level"};
  for (size_t i = 0; i < sizeof(bools) / sizeof(*bools); i++) {
    const bool *value = member(globals, bools[i]);
    if (!value || *value != (zend_ini_long(bools[i], strlen(bools[i]), 0) != 0)) return false;
  }
  for (size_t i = 0; i < sizeof(longs) / sizeof(*longs); i++) {
    const zend_long *value = member(globals, longs[i]);
    if (!value || *value != zend_ini_long(longs[i], strlen(longs[i]), 0)) return false;
  }
  return true;
}

/* Asking for a relative path makes opcache build a key from it and from the current directory: the two ends of the tail. */
static bool tail_agrees(howdah_probe *probe, const accel *globals) {
  static const char path[] = "howdah-probe.php";
  bool *use_cwd = member(globals, "opcache.use_cwd");
  char **restrict_api = member(globals, "opcache.restrict_api");
  if (!use_cwd || !restrict_api) return false;
  *use_cwd = true;
  *restrict_api = NULL;
  howdah_accel_tail *tail = globals->tail;
  if (!howdah_probe_new_request(probe) || tail->request_time != (time_t)sapi_get_request_time() || tail->cwd ||
      tail->cache_opline || tail->cache_persistent_script)
    return false;
  zval argument, result;
  char cwd[MAXPATHLEN];
  ZVAL_STRING(&argument, path);
  bool asked = howdah_probe_call(probe, "opcache_is_script_cached", 1, &argument, &result);
  zval_ptr_dtor(&argument);
  const zend_string *key = HOWDAH_ACCEL_KEY(tail);
  return asked && VCWD_GETCWD(cwd, sizeof(cwd)) && tail->cwd && howdah_probe_readable(tail->cwd, sizeof(zend_string)) &&
         ZSTR_LEN(tail->cwd) == strlen(cwd) && memcmp(ZSTR_VAL(tail->cwd), cwd, strlen(cwd)) == 0 && !tail->cwd_check &&
         howdah_probe_readable(key, sizeof(*key) + sizeof(path)) && ZSTR_LEN(key) > strlen(path) &&
         memcmp(ZSTR_VAL(key), path, strlen(path)) == 0;
}

static bool add_ranges(howdah_probe *probe, const accel *globals) {
  static const char source[] = "ext/opcache/ZendAccelerator.h";
  howdah_accel_head *head = globals->head;
  howdah_accel_tail *tail = globals->tail;
  char *directives = globals->base + ((sizeof(*head) + 7) & ~(size_t)7);
  const howdah_hidden ranges[] = {
      {.name = "accel_globals.enabled",
       .address = &head->counted,
       .size = offsetof(howdah_accel_head, locked) - offsetof(howdah_accel_head, counted)},
      {.name = "accel_globals.accelerator_enabled", .address = &head->accelerator_enabled, .size = sizeof(bool)},
      {.name = "accel_globals.directives_to_request_time",
       .address = directives,
       .size = (size_t)((char *)&tail->last_restart_time - directives)},
      {.name = "accel_globals.xlat_table",
       .address = &tail->xlat_table,
       .size = offsetof(howdah_accel_tail, root_hash) + sizeof(tail->root_hash) - offsetof(howdah_accel_tail, xlat_table)},
      {.name = "accel_globals.cache_opline",
       .address = &tail->mem,
       .size = offsetof(howdah_accel_tail, key) - offsetof(howdah_accel_tail, mem)},
  };
  const howdah_shared left[] = {
      {.name = HOWDAH_SHARED_OPCACHE_LOCKED,
       .address = &head->locked,
       .size = sizeof(bool),
       .reason = "the process holds opcache's write lock; no switch meanwhile"},
      /* Where opcache is off nobody has checked where that is, and nobody uses it. */
      {.name = HOWDAH_HIDDEN_OPCACHE_KEY,
       .address = HOWDAH_ACCEL_KEY(tail),
       .size = head->accelerator_enabled ? sizeof(zend_string) + MAXPATHLEN * 8 : 0,
       .reason = "what is used of it is swapped with the realm (state/process/opcache_key.c)"},
      /* Since 8.4. */
      {.name = "accel_globals.preloaded_internal_run_time_cache",
       .address = &tail->root_hash + 1,
       .size = (size_t)((char *)&tail->mem - (char *)(&tail->root_hash + 1)),
       .reason = "made once, by preloading"},
  };
  const howdah_hidden about_patterns[] = {
      {.name = "accel_globals.pcre_reseted", .address = &head->pcre_reseted, .size = sizeof(bool)},
      {.name = "accel_globals.last_restart_time", .address = &tail->last_restart_time, .size = sizeof(time_t)},
  };
  for (size_t i = 0; i < sizeof(about_patterns) / sizeof(*about_patterns); i++) {
    howdah_hidden item = about_patterns[i];
    item.source = source;
    howdah_shared of_process = {.name = item.name,
                                .address = item.address,
                                .size = item.size,
                                .source = source,
                                .reason = "about the process's pattern cache"};
    if (!(HOWDAH_PCRE_CACHE_PRIVATE ? howdah_probe_add(probe, item) : howdah_probe_add_shared(probe, of_process))) return false;
  }
  for (size_t i = 0; i < sizeof(ranges) / sizeof(*ranges); i++) {
    howdah_hidden item = ranges[i];
    item.source = source;
    if (!howdah_probe_add(probe, item)) return false;
  }
  for (size_t i = 0; i < sizeof(left) / sizeof(*left); i++) {
    howdah_shared item = left[i];
    item.source = source;
    if (item.size == 0) continue;
    if (!howdah_probe_add_shared(probe, item)) return false;
  }
  return true;
}

bool howdah_find_opcache(howdah_probe *probe) {
  static const char what[] = "opcache's accel_globals";
  accel globals;
  if (!howdah_probe_module("zend opcache")) return true;
  if (!locate(&globals) || !directives_agree(&globals))
    return howdah_probe_fail(probe, what, "its ini entries do not point into them as in ext/opcache/zend_accelerator_module.c");
  /* Where opcache is loaded but off it never writes to the rest: nothing to check, and nothing to go wrong. */
  if (globals.head->accelerator_enabled && !tail_agrees(probe, &globals))
    return howdah_probe_fail(probe, what, "they do not follow a request as in ext/opcache/ZendAccelerator.h");
  return add_ranges(probe, &globals);
}
