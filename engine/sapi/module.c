/* The SAPI module structure: what PHP calls, and where it is answered. */
#include "sapi.h"
#include "fpm.h"
#include "heap.h"
#include "ini.h"
#include "run.h"
#include "shutdown.h"
#include "trace.h"
#include "user_ini.h"
#include "../log.h"
#include "../realm/pool.h"

#include <syslog.h>

static int startup(sapi_module_struct *module) {
  howdah_fpm_add_module();
  howdah_fpm_name_program(module);
  if (php_module_startup(module, &howdah_php_module) != SUCCESS) return FAILURE;
  howdah_shutdown_install();
  return SUCCESS;
}

/* Where php.ini says nothing, what php-fpm says (sapi/fpm/fpm/fpm_main.c, sapi_cgi_ini_defaults, 8.2). */
static void ini_defaults(HashTable *configuration) {
  zval value;
  ZVAL_NEW_STR(&value, zend_string_init("1", 1, 1));
  zend_hash_str_update(configuration, "display_errors", sizeof("display_errors") - 1, &value);
}

static int activate(void) {
  const howdah_realm *realm = howdah_realm_current();
  if (realm && !EG(current_execute_data)) howdah_limit_recursion(realm);
  if (realm && realm->pool->mode == HOWDAH_CLASSIC) howdah_user_ini_apply(realm);
  return SUCCESS;
}

/* At a request's end: what it took is known, and its settings go. Uploaded files are about to be removed, but whoever read one
 * left its path in the realpath cache, whose entries are only looked for when their slot is used again: up to 4 MB of paths
 * that will never come back. */
static int deactivate(void) {
  zend_string *path;
  howdah_realm *realm = howdah_realm_current();
  if (realm && realm->request) realm->request->memory = zend_memory_peak_usage(true);
  if (realm) howdah_ini_end(realm);
  if (!SG(rfc1867_uploaded_files)) return SUCCESS;
  ZEND_HASH_FOREACH_STR_KEY(SG(rfc1867_uploaded_files), path) {
    if (path) realpath_cache_del(ZSTR_VAL(path), ZSTR_LEN(path));
  }
  ZEND_HASH_FOREACH_END();
  return SUCCESS;
}

static char *read_cookies(void) {
  return SG(request_info).cookie_data;
}

static void log_message(const char *message, int syslog_level) {
  howdah_log_level level = syslog_level <= LOG_ERR       ? HOWDAH_LOG_ERROR
                           : syslog_level == LOG_WARNING ? HOWDAH_LOG_WARNING
                           : syslog_level == LOG_DEBUG   ? HOWDAH_LOG_DEBUG
                                                         : HOWDAH_LOG_NOTICE;
  howdah_realm *realm = howdah_realm_current();
  bool is_of_request = realm && realm->request && (realm->pool->mode == HOWDAH_CLASSIC || realm->booted);
  if (is_of_request && !howdah_fpm_is_on("fastcgi.logging")) return;
  howdah_log_raw(level, realm ? realm->request : NULL, message, strlen(message));
}

sapi_module_struct howdah_sapi = {
    .name = "fpm-fcgi",
    .pretty_name = "Howdah",
    .startup = startup,
    .shutdown = php_module_shutdown_wrapper,
    .activate = activate,
    .deactivate = deactivate,
    .ub_write = howdah_sapi_write,
    .flush = howdah_sapi_flush,
    .getenv = howdah_sapi_getenv,
    .sapi_error = php_error,
    .send_headers = howdah_sapi_send_headers,
    .read_post = howdah_sapi_read_body,
    .read_cookies = read_cookies,
    .register_server_variables = howdah_sapi_register_variables,
    .log_message = log_message,
    .php_ini_ignore_cwd = 1,
    .ini_defaults = ini_defaults,
    .phpinfo_as_text = 0,
};

const howdah_realm_code howdah_sapi_realm_code = {.classic = howdah_classic_main,
                                                  .worker = howdah_worker_main,
                                                  .ignores_abort = howdah_sapi_ignores_abort,
                                                  .tell_boot = howdah_sapi_tell_boot,
                                                  .memory = howdah_heap_size,
                                                  .place = howdah_trace_place,
                                                  .each_frame = howdah_trace_each};
