/* X-Accel-...: what an application asks of nginx with its response's headers, as the FastCGI module takes it
 * (ngx_http_upstream_process_headers(), ngx_http_upstream.c, 1.22). They are never sent to the client.
 *
 * A redirect takes place when the script has ended: until then its realm works with this request. Under php-fpm the client gets
 * the file at once, and a script that goes on is cut off when it next writes. */
#include "module.h"

typedef bool (*handler)(howdah_exchange *exchange, const ngx_str_t *value);

static bool accel_redirect(howdah_exchange *exchange, const ngx_str_t *value) {
  exchange->redirect = *value;
  exchange->no_body = 1; /* what PHP writes is for nobody */
  return true;
}

static bool accel_limit_rate(howdah_exchange *exchange, const ngx_str_t *value) {
  ngx_int_t rate = ngx_atoi(value->data, value->len);
  if (rate == NGX_ERROR) return true;
  exchange->r->limit_rate = (size_t)rate;
  exchange->r->limit_rate_set = 1;
  return true;
}

static bool accel_charset(howdah_exchange *exchange, const ngx_str_t *value) {
  ngx_str_t *charset = ngx_palloc(exchange->r->pool, sizeof *charset);
  if (!charset) return false;
  *charset = *value;
  exchange->r->headers_out.override_charset = charset;
  return true;
}

/* X-Accel-Buffering: flush() sends at once with and without it. X-Accel-Expires: there is no cache between PHP and nginx. */
static bool nothing(howdah_exchange *exchange, const ngx_str_t *value) {
  (void)exchange, (void)value;
  return true;
}

static const struct {
  ngx_str_t name;
  handler handle;
} accel[] = {{ngx_string("x-accel-redirect"), accel_redirect},
             {ngx_string("x-accel-limit-rate"), accel_limit_rate},
             {ngx_string("x-accel-charset"), accel_charset},
             {ngx_string("x-accel-buffering"), nothing},
             {ngx_string("x-accel-expires"), nothing}};

bool howdah_accel_header(howdah_exchange *exchange, const ngx_str_t *name, const ngx_str_t *value) {
  static const ngx_str_t prefix = ngx_string("x-accel-");
  if (name->len <= prefix.len || ngx_strncasecmp(name->data, prefix.data, prefix.len) != 0) return false;
  for (size_t i = 0; i < sizeof accel / sizeof *accel; i++)
    if (accel[i].name.len == name->len && ngx_strncasecmp(name->data, accel[i].name.data, name->len) == 0)
      return accel[i].handle(exchange, value);
  return false;
}

/* Those with `redirect` in ngx_http_upstream_headers_in[]. Content-Type is not in the list of headers. */
static bool outlives_redirect(const ngx_str_t *name) {
  static const ngx_str_t names[] = {ngx_string("set-cookie"), ngx_string("content-disposition"), ngx_string("cache-control"),
                                    ngx_string("expires"), ngx_string("accept-ranges")};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (names[i].len == name->len && ngx_strncasecmp(name->data, names[i].data, name->len) == 0) return true;
  return false;
}

/* Leaves of PHP's head what is the other location's, too. */
static ngx_int_t reduce_head(howdah_exchange *exchange) {
  ngx_http_headers_out_t *head = &exchange->r->headers_out;
  const ngx_http_headers_out_t before = *head;
  ngx_array_t kept;
  if (ngx_array_init(&kept, exchange->r->pool, 8, sizeof(ngx_table_elt_t)) != NGX_OK) return NGX_ERROR;
  for (const ngx_list_part_t *part = &head->headers.part; part; part = part->next) {
    const ngx_table_elt_t *headers = part->elts;
    for (ngx_uint_t i = 0; i < part->nelts; i++) {
      if (!headers[i].hash || !outlives_redirect(&headers[i].key)) continue;
      ngx_table_elt_t *copy = ngx_array_push(&kept);
      if (!copy) return NGX_ERROR;
      *copy = headers[i];
    }
  }
  ngx_http_clean_header(exchange->r);
  head->content_type = before.content_type;
  head->content_type_len = before.content_type_len;
  head->charset = before.charset;
  head->override_charset = before.override_charset;
  const ngx_table_elt_t *headers = kept.elts;
  for (ngx_uint_t i = 0; i < kept.nelts; i++)
    if (howdah_add_header(exchange, headers[i].key, headers[i].value) != NGX_OK) return NGX_ERROR;
  return NGX_OK;
}

ngx_int_t howdah_accel_redirect(howdah_exchange *exchange) {
  ngx_http_request_t *r = exchange->r;
  ngx_str_t uri = exchange->redirect, args = ngx_null_string;
  ngx_uint_t flags = NGX_HTTP_LOG_UNSAFE;
  if (reduce_head(exchange) != NGX_OK || howdah_files_grant(r) != NGX_OK) return NGX_HTTP_INTERNAL_SERVER_ERROR;
  r->disable_not_modified = 0;
  r->expect_trailers = 0;
  if (uri.len && uri.data[0] == '@') {
    ngx_http_named_location(r, &uri);
    return NGX_DONE;
  }
  if (ngx_http_parse_unsafe_uri(r, &uri, &args, &flags) != NGX_OK) return NGX_HTTP_NOT_FOUND;
  if (r->method != NGX_HTTP_HEAD) {
    r->method = NGX_HTTP_GET;
    r->method_name = ngx_http_core_get_method;
  }
  ngx_http_internal_redirect(r, &uri, &args);
  return NGX_DONE;
}
