/* Messages of PHP and of the engine in nginx's error log. */
#include "module.h"

#include <stdarg.h>

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

typedef struct {
  size_t len;
  u_char text[LONGEST_LINE];
} entry;

/* A message may have several lines, a stack trace mostly: those after the first are set in, so that none looks like nginx's
 * own. What is too long for one entry is cut where it has line ends, rather than lost. Returns how many bytes of it were
 * taken. */
static size_t take_entry(entry *to, const char *message, size_t len) {
  static const u_char line_break[] = "\n    ";
  size_t taken = 0, lines_taken = 0, lines_len = 0;
  to->len = 0;
  while (taken < len && to->len + HOWDAH_CHARACTER_MOST <= sizeof to->text) {
    u_char *at = to->text + to->len;
    if (message[taken] == '\n') {
      lines_taken = taken++;
      lines_len = to->len;
      at = ngx_cpymem(at, line_break, sizeof(line_break) - 1);
    } else {
      taken += howdah_put_character(&at, (const u_char *)message + taken, (const u_char *)message + len);
    }
    to->len = (size_t)(at - to->text);
  }
  if (taken == len || lines_len == 0) return taken;
  to->len = lines_len;
  return lines_taken;
}

static ngx_http_log_handler_pt nginx_handler;

const ngx_http_variable_value_t *howdah_request_id(ngx_http_request_t *r, bool may_make) {
  const howdah_main_conf *conf = ngx_http_get_module_main_conf(r, ngx_http_howdah_module);
  const ngx_http_variable_value_t *known = &r->variables[conf->request_id];
  if (!known->valid && may_make) known = ngx_http_get_indexed_variable(r, conf->request_id);
  return known && known->valid && !known->not_found ? known : NULL;
}

/* What nginx says of each request that it logs something of, and which script served it, and the number by which the access log
 * knows it. */
static u_char *add_request(ngx_http_request_t *r, ngx_http_request_t *current, u_char *buffer, size_t len) {
  u_char nginx_text[LONGEST_LINE], *end = buffer + len;
  ngx_str_t text = {(size_t)(nginx_handler(r, current, nginx_text, sizeof nginx_text) - nginx_text), nginx_text};
  u_char *at = howdah_put_text(buffer, end, &text); /* it has the request's line and its fields as they came */
  const howdah_exchange *exchange = ngx_http_get_module_ctx(current, ngx_http_howdah_module);
  const howdah_loc_conf *conf = ngx_http_get_module_loc_conf(current, ngx_http_howdah_module);
  if (!exchange) return at;
  const ngx_str_t *script = conf->mode == HOWDAH_WORKER ? &conf->worker_script : &exchange->script_filename;
  at = howdah_put_text(ngx_slprintf(at, end, ", script: \""), end, script);
  at = ngx_slprintf(at, end, "\"");
  const ngx_http_variable_value_t *id = howdah_request_id(r, !howdah_engine_is_crashing());
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

void howdah_say(ngx_http_request_t *r, ngx_uint_t level, ngx_err_t error, const char *format, ...) {
  u_char text[LONGEST_LINE], escaped[LONGEST_LINE];
  va_list arguments;
  va_start(arguments, format);
  ngx_str_t message = {(size_t)(ngx_vslprintf(text, text + sizeof text, format, arguments) - text), text};
  va_end(arguments);
  ngx_time_sigsafe_update(); /* as below */
  size_t len = (size_t)(howdah_put_text(escaped, escaped + sizeof escaped, &message) - escaped);
  ngx_http_set_log_request(r->connection->log, r);
  ngx_log_error(level, r->connection->log, error, "%*s", len, escaped);
}

static ngx_log_t *log_of(const howdah_request *request) {
  /* The engine has requests of its own: a worker script's boot. */
  bool is_exchange = request && request->ops->send_head == howdah_op_send_head;
  return is_exchange ? ((const howdah_exchange *)request)->r->connection->log : ngx_cycle->log;
}

/* Of the requests on one connection nginx's log lines name the one that nginx works for. PHP may be at another. Returns what is
 * to be put back. */
static ngx_http_request_t *name_request(ngx_log_t *log, const howdah_request *request) {
  if (log == ngx_cycle->log) return NULL;
  ngx_http_log_ctx_t *context = log->data;
  ngx_http_request_t *before = context->current_request;
  context->current_request = ((const howdah_exchange *)request)->r;
  return before;
}

/* The kernel's coarse clock is enough, and costs next to nothing: such lines tell no less than seconds. */
void howdah_set_time_of_errors(void) {
  if (time(NULL) != ngx_time()) ngx_time_sigsafe_update();
}

/* Async-signal-safe, as nginx's own signal handlers need ngx_log_error() to be: it formats on the stack and calls write(). So
 * is what sets the time of such lines right, which has stood still while PHP computed; and it goes by the time zone that nginx
 * read before, not by a realm's (ngx_time_sigsafe_update(), core/ngx_times.c, 1.22). */
void howdah_log_to_nginx(howdah_log_level level, const char *message, size_t len, howdah_request *request) {
  ngx_log_t *log = log_of(request);
  ngx_http_request_t *before = name_request(log, request);
  ngx_time_sigsafe_update();
  while (len > 0 && (message[len - 1] == '\n' || message[len - 1] == '\r'))
    len--;
  while (len > 0) {
    entry next;
    size_t taken = take_entry(&next, message, len);
    ngx_log_error(nginx_level(level), log, 0, "%*s", next.len, next.text);
    message += taken;
    len -= taken;
    while (len > 0 && *message == '\n')
      message++, len--;
  }
  if (before) ngx_http_set_log_request(log, before);
}

/* To every log that takes errors. */
void howdah_line_to_nginx(const char *line, size_t len, howdah_request *request) {
  for (ngx_log_t *log = log_of(request); log && log->log_level >= NGX_LOG_ERR; log = log->next) {
    if (log->writer)
      log->writer(log, NGX_LOG_ERR, (u_char *)line, len);
    else if (log->file)
      howdah_write_whole(log->file->fd, line, len);
  }
}
