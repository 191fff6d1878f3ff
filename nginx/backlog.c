/* What PHP writes while another request of the same client has its turn: an include before it that is slow. nginx would keep
 * all of it in memory (ngx_http_postpone_filter()). Here a temporary file does, as for an answer of php-fpm's
 * (ngx_event_pipe_write_chain_to_temp_file()). PHP goes on meanwhile: the include may need the very realm that it would wait
 * in. */
#include "module.h"

static ngx_temp_file_t *make_file(ngx_http_request_t *r) {
  const ngx_http_core_loc_conf_t *core = ngx_http_get_module_loc_conf(r, ngx_http_core_module);
  ngx_temp_file_t *file = ngx_pcalloc(r->pool, sizeof *file);
  if (!file) return NULL;
  file->file.fd = NGX_INVALID_FILE;
  file->file.log = r->connection->log;
  file->path = core->client_body_temp_path;
  file->pool = r->pool;
  return file;
}

ngx_int_t howdah_backlog_put(howdah_exchange *exchange, ngx_chain_t *chain) {
  if (!exchange->backlog) exchange->backlog = make_file(exchange->r);
  if (!exchange->backlog) return NGX_ERROR;
  ssize_t written = ngx_write_chain_to_temp_file(exchange->backlog, chain);
  if (written < 0) return NGX_ERROR;
  exchange->backlog->offset += written;
  return NGX_OK;
}

ngx_int_t howdah_backlog_take(howdah_exchange *exchange, ngx_chain_t **chain) {
  ngx_temp_file_t *file = exchange->backlog;
  if (!file || exchange->backlog_given == file->offset) return NGX_OK;
  ngx_buf_t *buf = ngx_calloc_buf(exchange->r->pool);
  ngx_chain_t *link = ngx_alloc_chain_link(exchange->r->pool);
  if (!buf || !link) return NGX_ERROR;
  buf->file = &file->file;
  buf->file_pos = exchange->backlog_given;
  buf->file_last = file->offset;
  buf->in_file = 1;
  exchange->backlog_given = file->offset;
  *link = (ngx_chain_t){.buf = buf, .next = *chain};
  *chain = link;
  return NGX_OK;
}
