/* php-fpm's module cgi-fcgi: its settings and functions (sapi/fpm/fpm/fpm_main.c, 8.2.36, 8.4.24), but for fpm_get_status(): there are no children.
 *
 * What the settings mean here:
 *  - cgi.fix_pathinfo: PHP_SELF is SCRIPT_NAME and PATH_INFO; off, it is PATH_INFO where there is one. Applications look at the setting, too
 *    (Joomla takes SCRIPT_NAME for its own place only where it is on).
 *  - fastcgi.logging: off, PHP's messages about a request do not reach nginx's error log.
 *  - fastcgi.error_header: a header that a response gets whose script ended with status 255 before its head was made.
 *  - cgi.force_redirect, cgi.redirect_status_env: nothing in php-fpm either, and gone in 8.5.7.
 *  - fastcgi.script_path_encoded (8.5.7): how a proxy hands php-fpm a path. Nothing here: nginx has decoded it.
 *  - cgi.nph, cgi.rfc2616_headers, cgi.discard_path: how php-fpm talks with the web server. Nothing here: the module is the web server's.
 *  - fpm.config: names a file of pools. Nothing here.
 * Values are looked up where they are used, in the realm's own table: there is no memory of them that a switch would have to carry. */
#include "fpm.h"
#include "sapi.h"

#include <build-defs.h>
#include <ext/standard/info.h>
#include <string.h>
#include <unistd.h>

enum { FAILED_STATUS = 255 }; /* of a script that a fatal error has ended, or exit(255) */

#define TEXT_OF(number) #number
#define TEXT(number)    TEXT_OF(number)

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_bool, 0, 0, _IS_BOOL, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_array, 0, 0, IS_ARRAY, 0)
ZEND_END_ARG_INFO()

/* fastcgi_finish_request(): bool, and frankenphp_finish_request(): bool
 * Sends the response now; the script goes on. False when it was sent already. */
ZEND_FUNCTION(fastcgi_finish_request) {
  ZEND_PARSE_PARAMETERS_NONE();
  howdah_realm *realm = howdah_realm_current();
  RETURN_BOOL(realm && howdah_sapi_end_response(realm));
}

/* apache_request_headers(): array, getallheaders(): array, and frankenphp_request_headers(): array */
ZEND_FUNCTION(apache_request_headers) {
  ZEND_PARSE_PARAMETERS_NONE();
  array_init(return_value);
  howdah_sapi_request_headers(return_value);
}

static const zend_function_entry functions[] = {ZEND_FE(fastcgi_finish_request, arginfo_bool) ZEND_FE(
    apache_request_headers, arginfo_array) ZEND_FALIAS(getallheaders, apache_request_headers, arginfo_array) ZEND_FE_END};

/* Takes any value, as php-fpm does: what nobody is asked about could not be put back by ini_restore(). */
static ZEND_INI_MH(take) {
  (void)entry, (void)new_value, (void)mh_arg1, (void)mh_arg2, (void)mh_arg3, (void)stage;
  return SUCCESS;
}

#define BOOLEAN(name, value, who) PHP_INI_ENTRY_EX(name, value, who, take, zend_ini_boolean_displayer_cb)

PHP_INI_BEGIN()
BOOLEAN("cgi.rfc2616_headers", "0", PHP_INI_ALL)
BOOLEAN("cgi.nph", "0", PHP_INI_ALL)
#if PHP_VERSION_ID < 80500
BOOLEAN("cgi.force_redirect", "1", PHP_INI_SYSTEM)
PHP_INI_ENTRY("cgi.redirect_status_env", NULL, PHP_INI_SYSTEM, NULL)
#else
BOOLEAN("fastcgi.script_path_encoded", "1", PHP_INI_SYSTEM)
#endif
BOOLEAN("cgi.fix_pathinfo", "1", PHP_INI_SYSTEM)
BOOLEAN("cgi.discard_path", "0", PHP_INI_SYSTEM)
BOOLEAN("fastcgi.logging", "1", PHP_INI_SYSTEM)
PHP_INI_ENTRY("fastcgi.error_header", NULL, PHP_INI_SYSTEM, NULL)
PHP_INI_ENTRY("fpm.config", NULL, PHP_INI_SYSTEM, NULL)
PHP_INI_END()

static PHP_MINIT_FUNCTION(fpm) {
  (void)type;
  REGISTER_INI_ENTRIES();
  return SUCCESS;
}

static PHP_MSHUTDOWN_FUNCTION(fpm) {
  (void)type;
  UNREGISTER_INI_ENTRIES();
  return SUCCESS;
}

static PHP_MINFO_FUNCTION(fpm) {
  DISPLAY_INI_ENTRIES();
}

static zend_module_entry module = {STANDARD_MODULE_HEADER,
                                   "cgi-fcgi",
                                   functions,
                                   PHP_MINIT(fpm),
                                   PHP_MSHUTDOWN(fpm),
                                   NULL,
                                   NULL,
                                   PHP_MINFO(fpm),
                                   PHP_VERSION,
                                   STANDARD_MODULE_PROPERTIES};

static int (*register_others)(void);

/* php-fpm is built without pcntl, and its functions would act on the worker as a whole: applications that find the module believe that they are there.
 * The number that it had, or -1: there is none. */
static int leave_out_pcntl(void) {
  static const char name[] = "pcntl";
  const zend_module_entry *built_in = zend_hash_str_find_ptr(&module_registry, name, sizeof(name) - 1);
  if (!built_in) return -1;
  int number = built_in->module_number;
  zend_unregister_functions(built_in->functions, -1, NULL);
  zend_hash_str_del(&module_registry, name,
                    sizeof(name) - 1); /* not started: nothing of it but its functions is anywhere yet */
  return number;
}

/* A module's number is that of all modules there are and one (zend_next_free_module()), so that with one left out two would have the same, and PHP would
 * take the constants and settings of one for the other's: the number that has become free is for ours. */
static int register_modules(void) {
  if (register_others() == FAILURE) return FAILURE;
  int number = leave_out_pcntl();
  zend_module_entry *registered = zend_register_internal_module(&module);
  if (!registered) return FAILURE;
  if (number >= 0) registered->module_number = number;
  return SUCCESS;
}

void howdah_fpm_add_module(void) {
  if (php_register_internal_extensions_func == register_modules) return;
  register_others = php_register_internal_extensions_func;
  php_register_internal_extensions_func = register_modules;
}

/* Under php-fpm PHP_BINARY is php-fpm, which runs no script that is named to it, so that applications look for a php beside it. nginx would be even less
 * use: it is the php of the command line, of this version where it can be told. */
void howdah_fpm_name_program(sapi_module_struct *sapi) {
  static char versioned[] = PHP_BINDIR "/php" TEXT(PHP_MAJOR_VERSION) "." TEXT(PHP_MINOR_VERSION);
  static char plain[] = PHP_BINDIR "/php";
  sapi->executable_location = access(versioned, X_OK) == 0 ? versioned : plain;
}

bool howdah_fpm_is_on(const char *setting) {
  const zend_ini_entry *entry = zend_hash_str_find_ptr(EG(ini_directives), setting, strlen(setting));
  return entry && entry->value && zend_ini_parse_bool(entry->value);
}

void howdah_fpm_add_error_header(void) {
  static const char setting[] = "fastcgi.error_header";
  const zend_ini_entry *entry = zend_hash_str_find_ptr(EG(ini_directives), setting, sizeof(setting) - 1);
  if (EG(exit_status) != FAILED_STATUS || SG(headers_sent) || !entry || !entry->value || !ZSTR_LEN(entry->value)) return;
  zend_try {
    sapi_header_line header = {.line = ZSTR_VAL(entry->value), .line_len = ZSTR_LEN(entry->value)};
    sapi_header_op(SAPI_HEADER_REPLACE, &header);
  }
  zend_end_try();
}
