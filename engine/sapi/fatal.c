/* A request that a fatal error ends has the status 500, unless PHP shows the error: then the page has the status that it had,
 * 200 mostly (php_error_cb(), main/main.c, 8.2.36, 8.4.24). For whoever develops, who sees the page, that is well. Whatever
 * else looks (fetch() in a page, a test, a health check) takes the failure for an answer.
 *
 * So `howdah serve --dev`, which shows errors, sets howdah.fatal_status=500. Without it all is as under php-fpm.
 *
 * Some frameworks turn display_errors off for a page of their own (Laravel 12, HandleExceptions), and do not always get to it.
 * With the setting an answer that would be empty for that reason tells the error. So does one for which a worker script did not
 * boot. */
#include "fatal.h"
#include "../log.h"
#include "../realm/pool.h"
#include "../state/php_headers.h"

#include <SAPI.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FATAL = E_ERROR | E_PARSE | E_CORE_ERROR | E_COMPILE_ERROR | E_USER_ERROR | E_RECOVERABLE_ERROR };
enum { FIRST_FAILURE = 400, LAST_FAILURE = 599, FINE = 200 };

static const char name[] = "howdah.fatal_status";
/* Both are set at startup, before there are realms. */
static void (*shown)(int type, zend_string *file, const uint32_t line, zend_string *message);
static int status;

/* For those who wait for the boot. Without memory they are told less. */
static void keep_for_pool(howdah_pool *pool, const zend_string *file, uint32_t line, const zend_string *message) {
  char *text;
  if (asprintf(&text, "The worker script did not start.\n\nPHP Fatal error:  %s in %s on line %u\n", ZSTR_VAL(message),
               file ? ZSTR_VAL(file) : "Unknown", (unsigned)line) < 0)
    return;
  howdah_births_say_why(pool, text);
}

/* Before PHP shows the error: that may send the head. */
static void on_error(int type, zend_string *file, const uint32_t line, zend_string *message) {
  const howdah_realm *realm = howdah_realm_current();
  if (type & FATAL && realm && realm->pool->mode == HOWDAH_WORKER && !realm->booted) {
    keep_for_pool(realm->pool, file, line, message);
  } else if (type & FATAL && PG(display_errors) && !SG(headers_sent) && SG(sapi_headers).http_response_code == FINE) {
    sapi_header_op(SAPI_HEADER_SET_STATUS, (void *)(zend_intptr_t)status);
  }
  shown(type, file, line, message);
}

static void write_string(const zend_string *text) {
  if (text) PHPWRITE(ZSTR_VAL(text), ZSTR_LEN(text));
}

/* Output buffers have ended, and the head has not left: nothing was printed. Without the heap, which may be used up. */
void howdah_fatal_show(void) {
  static char type[] = "Content-Type: text/plain; charset=utf-8", kind[] = "PHP Fatal error:  ", in[] = " in ",
              on[] = " on line ";
  if (!status || !(PG(last_error_type) & FATAL) || !PG(last_error_message) || SG(headers_sent)) return;
  sapi_header_line line = {.line = type, .line_len = sizeof(type) - 1};
  sapi_header_op(SAPI_HEADER_REPLACE, &line);
  if (SG(sapi_headers).http_response_code == FINE) sapi_header_op(SAPI_HEADER_SET_STATUS, (void *)(zend_intptr_t)status);
  char number[24];
  int digits = snprintf(number, sizeof(number), "%d\n", (int)PG(last_error_lineno));
  PHPWRITE(kind, sizeof(kind) - 1);
  write_string(PG(last_error_message));
  PHPWRITE(in, sizeof(in) - 1);
  write_string(PG(last_error_file));
  PHPWRITE(on, sizeof(on) - 1);
  PHPWRITE(number, (size_t)digits);
}

void howdah_fatal_hook_php(void) {
  const zval *value = cfg_get_entry(name, strlen(name));
  if (!value || Z_TYPE_P(value) != IS_STRING) return;
  char *end;
  long number = strtol(Z_STRVAL_P(value), &end, 10);
  if (*end || number < FIRST_FAILURE || number > LAST_FAILURE) {
    howdah_log(HOWDAH_LOG_WARNING, NULL, "howdah: %s=%s is left out: give a status from %d to %d, as 500", name,
               Z_STRVAL_P(value), FIRST_FAILURE, LAST_FAILURE);
    return;
  }
  status = (int)number;
  shown = zend_error_cb;
  zend_error_cb = on_error;
}
