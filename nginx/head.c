/* The head of a response: PHP's header lines become nginx's, some of which nginx must know (filters look at them). */
#include "module.h"

typedef enum { KEEP, KNOWN, DROP, FAILED } treatment;

/* Reasons that nginx's own table (ngx_http_header_filter_module.c) leaves out. RFC 9110 and IANA's registry. */
static const struct {
  int status;
  ngx_str_t line;
} reasons[] = {{203, ngx_string("203 Non-Authoritative Information")},
               {205, ngx_string("205 Reset Content")},
               {207, ngx_string("207 Multi-Status")},
               {208, ngx_string("208 Already Reported")},
               {226, ngx_string("226 IM Used")},
               {300, ngx_string("300 Multiple Choices")},
               {305, ngx_string("305 Use Proxy")},
               {407, ngx_string("407 Proxy Authentication Required")},
               {417, ngx_string("417 Expectation Failed")},
               {418, ngx_string("418 I'm a teapot")},
               {422, ngx_string("422 Unprocessable Content")},
               {423, ngx_string("423 Locked")},
               {424, ngx_string("424 Failed Dependency")},
               {425, ngx_string("425 Too Early")},
               {426, ngx_string("426 Upgrade Required")},
               {428, ngx_string("428 Precondition Required")},
               {431, ngx_string("431 Request Header Fields Too Large")},
               {451, ngx_string("451 Unavailable For Legal Reasons")},
               {506, ngx_string("506 Variant Also Negotiates")},
               {508, ngx_string("508 Loop Detected")},
               {510, ngx_string("510 Not Extended")},
               {511, ngx_string("511 Network Authentication Required")}};

static void set_status(ngx_http_request_t *r, int status) {
  r->headers_out.status = (ngx_uint_t)status;
  ngx_str_null(&r->headers_out.status_line);
  for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
    if (reasons[i].status == status) r->headers_out.status_line = reasons[i].line;
}

/* nginx's charset filter wants the charset apart, as ngx_http_upstream_copy_content_type() gives it. */
static treatment content_type(howdah_exchange *exchange, ngx_str_t value) {
  ngx_http_headers_out_t *head = &exchange->r->headers_out;
  head->content_type = value;
  head->content_type_len = value.len;
  head->content_type_lowcase = NULL;
  ngx_str_null(&head->charset);

  const u_char *end = value.data + value.len;
  for (u_char *p = value.data; p < end; p++) {
    if (*p != ';') continue;
    const u_char *semicolon = p++;
    while (p < end && *p == ' ')
      p++;
    if (end - p < 8 || ngx_strncasecmp(p, (u_char *)"charset=", 8) != 0) {
      p--;
      continue;
    }
    head->content_type_len = (size_t)(semicolon - value.data);
    p += 8;
    if (p < end && *p == '"') p++;
    const u_char *last = end;
    if (last > p && last[-1] == '"') last--;
    head->charset = (ngx_str_t){(size_t)(last - p), p};
    break;
  }
  return DROP;
}

static treatment content_length(howdah_exchange *exchange, ngx_str_t value) {
  off_t length = ngx_atoof(value.data, value.len);
  if (length < 0) {
    howdah_say(exchange->r, NGX_LOG_WARN, 0, "howdah: PHP sent the header \"Content-Length: %V\", which is no length: left out",
               &value);
    return DROP;
  }
  exchange->content_length = length;
  exchange->r->headers_out.content_length_n = length;
  return DROP;
}

/* Three digits, and nothing but words behind them (RFC 9112, 4). */
static ngx_int_t read_status(const ngx_str_t *value) {
  bool ends = value->len == 3 || (value->len > 3 && value->data[3] == ' ');
  return ends ? ngx_atoi(value->data, 3) : NGX_ERROR;
}

/* CGI's way to set the status; php-fpm passes it to nginx, which obeys it, and refuses the whole answer when there is none in
 * it. Below 200 it is as where PHP's own function sets it: a client would wait for another answer (sapi/output.c). */
static treatment status_header(howdah_exchange *exchange, ngx_str_t value) {
  ngx_http_request_t *r = exchange->r;
  ngx_int_t status = read_status(&value);
  if (status < 200) {
    howdah_say(r, NGX_LOG_WARN, 0, "howdah: PHP sent the header \"Status: %V\", which %s: answered 500", &value,
               status < 100 ? "is no status" : "ends no request");
    status = NGX_HTTP_INTERNAL_SERVER_ERROR;
    ngx_str_null(&value);
  }
  set_status(r, (int)status);
  if (value.len > 4) r->headers_out.status_line = value;
  exchange->request.status = (int)status; /* for figures and logs */
  return DROP;
}

/* What it announces may come (trailer.c). */
static treatment trailer_header(howdah_exchange *exchange, ngx_str_t value) {
  (void)value;
  exchange->r->expect_trailers = 1;
  return KEEP;
}

static bool set_reason(ngx_http_request_t *r, int status, howdah_str reason) {
  size_t size = sizeof("999 ") - 1 + reason.len;
  u_char *line = ngx_pnalloc(r->pool, size);
  if (!line) return false;
  ngx_str_t words = {reason.len, (u_char *)reason.data};
  ngx_sprintf(line, "%03d %V", status, &words);
  r->headers_out.status_line = (ngx_str_t){size, line};
  return true;
}

/* Headers that mean something to nginx; those of the connection are its own affair. */
static const struct {
  ngx_str_t name;
  treatment (*handle)(howdah_exchange *exchange, ngx_str_t value); /* or NULL: */
  size_t known;                                                    /* offset of nginx's pointer to the header, or 0 */
  treatment otherwise;
} special[] = {
    {ngx_string("content-type"), content_type, 0, DROP},
    {ngx_string("content-length"), content_length, 0, DROP},
    {ngx_string("status"), status_header, 0, DROP},
    {ngx_string("trailer"), trailer_header, 0, KEEP},
    {ngx_string("connection"), NULL, 0, DROP},
    {ngx_string("keep-alive"), NULL, 0, DROP},
    {ngx_string("transfer-encoding"), NULL, 0, DROP},
    {ngx_string("content-encoding"), NULL, offsetof(ngx_http_headers_out_t, content_encoding), KNOWN},
    {ngx_string("content-range"), NULL, offsetof(ngx_http_headers_out_t, content_range), KNOWN},
    {ngx_string("date"), NULL, offsetof(ngx_http_headers_out_t, date), KNOWN},
    {ngx_string("server"), NULL, offsetof(ngx_http_headers_out_t, server), KNOWN},
    {ngx_string("etag"), NULL, offsetof(ngx_http_headers_out_t, etag), KNOWN},
    {ngx_string("expires"), NULL, offsetof(ngx_http_headers_out_t, expires), KNOWN},
    {ngx_string("last-modified"), NULL, offsetof(ngx_http_headers_out_t, last_modified), KNOWN},
    {ngx_string("accept-ranges"), NULL, offsetof(ngx_http_headers_out_t, accept_ranges), KNOWN},
    {ngx_string("www-authenticate"), NULL, offsetof(ngx_http_headers_out_t, www_authenticate), KNOWN},
};

static size_t find_special(const u_char *name, size_t len) {
  size_t i;
  for (i = 0; i < sizeof special / sizeof *special; i++)
    if (special[i].name.len == len && ngx_strncasecmp((u_char *)name, special[i].name.data, len) == 0) break;
  return i;
}

/* Location is not among the special ones: nginx would make an absolute URL of a path, of a host name that it guesses; it does
 * not for FastCGI either (ngx_http_upstream_rewrite_location). */
ngx_int_t howdah_add_header(howdah_exchange *exchange, ngx_str_t name, ngx_str_t value) {
  ngx_http_request_t *r = exchange->r;
  size_t which = find_special(name.data, name.len);
  treatment treated = KEEP;
  if (which < sizeof special / sizeof *special)
    treated = special[which].handle ? special[which].handle(exchange, value) : special[which].otherwise;
  if (treated == FAILED) return NGX_ERROR;
  if (treated == DROP) return NGX_OK;

  ngx_table_elt_t *header = ngx_list_push(&r->headers_out.headers);
  if (!header) return NGX_ERROR;
  ngx_memzero(header, sizeof *header);
  header->hash = 1;
  header->key = name;
  header->value = value;
  if (treated == KNOWN) *(ngx_table_elt_t **)((char *)&r->headers_out + special[which].known) = header;
  if (name.len == 13 && ngx_strncasecmp(name.data, (u_char *)"cache-control", 13) == 0)
    return howdah_add_cache_control(r, header);
  return NGX_OK;
}

int howdah_op_send_head(howdah_request *request, int status, const howdah_header *headers, size_t count) {
  howdah_exchange *exchange = (howdah_exchange *)request;
  ngx_http_request_t *r = exchange->r;
  if (exchange->gone) return -1;

  size_t bytes = 0;
  for (size_t i = 0; i < count; i++)
    bytes += headers[i].name.len + headers[i].value.len;
  u_char *copy = ngx_pnalloc(r->pool, bytes ? bytes : 1);
  if (!copy) return -1;

  exchange->head_made = 1;
  set_status(r, status);
  if (request->reason.len && !set_reason(r, status, request->reason)) return -1;
  r->disable_not_modified = 1; /* whether a page has changed is PHP's to say */
  for (size_t i = 0; i < count; i++) {
    ngx_str_t name = {headers[i].name.len, copy};
    copy = ngx_cpymem(copy, headers[i].name.data, name.len);
    ngx_str_t value = {headers[i].value.len, copy};
    if (value.len) copy = ngx_cpymem(copy, headers[i].value.data, value.len);
    if (howdah_accel_header(exchange, &name, &value)) continue;
    if (howdah_add_header(exchange, name, value) != NGX_OK) return -1;
  }
  if (r->headers_out.last_modified) {
    const ngx_str_t *date = &r->headers_out.last_modified->value;
    r->headers_out.last_modified_time = ngx_parse_http_time(date->data, date->len);
  }
  return 0;
}
