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
