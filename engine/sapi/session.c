/* Sessions in worker mode: how the script keeps them, as it has said while it booted, holds for each of its requests; what a
 * request says about that ends with it. PHP has one end for both (PHP_RSHUTDOWN_FUNCTION(session), ext/session/session.c, 8.2):
 * it forgets the handler's functions, and php.ini's save handler comes back with all other settings, which worker mode keeps. */
#include "session.h"

#include <ext/session/php_session.h>

enum { FUNCTIONS = sizeof(((php_ps_globals *)0)->mod_user_names) / sizeof(zval) };

typedef struct {
  zend_string *class_name, *module;
  const ps_module *default_module; /* what SessionHandler's methods call */
  zend_ini_entry *entry;           /* session.save_handler */
  bool has_functions;
  zval functions[FUNCTIONS]; /* undefined: the script has no handler of its own */
} boot_handler;

static php_ps_globals *globals_of(const zend_module_entry *session) {
  return session->globals_ptr;
}

/* A union of an array and a struct in PHP 8.2, the struct alone from 8.3 on. */
static zval *functions_of(php_ps_globals *globals) {
  return (zval *)&globals->mod_user_names;
}

void howdah_session_booted(howdah_realm *realm, const zend_module_entry *session) {
  if (!session) return;
  php_ps_globals *globals = globals_of(session);
  zend_ini_entry *entry =
      zend_hash_str_find_ptr(EG(ini_directives), "session.save_handler", sizeof("session.save_handler") - 1);
  if (!entry || !entry->value) return;
  boot_handler *boot = emalloc(sizeof(*boot));
  boot->has_functions = false;
  for (size_t i = 0; i < FUNCTIONS; i++) {
    ZVAL_COPY(&boot->functions[i], &functions_of(globals)[i]);
    if (!Z_ISUNDEF(boot->functions[i])) boot->has_functions = true;
  }
  boot->class_name = globals->mod_user_class_name ? zend_string_copy(globals->mod_user_class_name) : NULL;
  boot->module = zend_string_copy(entry->value);
  boot->default_module = globals->default_mod;
  boot->entry = entry;
  realm->boot_sessions = boot;
}

void howdah_session_close(const zend_module_entry *session) {
  php_ps_globals *globals = session ? globals_of(session) : NULL;
  if (!globals || !globals->mod_user_is_open) return;
  globals->mod_user_is_open = false;
  if (globals->mod_data && globals->default_mod) globals->default_mod->s_close(&globals->mod_data);
}

void howdah_session_ended(howdah_realm *realm, const zend_module_entry *session) {
  howdah_session_close(session);
  boot_handler *boot = realm->boot_sessions;
  if (!boot) return;
  php_ps_globals *globals = globals_of(session);
  for (size_t i = 0; boot->has_functions && i < FUNCTIONS; i++)
    ZVAL_COPY(&functions_of(globals)[i], &boot->functions[i]);
  if (boot->class_name && !globals->mod_user_class_name) globals->mod_user_class_name = zend_string_copy(boot->class_name);
  if (!zend_string_equals(boot->entry->value, boot->module)) {
    /* OnUpdateSaveHandler() takes "user" from session_set_save_handler() only, and nothing after the head is sent but at the
     * end. */
    globals->set_handler = 1;
    zend_alter_ini_entry_ex(boot->entry->name, boot->module, ZEND_INI_USER, ZEND_INI_STAGE_DEACTIVATE, true);
    globals->set_handler = 0;
  }
  globals->default_mod = boot->default_module;
}

void howdah_session_forget(howdah_realm *realm) {
  boot_handler *boot = realm ? realm->boot_sessions : NULL;
  if (!boot) return;
  realm->boot_sessions = NULL;
  for (size_t i = 0; i < FUNCTIONS; i++)
    zval_ptr_dtor(&boot->functions[i]);
  if (boot->class_name) zend_string_release(boot->class_name);
  zend_string_release(boot->module);
  efree(boot);
}
