/* Worker mode: results of calls that PHP keeps for the next call, and what an answer alone has. See remains.h.
 *
 * PHP resets them when modules begin and end a request (RINIT, RSHUTDOWN), with all that an application has set while it
 * booted. So a module begins or ends between two requests where that touches no setting; of the others single members are
 * reset. */
#include "remains.h"

#include "../state/block.h"

#include <ext/date/php_date.h>
#include <ext/mbstring/mbstring.h>
#include <ext/mysqli/php_mysqli_structs.h>
#include <ext/pcre/php_pcre.h>
#include <ext/standard/php_filestat.h>
#include <zend_smart_str.h>

#include <string.h>

enum { MODULES_MAX = 8 };

typedef struct {
  const zend_module_entry *each[MODULES_MAX];
  size_t count;
} modules;

static modules beginning, ending;
static void *date, *mbstring, *mysqli, *pcre; /* their globals; NULL: not loaded */
static time_t *opcache_time;                  /* what opcache takes for now; NULL: it is off */
/* All realms have the same; NULL: there is none. */
static zend_function *make_date, *clear_xml_errors, *clear_http_headers;

void howdah_remains_begin_in(const zend_module_entry *module) {
  if (module && module->request_startup_func) module->request_startup_func(module->type, module->module_number);
}

void howdah_remains_end_in(const zend_module_entry *module) {
  if (module && module->request_shutdown_func) module->request_shutdown_func(module->type, module->module_number);
}

/* ---- Which modules there are ---- */

static const zend_module_entry *find(const char *name) {
  return zend_hash_str_find_ptr(&module_registry, name, strlen(name));
}

static void find_each(modules *to, const char *const *names) {
  for (; *names; names++) {
    const zend_module_entry *module = find(*names);
    if (module) to->each[to->count++] = module;
  }
}

static void *globals_of(const char *name) {
  const zend_module_entry *module = find(name);
  return module ? module->globals_ptr : NULL;
}

static zend_function *find_function(const char *name) {
  zend_function *function = zend_hash_str_find_ptr(CG(function_table), name, strlen(name));
  return function && function->type == ZEND_INTERNAL_FUNCTION ? function : NULL;
}

static time_t *find_opcache_time(void) {
  size_t count;
  const howdah_block *blocks = howdah_blocks_all(&count);
  for (size_t i = 0; i < count; i++)
    if (strcmp(blocks[i].name, "accel_globals.directives_to_request_time") == 0)
      return (time_t *)(void *)(blocks[i].address + blocks[i].size) - 1;
  return NULL;
}

void howdah_remains_start(void) {
  static const char *const begin[] = {"json", "random", "apcu", NULL};
  static const char *const end[] = {"intl", "gmp", "imap", "pdo_dblib", NULL};
  find_each(&beginning, begin);
  find_each(&ending, end);
  date = globals_of("date");
  mbstring = globals_of("mbstring");
  mysqli = globals_of("mysqli");
  pcre = globals_of("pcre");
  make_date = find_function("date_create");
  clear_xml_errors = find_function("libxml_clear_errors");
  clear_http_headers = find_function("http_clear_last_response_headers"); /* since 8.4 */
  opcache_time = find_opcache_time();
}

/* ---- ext/standard ---- */

static void forget_text(void) {
  if (BG(strtok_string)) zend_string_release(BG(strtok_string));
  BG(strtok_string) = NULL;
  BG(strtok_last) = NULL;
}

/* As PHP_RSHUTDOWN_FUNCTION(url_scanner), ext/standard/url_scanner_ex.c, 8.2: its output handler has ended, and it would not
 * start another. */
static void stop_rewriter(url_adapt_state_ex_t *rewriter) {
  if (!rewriter->active && !rewriter->url_app.s) return;
  smart_str_free(&rewriter->result);
  smart_str_free(&rewriter->buf);
  smart_str_free(&rewriter->tag);
  smart_str_free(&rewriter->arg);
  smart_str_free(&rewriter->attr_val);
  smart_str_free(&rewriter->form_app);
  smart_str_free(&rewriter->url_app);
  rewriter->active = rewriter->tag_type = rewriter->attr_type = 0;
}

/* ---- Others ---- */

/* As at a request's beginning: with opcache.revalidate_freq files are looked at again so many seconds after it. */
static void tell_time(void) {
  if (opcache_time) *opcache_time = (time_t)sapi_get_request_time();
}

/* A function of PHP's own that takes what is given, as the VM calls it: it calls no code of a script. */
static void call(zend_function *function, zval *argument) {
  zval result;
  if (!function) return;
  ZVAL_UNDEF(&result);
  zend_execute_data *frame = zend_vm_stack_push_call_frame(ZEND_CALL_NESTED_FUNCTION, function, argument ? 1 : 0, NULL);
  if (argument) ZVAL_COPY(ZEND_CALL_ARG(frame, 1), argument);
  frame->prev_execute_data = EG(current_execute_data);
  EG(current_execute_data) = frame;
  function->internal_function.handler(frame, &result);
  EG(current_execute_data) = frame->prev_execute_data;
  zend_vm_stack_free_args(frame);
  zend_vm_stack_free_call_frame(frame);
  zval_ptr_dtor(&result);
}

/* Any date that is one forgets the errors of one that is not. */
static void forget_date_errors(zend_date_globals *globals) {
  if (!globals->last_errors) return;
  zval now;
  ZVAL_STRING(&now, "@0");
  call(make_date, &now);
  zval_ptr_dtor_str(&now);
}

static void forget_encodings(zend_mbstring_globals *globals) {
  globals->illegalchars = 0;
  globals->http_input_identify = globals->http_input_identify_get = globals->http_input_identify_post = NULL;
  globals->http_input_identify_cookie = globals->http_input_identify_string = NULL;
}

static void forget_connect_error(zend_mysqli_globals *globals) {
  if (globals->error_msg) efree(globals->error_msg);
  globals->error_msg = NULL;
  globals->error_no = 0;
}

void howdah_remains_end(void) {
  for (size_t i = 0; i < ending.count; i++)
    howdah_remains_end_in(ending.each[i]);
}

void howdah_remains_forget(void) {
  for (size_t i = 0; i < beginning.count; i++)
    howdah_remains_begin_in(beginning.each[i]);
  forget_text();
  php_clear_stat_cache(0, NULL, 0);
  stop_rewriter(&BG(url_adapt_session_ex));
  stop_rewriter(&BG(url_adapt_output_ex));
  tell_time();
  if (date) forget_date_errors(date);
  if (mbstring) forget_encodings(mbstring);
  if (mysqli) forget_connect_error(mysqli);
  if (pcre) ((zend_pcre_globals *)pcre)->error_code = PHP_PCRE_NO_ERROR;
  call(clear_xml_errors, NULL);
  call(clear_http_headers, NULL);
}
