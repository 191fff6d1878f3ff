/* $_SERVER, getenv() and getallheaders(): the CGI variables of the front-end, as php-fpm gives them. */
#include "sapi.h"
#include "fpm.h"
#include "../realm/pool.h"
#include "../state/block.h"
#include "../state/version.h"
#include "names.h"

#include <ctype.h>
#include <ext/filter/php_filter.h>
#include <stdlib.h>
#include <string.h>

enum { USUAL_VARIABLES = 64 };

typedef struct {
  zval *array;
  void (*add)(zval *array, howdah_str name, howdah_str value);
  howdah_str script_name, path_info;
} registration;

static bool is(howdah_str name, const char *text, size_t len) {
  return name.len == len && memcmp(name.data, text, len) == 0;
}
#define IS(name, text) is(name, text, sizeof(text) - 1)

/* ext/filter may change a value, and keeps the raw one for filter_input(). */
/* As php-fpm registers all of them (cgi_php_load_env_var(), sapi/fpm/fpm/fpm_main.c, 8.2). */
static void add_named(const char *zero_terminated, size_t len, zval *text, zval *array) {
  if (howdah_is_plain_name((howdah_str){zero_terminated, len}))
    php_register_known_variable(zero_terminated, len, text, array);
  else
    php_register_variable_ex(zero_terminated, text, array);
}

static void add_through_filter(int kind, zval *array, howdah_str name, howdah_str value) {
  size_t len;
  char *zero_terminated = estrndup(name.data, name.len);
  char *filtered = estrndup(value.data ? value.data : "", value.len);
  if (sapi_module.input_filter(kind, zero_terminated, &filtered, value.len, &len)) {
    zval text;
    ZVAL_STRINGL_FAST(&text, filtered, len);
    add_named(zero_terminated, name.len, &text, array);
  }
  efree(filtered);
  efree(zero_terminated);
}

static void add_filtered(zval *array, howdah_str name, howdah_str value) {
  add_through_filter(PARSE_SERVER, array, name, value);
}

static void add_to_environment(zval *array, howdah_str name, howdah_str value) {
  add_through_filter(PARSE_ENV, array, name, value);
}

static bool starts(howdah_str name, const char *text, size_t len) {
  return name.len >= len && memcmp(name.data, text, len) == 0;
}
#define STARTS(name, text) starts(name, text, sizeof(text) - 1)

/* Whether most requests have the same value: the server's configuration decides, the client at most among a few. */
static bool is_steady(howdah_str name) {
  return STARTS(name, "SCRIPT_") || STARTS(name, "SERVER_") || STARTS(name, "DOCUMENT_") || STARTS(name, "REQUEST_METHOD") ||
         STARTS(name, "REQUEST_SCHEME") || STARTS(name, "GATEWAY_") || STARTS(name, "REDIRECT_");
}

static void set_text(zval *text, howdah_str name, howdah_str value) {
  zend_string *known = is_steady(name) ? howdah_value(value) : NULL;
  if (known)
    ZVAL_INTERNED_STR(text, known);
  else
    ZVAL_STRINGL_FAST(text, value.data ? value.data : "", value.len);
}

static void add_as_it_is(zval *array, howdah_str name, howdah_str value) {
  zval text;
  if (name.len == 0) return;
  set_text(&text, name, value);
  zend_string *key = howdah_name(name);
  if (key) {
    zend_hash_update(Z_ARRVAL_P(array), key, &text);
    return;
  }
  char *zero_terminated = estrndup(name.data, name.len);
  add_named(zero_terminated, name.len, &text, array);
  efree(zero_terminated);
}

static void register_one(void *to, howdah_str name, howdah_str value) {
  registration *all = to;
  if (IS(name, "SCRIPT_NAME")) all->script_name = value;
  if (IS(name, "PATH_INFO")) all->path_info = value;
  all->add(all->array, name, value);
}

/* cgi.fix_pathinfo, as it was when PHP started. */
static bool fixes_paths;

/* As sapi_cgi_register_variables(): without cgi.fix_pathinfo it is SG(request_info).request_uri, for which init_request_info()
 * takes PATH_INFO where there is one; but it has not looked at the request's own settings yet. */
static void add_php_self(const registration *all) {
  howdah_str self = all->script_name;
  char *joined = NULL;
  if (!all->path_info.data) {
    /* nothing to join */
  } else if (!howdah_fpm_is_on("cgi.fix_pathinfo")) {
    if (!fixes_paths) self = all->path_info;
  } else if (all->path_info.len) {
    self.len = all->script_name.len + all->path_info.len;
    joined = emalloc(self.len);
    if (all->script_name.len) memcpy(joined, all->script_name.data, all->script_name.len);
    memcpy(joined + all->script_name.len, all->path_info.data, all->path_info.len);
    self.data = joined;
  }
  all->add(all->array, (howdah_str){"PHP_SELF", 8}, self);
  if (joined) efree(joined);
}

/* ext/filter's own table of raw values, when it would change none of them (the default); else NULL. Its globals are hidden: the
 * state blocks know them. */
static zval *raw_values(void) {
  static const howdah_block *block;
  static bool looked;
  if (!looked) {
    size_t count;
    const howdah_block *blocks = howdah_blocks_all(&count);
    for (size_t i = 0; i < count; i++)
      if (strcmp(blocks[i].name, "filter_globals") == 0) block = &blocks[i];
    looked = true;
  }
  zend_filter_globals *globals = block ? (zend_filter_globals *)block->address : NULL;
  return globals && globals->default_filter == HOWDAH_FILTER_UNSAFE_RAW ? &globals->server_array : NULL;
}

static void (*import_process_environment)(zval *array);

/* getenv() without a name, in both modes: without ext/filter, which would add to $_ENV what it is shown (php_sapi_filter(),
 * ext/filter/filter.c; cgi_php_load_environment_variables(), sapi/fpm/fpm/fpm_main.c, 8.2). */
static void load_environment(zval *array) {
  howdah_request *request = SG(server_context);
  import_process_environment(array);
  if (!request) return;
  registration all = {.array = array, .add = add_as_it_is};
  request->ops->variables(request, register_one, &all);
}

/* $_ENV: as under php-fpm, the request's variables are in it, too (cgi_php_import_environment_variables(),
 * sapi/fpm/fpm/fpm_main.c, 8.2). In worker mode it is the application's, and lasts longer than a request. */
static void import_environment(zval *array) {
  howdah_request *request = SG(server_context);
  const howdah_realm *realm = howdah_realm_current();
  import_process_environment(array);
  if (!request || !realm || realm->pool->mode != HOWDAH_CLASSIC) return;
  registration all = {.array = array, .add = add_to_environment};
  request->ops->variables(request, register_one, &all);
}

bool howdah_engine_fixes_paths(void) {
  return fixes_paths;
}

void howdah_sapi_start_variables(void) {
  fixes_paths = howdah_fpm_is_on("cgi.fix_pathinfo");
  import_process_environment = php_import_environment_variables;
  php_import_environment_variables = import_environment;
  php_load_environment_variables = load_environment;
}

void howdah_sapi_register_variables(zval *array) {
  howdah_request *request = SG(server_context);
  /* As php-fpm: the process's environment first, the request's variables over it. */
  zend_hash_extend(Z_ARRVAL_P(array), USUAL_VARIABLES, 0); /* at once, not in three steps */
  howdah_sapi_import_environment(array, import_process_environment);
  if (!request) return;
  zval *raw = raw_values();
  registration all = {.array = array, .add = raw ? add_as_it_is : add_filtered};
  request->ops->variables(request, register_one, &all);
  add_php_self(&all);
  howdah_realm *realm = howdah_realm_current();
  if (realm && realm->pool->mode == HOWDAH_WORKER)
    all.add(array, (howdah_str){"FRANKENPHP_WORKER", sizeof("FRANKENPHP_WORKER") - 1}, (howdah_str){"1", 1});
  if (raw) {
    /* The raw values are the values: one table serves both until somebody writes to $_SERVER. */
    zval_ptr_dtor(raw);
    ZVAL_COPY(raw, array);
  }
}

typedef struct {
  const zval *names; /* strings */
  zval *values;
  uint32_t count;
} choice;

static void choose(void *to, howdah_str name, howdah_str value) {
  choice *wanted = to;
  for (uint32_t i = 0; i < wanted->count; i++) {
    if (!is(name, Z_STRVAL(wanted->names[i]), Z_STRLEN(wanted->names[i]))) continue;
    zval_ptr_dtor_str(&wanted->values[i]); /* as in $_SERVER, the last of a name counts */
    set_text(&wanted->values[i], name, value);
  }
}

static void choose_filtered(choice *wanted) {
  zend_is_auto_global(ZSTR_KNOWN(ZEND_STR_AUTOGLOBAL_SERVER));
  const zval *server = &PG(http_globals)[TRACK_VARS_SERVER];
  for (uint32_t i = 0; i < wanted->count; i++) {
    zval *value = Z_TYPE_P(server) == IS_ARRAY ? zend_hash_find(Z_ARRVAL_P(server), Z_STR(wanted->names[i])) : NULL;
    if (value && Z_TYPE_P(value) == IS_STRING) ZVAL_COPY(&wanted->values[i], value);
  }
}

void howdah_sapi_choose_variables(const zval *names, zval *values, uint32_t count) {
  howdah_request *request = SG(server_context);
  choice wanted = {names, values, count};
  if (!request) return;
  if (raw_values())
    request->ops->variables(request, choose, &wanted);
  else
    choose_filtered(&wanted);
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
  zend_string *header;
  if (name.len > 5 && memcmp(name.data, "HTTP_", 5) == 0) {
    bool start = true;
    header = zend_string_init(name.data + 5, name.len - 5, false);
    for (size_t i = 0; i < ZSTR_LEN(header); i++) {
      char c = ZSTR_VAL(header)[i];
      ZSTR_VAL(header)[i] = c == '_' ? '-' : start ? c : (char)tolower((unsigned char)c);
      start = c == '_';
    }
  } else if (IS(name, "CONTENT_TYPE") && value.len) {
    header = zend_string_init("Content-Type", 12, false);
  } else if (IS(name, "CONTENT_LENGTH") && value.len) {
    header = zend_string_init("Content-Length", 14, false);
  } else {
    return;
  }
  zval text;
  ZVAL_STRINGL(&text, value.data ? value.data : "", value.len);
  zend_symtable_update(Z_ARRVAL_P((zval *)to), header, &text);
  zend_string_release(header);
}

void howdah_sapi_request_headers(zval *array) {
  howdah_request *request = SG(server_context);
  if (request) request->ops->variables(request, add_header, array);
}
