/* FrankenPHP's function for logs (frankenphp.stub.php, 1.12), for the code that calls it. There each message is an object in
 * JSON, as all of Caddy's log is. nginx's error log is text: a line has the message, and behind it its context in JSON. */
#include "journal.h"

#include "../log.h"
#include "sapi.h"

#include <ext/json/php_json.h>
#include <zend_smart_str.h>

/* Of Go's log/slog. Any number between them is one, too. */
enum { DEBUG = -4, INFO = 0, WARN = 4, ERROR = 8 };

static howdah_log_level level_of(zend_long level) {
  return level >= ERROR  ? HOWDAH_LOG_ERROR
         : level >= WARN ? HOWDAH_LOG_WARNING
         : level >= INFO ? HOWDAH_LOG_NOTICE
                         : HOWDAH_LOG_DEBUG;
}

/* What JSON cannot say is null there, or 0. It may call jsonSerialize(), which may throw; json_last_error() stays the
 * script's. */
static void add_context(smart_str *line, zval *context) {
  enum {
    OPTIONS = PHP_JSON_PARTIAL_OUTPUT_ON_ERROR | PHP_JSON_INVALID_UTF8_SUBSTITUTE | PHP_JSON_UNESCAPED_SLASHES |
              PHP_JSON_UNESCAPED_UNICODE | PHP_JSON_PRESERVE_ZERO_FRACTION
  };
  php_json_error_code before = JSON_G(error_code);
  smart_str_appendc(line, ' ');
  php_json_encode(line, context, OPTIONS);
  JSON_G(error_code) = before;
}

/* frankenphp_log(string $message, int $level = FRANKENPHP_LOG_LEVEL_INFO, array $context = []): void */
ZEND_FUNCTION(frankenphp_log) {
  zend_string *message;
  zend_long level = INFO;
  zval *context = NULL;
  (void)return_value;
  ZEND_PARSE_PARAMETERS_START(1, 3)
  Z_PARAM_STR(message)
  Z_PARAM_OPTIONAL
  Z_PARAM_LONG(level)
  Z_PARAM_ARRAY(context)
  ZEND_PARSE_PARAMETERS_END();
  smart_str line = {0};
  smart_str_append(&line, message);
  if (context && zend_hash_num_elements(Z_ARRVAL_P(context)) > 0) add_context(&line, context);
  smart_str_0(&line);
  if (!EG(exception)) {
    const howdah_realm *realm = howdah_realm_current();
    howdah_log_raw(level_of(level), realm ? realm->request : NULL, ZSTR_VAL(line.s), ZSTR_LEN(line.s));
  }
  smart_str_free(&line);
}

void howdah_journal_add_constants(int module_number) {
  REGISTER_LONG_CONSTANT("FRANKENPHP_LOG_LEVEL_DEBUG", DEBUG, CONST_PERSISTENT);
  REGISTER_LONG_CONSTANT("FRANKENPHP_LOG_LEVEL_INFO", INFO, CONST_PERSISTENT);
  REGISTER_LONG_CONSTANT("FRANKENPHP_LOG_LEVEL_WARN", WARN, CONST_PERSISTENT);
  REGISTER_LONG_CONSTANT("FRANKENPHP_LOG_LEVEL_ERROR", ERROR, CONST_PERSISTENT);
}
