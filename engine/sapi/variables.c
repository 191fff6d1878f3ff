/* $_SERVER, getenv() and getallheaders(): the CGI variables of the front-end, as php-fpm gives them. */
#include "sapi.h"
#include "../realm/pool.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  zval *array;
  howdah_str script_name, path_info;
} registration;

static bool is(howdah_str name, const char *text, size_t len) {
  return name.len == len && memcmp(name.data, text, len) == 0;
}
#define IS(name, text) is(name, text, sizeof(text) - 1)

/* ext/filter keeps the raw value for filter_input() and may change it. */
static void add_variable(zval *array, howdah_str name, howdah_str value) {
  size_t len;
  char *filtered = estrndup(value.data ? value.data : "", value.len);
  if (sapi_module.input_filter(PARSE_SERVER, name.data, &filtered, value.len, &len)) {
    zval text;
    ZVAL_STRINGL_FAST(&text, filtered, len);
    php_register_known_variable(name.data, name.len, &text, array);
  }
  efree(filtered);
}

static void register_one(void *to, howdah_str name, howdah_str value) {
  registration *all = to;
  char zero_terminated[256];
  if (name.len >= sizeof(zero_terminated)) return; /* no header name is that long: nginx refuses it */
  memcpy(zero_terminated, name.data, name.len);
  zero_terminated[name.len] = 0;
  if (IS(name, "SCRIPT_NAME")) all->script_name = value;
  if (IS(name, "PATH_INFO")) all->path_info = value;
  add_variable(all->array, (howdah_str){zero_terminated, name.len}, value);
}

static void add_php_self(const registration *all) {
  howdah_str self = all->script_name;
  char *joined = NULL;
  if (all->path_info.len) {
    self.len = all->script_name.len + all->path_info.len;
    joined = emalloc(self.len);
    if (all->script_name.len) memcpy(joined, all->script_name.data, all->script_name.len);
    memcpy(joined + all->script_name.len, all->path_info.data, all->path_info.len);
    self.data = joined;
  }
  add_variable(all->array, (howdah_str){"PHP_SELF", 8}, self);
  if (joined) efree(joined);
}

void howdah_sapi_register_variables(zval *array) {
  howdah_request *request = SG(server_context);
  /* As php-fpm: the process's environment first, the request's variables over it. */
  php_import_environment_variables(array);
  if (!request) return;
  registration all = {.array = array};
  request->ops->variables(request, register_one, &all);
  add_php_self(&all);
  howdah_realm *realm = howdah_realm_current();
  if (realm && realm->pool->mode == HOWDAH_WORKER)
    add_variable(array, (howdah_str){"FRANKENPHP_WORKER", sizeof("FRANKENPHP_WORKER") - 1}, (howdah_str){"1", 1});
}

typedef struct {
  howdah_str wanted;
  howdah_str found;
} lookup;

static void look_up(void *to, howdah_str name, howdah_str value) {
  lookup *search = to;
  if (is(name, search->wanted.data, search->wanted.len)) search->found = value.data ? value : (howdah_str){"", 0};
}

/* PHP copies what it gets at once (sapi_getenv(), main/SAPI.c). */
char *howdah_sapi_getenv(const char *name, size_t len) {
  static char *last;
  howdah_request *request = SG(server_context);
  if (!request) return NULL;
  lookup search = {.wanted = {name, len}};
  request->ops->variables(request, look_up, &search);
  if (!search.found.data) return NULL;
  char *copy = realloc(last, search.found.len + 1);
  if (!copy) return NULL;
  last = copy;
  memcpy(last, search.found.data, search.found.len);
  last[search.found.len] = 0;
  return last;
}

/* HTTP_X_FORWARDED_FOR to X-Forwarded-For, as add_request_header() of php-fpm. */
static void add_header(void *to, howdah_str name, howdah_str value) {
  char header[256];
  size_t len;
  if (name.len > 5 && name.len < sizeof(header) && memcmp(name.data, "HTTP_", 5) == 0) {
    bool start = true;
    len = name.len - 5;
    for (size_t i = 0; i < len; i++) {
      char c = name.data[5 + i];
      header[i] = c == '_' ? '-' : start ? c : (char)tolower((unsigned char)c);
      start = c == '_';
    }
  } else if (IS(name, "CONTENT_TYPE") && value.len) {
    memcpy(header, "Content-Type", len = 12);
  } else if (IS(name, "CONTENT_LENGTH") && value.len) {
    memcpy(header, "Content-Length", len = 14);
  } else {
    return;
  }
  zval text;
  ZVAL_STRINGL(&text, value.data ? value.data : "", value.len);
  header[len] = 0;
  zend_symtable_str_update(Z_ARRVAL_P((zval *)to), header, len, &text);
}

void howdah_sapi_request_headers(zval *array) {
  howdah_request *request = SG(server_context);
  if (request) request->ops->variables(request, add_header, array);
}
