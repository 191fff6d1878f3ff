/* For an application that is being developed: who watches its files says here that some were saved (howdah_renew). */
#include "module.h"

static ngx_int_t serve(ngx_http_request_t *r) {
  if (r->method != NGX_HTTP_POST) return NGX_HTTP_NOT_ALLOWED;
  ngx_int_t rc = ngx_http_discard_request_body(r);
  if (rc != NGX_OK) return rc;
  ngx_buf_t *buffer = ngx_create_temp_buf(r->pool, NGX_INT32_LEN + 1);
  if (!buffer) return NGX_HTTP_INTERNAL_SERVER_ERROR;
  buffer->last = ngx_sprintf(buffer->last, "%uD\n", howdah_engine_take_saved_code());
  buffer->last_buf = 1;
  r->headers_out.status = NGX_HTTP_OK;
  r->headers_out.content_length_n = buffer->last - buffer->pos;
  rc = ngx_http_send_header(r);
  ngx_chain_t out = {.buf = buffer, .next = NULL};
  return rc == NGX_ERROR || rc > NGX_OK ? rc : ngx_http_output_filter(r, &out);
}

char *howdah_set_renew(ngx_conf_t *cf, ngx_command_t *command, void *conf) {
  ngx_http_core_loc_conf_t *location = ngx_http_conf_get_module_loc_conf(cf, ngx_http_core_module);
  (void)command;
  (void)conf;
  location->handler = serve;
  return NGX_CONF_OK;
}
