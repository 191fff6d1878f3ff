/* The configuration: reading directives, merging them down to locations. */
#include "module.h"

#include <sys/stat.h>

enum { DEFAULT_CONCURRENCY = 16, DEFAULT_QUEUE = 1000, DEFAULT_QUEUE_TIMEOUT_MS = 30000, DEFAULT_IDLE_TIMEOUT_MS = 60000 };
enum { DEFAULT_BOOT_TIMEOUT_MS = 60000, BOOT_TIMEOUT_MAX_MS = 24 * 3600 * 1000 };
/* Fewer at once would let quick requests wait behind a few slow ones. */
enum { DEFAULT_ADAPTIVE_LEAST = 4 };

void *howdah_create_main_conf(ngx_conf_t *cf) {
  howdah_main_conf *conf = ngx_pcalloc(cf->pool, sizeof *conf);
  if (!conf) return NULL;
  conf->chaos_seed = NGX_CONF_UNSET_UINT;
  conf->slice = NGX_CONF_UNSET_MSEC;
  conf->worker_memory = NGX_CONF_UNSET;
  if (ngx_array_init(&conf->slots, cf->pool, 4, sizeof(howdah_slot *)) != NGX_OK) return NULL;
  if (ngx_array_init(&conf->shared_extensions, cf->pool, 1, sizeof(ngx_str_t)) != NGX_OK) return NULL;
  if (ngx_array_init(&conf->ini, cf->pool, 4, sizeof(ngx_str_t)) != NGX_OK) return NULL;
  return conf;
}

void *howdah_create_loc_conf(ngx_conf_t *cf) {
  howdah_loc_conf *conf = ngx_pcalloc(cf->pool, sizeof *conf);
  if (!conf) return NULL;
  conf->mode = HOWDAH_NO_MODE;
  conf->concurrency = NGX_CONF_UNSET;
  conf->adaptive_least = NGX_CONF_UNSET;
  conf->warm = NGX_CONF_UNSET;
  conf->queue = NGX_CONF_UNSET;
  conf->max_requests = NGX_CONF_UNSET;
  conf->queue_timeout = NGX_CONF_UNSET_MSEC;
  conf->request_timeout = NGX_CONF_UNSET_MSEC;
  conf->idle_timeout = NGX_CONF_UNSET_MSEC;
  conf->boot_timeout = NGX_CONF_UNSET_MSEC;
  conf->realm_memory = NGX_CONF_UNSET;
  conf->rewind = NGX_CONF_UNSET;
  conf->max_form = NGX_CONF_UNSET;
  conf->slow = NGX_CONF_UNSET_MSEC;
  conf->slow_log = NGX_CONF_UNSET_PTR;
  conf->trace = NGX_CONF_UNSET_PTR;
  conf->client_abort = NGX_CONF_UNSET_UINT;
  conf->ignore_client_abort = NGX_CONF_UNSET;
  conf->request_buffering = NGX_CONF_UNSET;
  return conf;
}

char *howdah_set_number(ngx_conf_t *cf, ngx_command_t *command, void *conf) {
  ngx_int_t *field = (ngx_int_t *)((char *)conf + command->offset);
  const ngx_str_t *words = cf->args->elts;
  const ngx_conf_num_bounds_t *bounds = command->post;
  if (*field != NGX_CONF_UNSET) return "is duplicate";
  *field = ngx_atoi(words[1].data, words[1].len);
  if (*field == NGX_ERROR || *field < bounds->low || *field > bounds->high) {
    ngx_conf_log_error(NGX_LOG_EMERG, cf, 0, "\"%V\" must be a number from %i to %i, not \"%V\"", &command->name, bounds->low,
                       bounds->high, &words[1]);
    return NGX_CONF_ERROR;
  }
  return NGX_CONF_OK;
}

/* howdah_concurrency N [adaptive[=MIN]] */
char *howdah_set_concurrency(ngx_conf_t *cf, ngx_command_t *command, void *conf) {
  static const ngx_str_t adaptive = ngx_string("adaptive");
  howdah_loc_conf *location = conf;
  ngx_str_t *words = cf->args->elts, *word = &words[2];
  char *failed = howdah_set_number(cf, command, conf);
  if (failed != NGX_CONF_OK) return failed;
  location->adaptive_least = 0;
  if (cf->args->nelts == 2) return NGX_CONF_OK;

  bool known = word->len >= adaptive.len && ngx_strncmp(word->data, adaptive.data, adaptive.len) == 0;
  if (known && word->len == adaptive.len) {
    location->adaptive_least = ngx_min(DEFAULT_ADAPTIVE_LEAST, location->concurrency);
    return NGX_CONF_OK;
  }
  if (!known || word->data[adaptive.len] != '=') {
    ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                       "\"howdah_concurrency\" takes \"adaptive\" or \"adaptive=MIN\" behind its number, not \"%V\"", word);
    return NGX_CONF_ERROR;
  }
  location->adaptive_least = ngx_atoi(word->data + adaptive.len + 1, word->len - adaptive.len - 1);
  if (location->adaptive_least == NGX_ERROR || location->adaptive_least < 1 ||
      location->adaptive_least > location->concurrency) {
    ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                       "\"howdah_concurrency\" adapts itself from MIN to %i: \"adaptive=MIN\" must be a number from 1 to %i, "
                       "not \"%V\"; lower it, or raise %i",
                       location->concurrency, location->concurrency, word, location->concurrency);
    return NGX_CONF_ERROR;
  }
  return NGX_CONF_OK;
}

char *howdah_set_file(ngx_conf_t *cf, ngx_command_t *command, void *conf) {
  ngx_str_t *field = (ngx_str_t *)((char *)conf + command->offset);
  const ngx_str_t *words = cf->args->elts;
  if (field->data) return "is duplicate";
  *field = words[1];
  return ngx_conf_full_name(cf->cycle, field, 0) == NGX_OK ? NGX_CONF_OK : NGX_CONF_ERROR;
}

char *howdah_set_shared_extension(ngx_conf_t *cf, ngx_command_t *command, void *conf) {
  (void)command;
  howdah_main_conf *main_conf = conf;
  const ngx_str_t *words = cf->args->elts;
  if (words[1].len == 0 || ngx_strlchr(words[1].data, words[1].data + words[1].len, '\n'))
    return "takes the name of an extension";
  ngx_str_t *entry = ngx_array_push(&main_conf->shared_extensions);
  if (!entry) return NGX_CONF_ERROR;
  *entry = words[1];
  return NGX_CONF_OK;
}

char *howdah_set_ini(ngx_conf_t *cf, ngx_command_t *command, void *conf) {
  (void)command;
  howdah_main_conf *main_conf = conf;
  const ngx_str_t *words = cf->args->elts;
  const u_char *equals = ngx_strlchr(words[1].data, words[1].data + words[1].len, '=');
  if (!equals || equals == words[1].data || ngx_strlchr(words[1].data, words[1].data + words[1].len, '\n')) {
    ngx_conf_log_error(NGX_LOG_EMERG, cf, 0, "\"howdah_ini\" takes one PHP setting as \"key=value\", not \"%V\"", &words[1]);
    return NGX_CONF_ERROR;
  }
  ngx_str_t *entry = ngx_array_push(&main_conf->ini);
  if (!entry) return NGX_CONF_ERROR;
  *entry = words[1];
  return NGX_CONF_OK;
}

static char *check_worker_script(ngx_conf_t *cf, const ngx_str_t *script) {
  struct stat status;
  if (script->data[0] != '/') {
    ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                       "\"howdah_pass worker\" takes the absolute path of a script, without variables, not \"%V\"", script);
    return NGX_CONF_ERROR;
  }
  if (stat((char *)script->data, &status) < 0 || access((char *)script->data, R_OK) < 0) {
    ngx_conf_log_error(NGX_LOG_EMERG, cf, ngx_errno,
                       "the worker script \"%V\" cannot be read: correct the path (a dollar sign stands for itself) or its "
                       "permissions, or use \"howdah_pass classic\"",
                       script);
    return NGX_CONF_ERROR;
  }
  if (!S_ISREG(status.st_mode)) {
    ngx_conf_log_error(NGX_LOG_EMERG, cf, 0, "the worker script \"%V\" is not a file: name the script itself", script);
    return NGX_CONF_ERROR;
  }
  return NGX_CONF_OK;
}

char *howdah_set_pass(ngx_conf_t *cf, ngx_command_t *command, void *conf) {
  (void)command;
  howdah_loc_conf *location = conf;
  ngx_str_t *words = cf->args->elts;
  if (location->mode != HOWDAH_NO_MODE) return "is duplicate";
  if (location->status || location->health || location->top)
    return "cannot stand beside howdah_status, howdah_health or howdah_top";

  if (ngx_strcmp(words[1].data, "classic") == 0) {
    location->mode = HOWDAH_CLASSIC;
    ngx_http_compile_complex_value_t compile = {.cf = cf, .value = &words[2], .complex_value = &location->script, .zero = 1};
    if (words[2].len == 0 || (words[2].data[0] != '/' && words[2].data[0] != '$')) {
      ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                         "\"howdah_pass classic\" takes the absolute path of a script, such as "
                         "$document_root$fastcgi_script_name, not \"%V\"",
                         &words[2]);
      return NGX_CONF_ERROR;
    }
    if (ngx_http_compile_complex_value(&compile) != NGX_OK) return NGX_CONF_ERROR;
  } else if (ngx_strcmp(words[1].data, "worker") == 0) {
    location->mode = HOWDAH_WORKER;
    location->worker_script = words[2];
    if (check_worker_script(cf, &words[2]) != NGX_CONF_OK) return NGX_CONF_ERROR;
  } else {
    ngx_conf_log_error(NGX_LOG_EMERG, cf, 0, "\"howdah_pass\" takes the mode \"classic\" or \"worker\" first, not \"%V\"",
                       &words[1]);
    return NGX_CONF_ERROR;
  }

  ngx_http_core_loc_conf_t *core = ngx_http_conf_get_module_loc_conf(cf, ngx_http_core_module);
  core->handler = howdah_handler;
  if (core->name.len && core->name.data[core->name.len - 1] == '/') core->auto_redirect = 1;
  return NGX_CONF_OK;
}

static size_t without_slashes(const ngx_str_t *root) {
  size_t len = root->len;
  while (len && root->data[len - 1] == '/')
    len--;
  return len;
}

static bool is_below(const ngx_str_t *script, const ngx_str_t *root) {
  size_t len = without_slashes(root);
  return len < script->len && script->data[len] == '/' && ngx_strncmp(script->data, root->data, len) == 0;
}

ngx_str_t howdah_script_name(const ngx_str_t *script, const ngx_str_t *root) {
  size_t skip = without_slashes(root);
  if (is_below(script, root)) return (ngx_str_t){script->len - skip, script->data + skip};
  size_t start = script->len;
  while (start && script->data[start - 1] != '/')
    start--;
  if (start) start--;
  return (ngx_str_t){script->len - start, script->data + start};
}

/* To a worker's requests the public index.php is the script, where there is one: frameworks make links from SCRIPT_NAME. */
static char *name_worker_script(ngx_conf_t *cf, howdah_loc_conf *location, const ngx_http_core_loc_conf_t *core) {
  static const ngx_str_t index = ngx_string("/index.php");
  location->script_filename = location->worker_script;
  location->script_name = howdah_script_name(&location->worker_script, &core->root);
  if (core->root_lengths) return NGX_CONF_OK;

  u_char *path = ngx_pnalloc(cf->pool, core->root.len + index.len + 1);
  if (!path) return NGX_CONF_ERROR;
  u_char *end = ngx_cpymem(path, core->root.data, core->root.len);
  ngx_memcpy(end, index.data, index.len + 1);
  if (access((char *)path, F_OK) == 0) {
    if (is_below(&location->worker_script, &core->root)) location->worker_name = location->script_name;
    location->script_filename = (ngx_str_t){core->root.len + index.len, path};
    location->script_name = index;
  }
  return NGX_CONF_OK;
}

char *howdah_set_pool(ngx_conf_t *cf, ngx_command_t *command, void *conf) {
  howdah_loc_conf *location = conf;
  const ngx_str_t *words = cf->args->elts;
  (void)command;
  if (location->pool_name.data) return "is duplicate";
  if (words[1].len == 0 || ngx_strlchr(words[1].data, words[1].data + words[1].len, '$'))
    return "takes a name, without variables";
  location->pool_name = words[1];
  return NGX_CONF_OK;
}

char *howdah_merge_loc_conf(ngx_conf_t *cf, void *parent, void *child) {
  const howdah_loc_conf *above = parent;
  howdah_loc_conf *conf = child;
  ngx_http_core_loc_conf_t *core = ngx_http_conf_get_module_loc_conf(cf, ngx_http_core_module);

  ngx_conf_merge_str_value(conf->pool_name, above->pool_name, "");
  ngx_conf_merge_value(conf->concurrency, above->concurrency, NGX_CONF_UNSET);
  ngx_conf_merge_value(conf->adaptive_least, above->adaptive_least, NGX_CONF_UNSET);
  ngx_conf_merge_value(conf->warm, above->warm, NGX_CONF_UNSET);
  ngx_conf_merge_value(conf->queue, above->queue, NGX_CONF_UNSET);
  ngx_conf_merge_value(conf->max_requests, above->max_requests, NGX_CONF_UNSET);
  ngx_conf_merge_msec_value(conf->queue_timeout, above->queue_timeout, NGX_CONF_UNSET_MSEC);
  ngx_conf_merge_msec_value(conf->request_timeout, above->request_timeout, 0);
  ngx_conf_merge_msec_value(conf->idle_timeout, above->idle_timeout, DEFAULT_IDLE_TIMEOUT_MS);
  ngx_conf_merge_msec_value(conf->boot_timeout, above->boot_timeout, DEFAULT_BOOT_TIMEOUT_MS);
  ngx_conf_merge_off_value(conf->realm_memory, above->realm_memory, 0);
  ngx_conf_merge_value(conf->rewind, above->rewind, 0);
  ngx_conf_merge_off_value(conf->max_form, above->max_form, 0);
  ngx_conf_merge_uint_value(conf->client_abort, above->client_abort, NGX_CONF_UNSET_UINT);
  ngx_conf_merge_value(conf->ignore_client_abort, above->ignore_client_abort, 0);
  ngx_conf_merge_value(conf->request_buffering, above->request_buffering, 1);
  ngx_conf_merge_ptr_value(conf->trace, above->trace, NULL);

  /* As fastcgi_param: all of the level above, where this one has none. */
  if (!conf->params) conf->params = above->params;

  if (howdah_merge_status(cf, above, conf) != NGX_CONF_OK) return NGX_CONF_ERROR;
  howdah_merge_health(cf, above, conf);
  howdah_merge_top(cf, above, conf);
  /* As fastcgi_pass: "if" and "limit_except" take the handler of the location around them, other locations do not. */
  if (conf->mode == HOWDAH_NO_MODE && core->noname && above->mode != HOWDAH_NO_MODE) {
    conf->mode = above->mode;
    conf->script = above->script;
    conf->worker_script = above->worker_script;
    conf->files = above->files;
    core->handler = howdah_handler;
  }
  if (howdah_merge_slow(cf, above, conf) != NGX_CONF_OK) return NGX_CONF_ERROR;
  if (howdah_check_files(cf, conf) != NGX_CONF_OK) return NGX_CONF_ERROR;
  if (conf->mode == HOWDAH_NO_MODE) return NGX_CONF_OK;
  if (howdah_check_params(cf, conf) != NGX_CONF_OK) return NGX_CONF_ERROR;

  bool worker = conf->mode == HOWDAH_WORKER;
  /* As php-fpm does it; and as what boots once does. */
  ngx_conf_init_uint_value(conf->client_abort, worker ? HOWDAH_CANCEL : HOWDAH_CONTINUE);
  ngx_int_t concurrency = conf->concurrency == NGX_CONF_UNSET ? DEFAULT_CONCURRENCY : conf->concurrency;
  ngx_int_t warm = conf->warm == NGX_CONF_UNSET ? (worker ? 1 : 0) : conf->warm;
  if (warm > concurrency) {
    ngx_conf_log_error(
        NGX_LOG_EMERG, cf, 0,
        "\"howdah_warm\" is %i, more than \"howdah_concurrency\" %i in location \"%V\": lower the first or raise "
        "the second",
        warm, concurrency, &core->name);
    return NGX_CONF_ERROR;
  }
  if (worker && conf->rewind && howdah_rewind_refusal()) {
    ngx_conf_log_error(NGX_LOG_EMERG, cf, 0, "\"howdah_rewind\" in location \"%V\": %s", &core->name, howdah_rewind_refusal());
    return NGX_CONF_ERROR;
  }
  if (conf->boot_timeout == 0 || conf->boot_timeout > BOOT_TIMEOUT_MAX_MS) {
    ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                       "\"howdah_boot_timeout\" in location \"%V\" must be from 1ms to 24h: a reload waits so long for a boot; "
                       "leave it out for 60s",
                       &core->name);
    return NGX_CONF_ERROR;
  }
  howdah_pool_options options = {
      .mode = (howdah_mode)conf->mode,
      .script = worker ? (const char *)conf->worker_script.data : NULL,
      .document_root = worker && !core->root_lengths ? (const char *)core->root.data : NULL,
      .realms_max = (unsigned)concurrency,
      .realms_warm = (unsigned)warm,
      .adaptive_least = (unsigned)(conf->adaptive_least == NGX_CONF_UNSET ? 0 : conf->adaptive_least),
      .queue_max = (unsigned)(conf->queue == NGX_CONF_UNSET ? DEFAULT_QUEUE : conf->queue),
      .queue_timeout_ms = conf->queue_timeout == NGX_CONF_UNSET_MSEC ? DEFAULT_QUEUE_TIMEOUT_MS : conf->queue_timeout,
      .requests_max = (uint64_t)(conf->max_requests == NGX_CONF_UNSET ? 0 : conf->max_requests),
      .request_timeout_ms = conf->request_timeout,
      .idle_timeout_ms = conf->idle_timeout,
      .boot_timeout_ms = worker ? conf->boot_timeout : 0,
      .realm_memory = (uint64_t)conf->realm_memory,
      .rewinds = worker && conf->rewind};
  conf->slot = howdah_find_slot(cf, conf, &options);
  if (!conf->slot) return NGX_CONF_ERROR;
  return worker ? name_worker_script(cf, conf, core) : NGX_CONF_OK;
}
