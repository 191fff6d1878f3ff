/* PHP settings of one request. See ini.h.
 *
 * php-fpm sets them for the rest of the child's life (fpm_php_zend_ini_alter_master(), sapi/fpm/fpm/fpm_php.c, 8.2), so that
 * they meet other sites' requests. Here they are the request's: a realm's ini entries are its own (state/tables.c), and it gets
 * the old values back. */
#include "ini.h"
#include "sapi.h"
#include "../log.h"

#include <stdlib.h>
#include <string.h>
#include <zend_ini_scanner.h>

/* What an entry held before, the last change first. */
typedef struct override override;
struct override {
  zend_ini_entry *entry;
  zend_string *value, *own;
  uint8_t modifiable;
  override *next;
};

typedef struct {
  howdah_realm *realm;
  int mode; /* ZEND_INI_USER: the script may change it; ZEND_INI_SYSTEM: it may not */
  bool refused;
} parsing;

static void refuse(parsing *self, const char *why, const char *name) {
  howdah_log(HOWDAH_LOG_ERROR, self->realm->request, "howdah: %s %s: refused to run the script without it", name, why);
  self->refused = true;
}

static void apply(parsing *self, zend_string *name, zend_string *text) {
  zend_ini_entry *entry = zend_hash_find_ptr(EG(ini_directives), name);
  if (!entry) {
    howdah_log(HOWDAH_LOG_ERROR, self->realm->request, "howdah: PHP_VALUE or PHP_ADMIN_VALUE: PHP has no setting \"%s\"",
               ZSTR_VAL(name));
    return;
  }
  override *change = malloc(sizeof(*change));
  if (!change) {
    refuse(self, "could not be set: out of memory", ZSTR_VAL(name));
    return;
  }
  /* Persistent, as from php.ini: what points into it outlives the request's heap by a moment. */
  zend_string *own = zend_string_init(ZSTR_VAL(text), ZSTR_LEN(text), 1);
  *change = (override){.entry = entry, .value = entry->value, .own = own, .modifiable = entry->modifiable};
  change->next = self->realm->ini_overrides;
  if (entry->on_modify &&
      entry->on_modify(entry, own, entry->mh_arg1, entry->mh_arg2, entry->mh_arg3, ZEND_INI_STAGE_ACTIVATE) == FAILURE) {
    zend_string_release(own);
    free(change);
    return; /* php-fpm says nothing either: the module has */
  }
  entry->value = own;
  if (self->mode == ZEND_INI_SYSTEM) entry->modifiable = ZEND_INI_SYSTEM;
  self->realm->ini_overrides = change;
  /* The scanner's filter stays when the setting goes (LANG_SCNG(input_filter), Zend/zend_language_scanner.l, 8.2), and PHP
   * never ends looking for a place in a file that was not filtered (zend_get_scanned_file_offset()): the realm serves no other
   * request. */
  if (zend_string_equals_literal(name, "zend.multibyte")) howdah_realm_retire(self->realm);
}

/* Code calls a function that existed as it was compiled without asking whether it still does (ZEND_INIT_FCALL,
 * Zend/zend_vm_def.h, 8.2): what opcache keeps for others would crash, and so does a php-fpm child. The request compiles for
 * itself. */
static void leave_opcache(parsing *self) {
  static const char name[] = "opcache.enable";
  zend_string *entry = zend_string_init(name, strlen(name), 0);
  if (zend_hash_exists(EG(ini_directives), entry)) apply(self, entry, ZSTR_CHAR('0'));
  zend_string_release(entry);
}

/* Takes functions out of the realm's own table, for good: the realm ends with the request. They are other realms', too: not
 * freed. */
static void disable_functions(parsing *self, const char *names) {
  const char *preload = zend_ini_string("opcache.preload", strlen("opcache.preload"), 0);
  if (preload && *preload) {
    refuse(self, "cannot be set for one request where code is preloaded (set it in php.ini or with howdah_ini)",
           "disable_functions");
    return;
  }
  leave_opcache(self);
  dtor_func_t destructor = CG(function_table)->pDestructor;
  CG(function_table)->pDestructor = NULL;
  zend_disable_functions(names);
  CG(function_table)->pDestructor = destructor;
  howdah_realm_retire(self->realm);
}

/* As fastcgi_ini_parser() and fpm_php_apply_defines_ex(). */
static void on_entry(zval *name, zval *value, zval *index, int kind, void *data) {
  parsing *self = data;
  (void)index;
  if (!name || Z_TYPE_P(name) != IS_STRING) return;
  if (kind != ZEND_INI_PARSER_ENTRY || !value || Z_TYPE_P(value) != IS_STRING || Z_STRLEN_P(name) == 0) {
    howdah_log(HOWDAH_LOG_ERROR, self->realm->request, "howdah: PHP_VALUE and PHP_ADMIN_VALUE take lines of name=value");
    return;
  }
  if (zend_string_equals_literal(Z_STR_P(name), "extension") && Z_STRLEN_P(value)) {
    refuse(self, "cannot be loaded for one request (load it in php.ini)", "an extension");
    return;
  }
  /* Classes are shared by all realms of the process. */
  if (zend_string_equals_literal(Z_STR_P(name), "disable_classes") && Z_STRLEN_P(value)) {
    refuse(self, "cannot be set for one request (set it in php.ini or with howdah_ini)", "disable_classes");
    return;
  }
  if (zend_string_equals_literal(Z_STR_P(name), "browscap") && !howdah_browscap_own(&self->realm->state.process.browscap)) {
    refuse(self, "could not be set: out of memory", "browscap");
    return;
  }
  /* The memory is all requests': others would crash at their first script (SHM_UNPROTECT(), ext/opcache/ZendAccelerator.h,
   * 8.2). */
  if (zend_string_equals_literal(Z_STR_P(name), "opcache.protect_memory")) {
    howdah_log(HOWDAH_LOG_ERROR, self->realm->request,
               "howdah: PHP_VALUE or PHP_ADMIN_VALUE: %s is not supported: it protects memory that all requests write to",
               Z_STRVAL_P(name));
    return;
  }
  apply(self, Z_STR_P(name), Z_STR_P(value));
  if (zend_string_equals_literal(Z_STR_P(name), "disable_functions") && Z_STRLEN_P(value))
    disable_functions(self, Z_STRVAL_P(value));
}

static bool parse(howdah_realm *realm, howdah_str lines, int mode) {
  if (!lines.len) return true;
  /* The scanner wants a newline at the end and a zero. */
  char *text = malloc(lines.len + 2);
  if (!text) return false;
  memcpy(text, lines.data, lines.len);
  memcpy(text + lines.len, "\n", 2);
  parsing self = {.realm = realm, .mode = mode};
  volatile bool whole = false;
  zend_try {
    zend_parse_ini_string(text, 1, ZEND_INI_SCANNER_NORMAL, on_entry, &self);
    whole = true;
  }
  zend_end_try();
  free(text);
  return whole && !self.refused;
}

bool howdah_ini_begin(howdah_realm *realm) {
  const howdah_request *request = realm->request;
  return parse(realm, request->php_value, ZEND_INI_USER) && parse(realm, request->php_admin_value, ZEND_INI_SYSTEM);
}

void howdah_ini_end(howdah_realm *realm) {
  while (realm->ini_overrides) {
    override *change = realm->ini_overrides;
    zend_ini_entry *entry = change->entry;
    realm->ini_overrides = change->next;
    zend_try { /* as zend_restore_ini_entry_cb() */
      if (entry->on_modify)
        entry->on_modify(entry, change->value, entry->mh_arg1, entry->mh_arg2, entry->mh_arg3, ZEND_INI_STAGE_DEACTIVATE);
    }
    zend_end_try();
    entry->value = change->value;
    entry->modifiable = change->modifiable;
    zend_string_release(change->own);
    free(change);
  }
  howdah_browscap_forget(&realm->state.process.browscap);
}
