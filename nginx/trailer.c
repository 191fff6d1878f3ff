/* Fields after the body of a response (RFC 9110, 6.5): nginx's filters send them with HTTP/1.1 in chunks, HTTP/2 and HTTP/3. */
#include "module.h"

static bool has_trailers(ngx_http_request_t *r) {
  const ngx_http_core_loc_conf_t *core = ngx_http_get_module_loc_conf(r, ngx_http_core_module);
  if (r != r->main || r->method == NGX_HTTP_HEAD) return false;
  if (r->http_version >= NGX_HTTP_VERSION_20) return true;
  return r->http_version == NGX_HTTP_VERSION_11 && core->chunked_transfer_encoding;
}

int howdah_op_add_trailer(howdah_request *request, const howdah_header *trailer) {
  howdah_exchange *exchange = (howdah_exchange *)request;
  ngx_http_request_t *r = exchange->r;
  if (exchange->gone || exchange->ended || exchange->no_body || !has_trailers(r)) return -1;
  /* Whether there may be some is decided with the head: whether its body has a length. */
  if (exchange->head_sent && !r->expect_trailers) return -1;

  if (!howdah_exchange_affords(exchange, trailer->name.len + trailer->value.len + sizeof(ngx_table_elt_t))) return -1;
  u_char *copy = ngx_pnalloc(r->pool, trailer->name.len + trailer->value.len);
  ngx_table_elt_t *field = copy ? ngx_list_push(&r->headers_out.trailers) : NULL;
  if (!field) return -1;
  ngx_memzero(field, sizeof *field);
  field->hash = 1;
  field->key = (ngx_str_t){trailer->name.len, copy};
  copy = ngx_cpymem(copy, trailer->name.data, trailer->name.len);
  field->value = (ngx_str_t){trailer->value.len, copy};
  ngx_memcpy(copy, trailer->value.data, trailer->value.len);
  r->expect_trailers = 1;
  return 0;
}
