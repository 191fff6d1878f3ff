/* howdah_param: CGI variables that the configuration adds, as fastcgi_param does; two of them are PHP settings. */
#include "module.h"

typedef struct {
  ngx_str_t name;
  ngx_http_complex_value_t value;
  bool if_not_empty;
} param;

static bool is_setting(const ngx_str_t *name) {
  return howdah_is(name, "PHP_VALUE") || howdah_is(name, "PHP_ADMIN_VALUE");
}

char *howdah_set_param(ngx_conf_t *cf, ngx_command_t *command, void *conf) {
  (void)command;
  howdah_loc_conf *location = conf;
  ngx_str_t *words = cf->args->elts;
  if (words[1].len == 0) return "takes a name first";
  if (cf->args->nelts == 4 && !howdah_is(&words[3], "if_not_empty")) {
    ngx_conf_log_error(NGX_LOG_EMERG, cf, 0, "\"howdah_param\" takes a name, a value and maybe \"if_not_empty\", not \"%V\"",
                       &words[3]);
    return NGX_CONF_ERROR;
  }
  if (!location->params) location->params = ngx_array_create(cf->pool, 4, sizeof(param));
  param *added = location->params ? ngx_array_push(location->params) : NULL;
  if (!added) return NGX_CONF_ERROR;
  ngx_memzero(added, sizeof *added);
  added->name = words[1];
  added->if_not_empty = cf->args->nelts == 4;
  ngx_http_compile_complex_value_t compile = {.cf = cf, .value = &words[2], .complex_value = &added->value};
  return ngx_http_compile_complex_value(&compile) == NGX_OK ? NGX_CONF_OK : NGX_CONF_ERROR;
}

char *howdah_check_params(ngx_conf_t *cf, const howdah_loc_conf *location) {
  const param *params = location->params ? location->params->elts : NULL;
  if (location->mode != HOWDAH_WORKER) return NGX_CONF_OK;
  for (ngx_uint_t i = 0; params && i < location->params->nelts; i++) {
    if (!is_setting(&params[i].name)) continue;
    ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                       "\"howdah_param %V\" needs \"howdah_pass classic\": a worker script has booted when a request comes; "
                       "use \"howdah_ini\" or ini_set()",
                       &params[i].name);
    return NGX_CONF_ERROR;
  }
  return NGX_CONF_OK;
}

/* What PHP itself reads out of the variables (init_request_info(), sapi_cgi_read_cookies(), sapi/fpm/fpm/fpm_main.c, 8.2).
 * NULL: it only passes the variable on. */
static howdah_str *read_by_php(howdah_request *request, const ngx_str_t *name) {
  if (howdah_is(name, "PHP_VALUE")) return &request->php_value;
  if (howdah_is(name, "PHP_ADMIN_VALUE")) return &request->php_admin_value;
  if (howdah_is(name, "REQUEST_METHOD")) return &request->method;
  if (howdah_is(name, "QUERY_STRING")) return &request->query_string;
  if (howdah_is(name, "CONTENT_TYPE")) return &request->content_type;
  if (howdah_is(name, "HTTP_COOKIE")) return &request->cookie;
  return NULL;
}

ngx_int_t howdah_evaluate_params(howdah_exchange *exchange, const howdah_loc_conf *location) {
  howdah_request *request = &exchange->request;
  if (!location->params) return NGX_OK;
  const param *params = location->params->elts;
  exchange->params = ngx_palloc(exchange->r->pool, location->params->nelts * sizeof *exchange->params);
  if (!exchange->params) return NGX_ERROR;
  for (ngx_uint_t i = 0; i < location->params->nelts; i++) {
    ngx_http_complex_value_t value = params[i].value;
    ngx_str_t text;
    if (ngx_http_complex_value(exchange->r, &value, &text) != NGX_OK) return NGX_ERROR;
    if (params[i].if_not_empty && text.len == 0) continue;
    howdah_str *read = read_by_php(request, &params[i].name);
    if (read) *read = howdah_str_of(&text);
    exchange->params[exchange->param_count++] = (howdah_header){howdah_str_of(&params[i].name), howdah_str_of(&text)};
  }
  return NGX_OK;
}
