/* Messages of PHP and of the engine in nginx's error log. */
#include "module.h"

/* nginx cuts a log line at NGX_MAX_ERROR_STR bytes, with its own prefix and suffix in it. */
enum { LONGEST_LINE = 1500 };

static ngx_uint_t nginx_level(howdah_log_level level) {
  switch (level) {
  case HOWDAH_LOG_ERROR:
    return NGX_LOG_ERR;
  case HOWDAH_LOG_WARNING:
    return NGX_LOG_WARN;
  case HOWDAH_LOG_NOTICE:
    return NGX_LOG_NOTICE;
  case HOWDAH_LOG_DEBUG:
    break;
  }
  return NGX_LOG_DEBUG;
}

/* A long message, a stack trace mostly, is cut where it has line ends rather than lost. */
static size_t first_part(const char *message, size_t len) {
  if (len <= LONGEST_LINE) return len;
  for (size_t cut = LONGEST_LINE; cut > 0; cut--)
    if (message[cut] == '\n') return cut;
  return LONGEST_LINE;
}

static ngx_http_log_handler_pt nginx_handler;

/* Made when it is first asked for, here or by the access log; but not in a signal handler. */
static const ngx_http_variable_value_t *id_of(ngx_http_request_t *r) {
  const howdah_main_conf *conf = ngx_http_get_module_main_conf(r, ngx_http_howdah_module);
  const ngx_http_variable_value_t *known = &r->variables[conf->request_id];
  if (!known->valid && !howdah_engine_is_crashing()) known = ngx_http_get_indexed_variable(r, conf->request_id);
  return known && known->valid && !known->not_found ? known : NULL;
}

/* What nginx says of each request that it logs something of, and which script served it, and the number by which the access log knows it. */
static u_char *add_request(ngx_http_request_t *r, ngx_http_request_t *current, u_char *buffer, size_t len) {
  u_char *end = buffer + len, *at = nginx_handler(r, current, buffer, len);
  const howdah_exchange *exchange = ngx_http_get_module_ctx(current, ngx_http_howdah_module);
  const howdah_loc_conf *conf = ngx_http_get_module_loc_conf(current, ngx_http_howdah_module);
  if (!exchange) return at;
  const ngx_str_t *script = conf->mode == HOWDAH_WORKER ? &conf->worker_script : &exchange->script_filename;
  at = ngx_slprintf(at, end, ", script: \"%V\"", script);
  const ngx_http_variable_value_t *id = id_of(r);
  if (id) at = ngx_slprintf(at, end, ", request_id: %v", id);
  return at;
}

ngx_int_t howdah_find_request_id(ngx_conf_t *cf) {
  ngx_str_t name = ngx_string("request_id");
  howdah_main_conf *conf = ngx_http_conf_get_module_main_conf(cf, ngx_http_howdah_module);
  ngx_int_t index = ngx_http_get_variable_index(cf, &name);
  conf->request_id = (ngx_uint_t)index;
  return index == NGX_ERROR ? NGX_ERROR : NGX_OK;
}

void howdah_name_in_log(ngx_http_request_t *r) {
  if (r->log_handler == add_request) return;
  nginx_handler = r->log_handler;
  r->log_handler = add_request;
}

/* Async-signal-safe, as nginx's own signal handlers need ngx_log_error() to be: it formats on the stack and calls write(). */
void howdah_log_to_nginx(howdah_log_level level, const char *message, size_t len, howdah_request *request) {
  ngx_log_t *log = ngx_cycle->log;
  /* The engine has requests of its own: a worker script's boot. */
  if (request && request->ops->send_head == howdah_op_send_head) log = ((howdah_exchange *)request)->r->connection->log;

  while (len > 0) {
    size_t part = first_part(message, len);
    ngx_log_error(nginx_level(level), log, 0, "%*s", part, message);
    message += part;
    len -= part;
    while (len > 0 && *message == '\n')
      message++, len--;
  }
}
