/* $_SERVER: what Debian's fastcgi_params and nginx's fastcgi module give php-fpm. */
#include "module.h"

typedef struct {
  void (*add)(void *to, howdah_str name, howdah_str value);
  void *to;
} receiver;

/* X-Forwarded-For to HTTP_X_FORWARDED_FOR. */
static const u_char *upper_case(void) {
  static u_char table[256];
  if (!table['a']) {
    for (int i = 0; i < 256; i++)
      table[i] = (u_char)(i >= 'a' && i <= 'z' ? i - 'a' + 'A' : i == '-' ? '_' : i);
  }
  return table;
}

static void add_text(const receiver *out, const char *name, size_t name_len, const char *value, size_t len) {
  out->add(out->to, (howdah_str){name, name_len}, (howdah_str){value, len});
}
#define ADD(out, name, value, len) add_text(out, name, sizeof(name) - 1, (const char *)(value), len)
#define ADD_STR(out, name, text)   ADD(out, name, (text).data, (text).len)
#define ADD_TEXT(out, name, text)  ADD(out, name, text, sizeof(text) - 1)

static void add_number(const receiver *out, const char *name, size_t name_len, off_t number) {
  u_char digits[NGX_OFF_T_LEN];
  add_text(out, name, name_len, (char *)digits, (size_t)(ngx_sprintf(digits, "%O", number) - digits));
}
#define ADD_NUMBER(out, name, number) add_number(out, name, sizeof(name) - 1, number)

/* "GET http://shop.example/": the Host header is to be ignored (RFC 9112, 3.2.2). nginx chose the server by the former; an
 * application that sees the latter could be led to another host's pages and links. Debian's fastcgi_params, 1.22.1-9+deb12u11,
 * pass "$host". */
static ngx_str_t absolute_host(const ngx_http_request_t *r) {
  if (!r->host_start || !r->host_end) return (ngx_str_t){0, NULL};
  const u_char *end = r->host_end;
  /* In HTTP/1 the port follows in the request line; not every version of nginx keeps where. */
  if (r->http_version < NGX_HTTP_VERSION_20 && *end == ':')
    while (*++end >= '0' && *end <= '9') {
    }
  return (ngx_str_t){(size_t)(end - r->host_start), r->host_start};
}

/* Room for so many bytes, kept for the request, which may be asked for its variables often. */
static u_char *room(howdah_exchange *exchange, ngx_str_t *buffer, size_t bytes) {
  enum { USUAL_BYTES = 256 };
  if (bytes <= buffer->len) return buffer->data;
  size_t size = ngx_max(bytes, (size_t)USUAL_BYTES);
  u_char *larger = ngx_pnalloc(exchange->r->pool, size);
  if (larger) *buffer = (ngx_str_t){size, larger};
  return larger;
}

/* X-Forwarded-For to HTTP_X_FORWARDED_FOR; empty when memory is short. */
static howdah_str variable_name(howdah_exchange *exchange, const ngx_str_t *header) {
  const u_char *upper = upper_case();
  enum { PREFIX_BYTES = sizeof("HTTP_") - 1 };
  u_char *name = room(exchange, &exchange->name, PREFIX_BYTES + header->len);
  if (!name) return (howdah_str){NULL, 0};
  ngx_memcpy(name, "HTTP_", PREFIX_BYTES);
  for (size_t i = 0; i < header->len; i++)
    name[PREFIX_BYTES + i] = upper[header->data[i]];
  return (howdah_str){(char *)name, PREFIX_BYTES + header->len};
}

/* The lines of one name that nginx has linked (since 1.23.0), in one, as its fastcgi module joins them. */
static howdah_str joined_value(howdah_exchange *exchange, const ngx_table_elt_t *header) {
  const ngx_table_elt_t *line = header;
  size_t bytes = header->value.len;
  while ((line = howdah_header_next(line)))
    bytes += line->value.len + 2;
  u_char *at = room(exchange, &exchange->joined, bytes);
  if (!at) return howdah_str_of(&header->value);
  bool is_cookie = header->key.len == 6 && ngx_strncasecmp(header->key.data, (u_char *)"cookie", 6) == 0;
  at = ngx_cpymem(at, header->value.data, header->value.len);
  for (line = header; (line = howdah_header_next(line));) {
    *at++ = is_cookie ? ';' : ',';
    *at++ = ' ';
    at = ngx_cpymem(at, line->value.data, line->value.len);
  }
  return (howdah_str){(char *)exchange->joined.data, bytes};
}

/* What is joined to earlier lines: of each name, the line that comes next. A client that repeats more names than there is room
 * for gets the last lines of the others through, as with older versions of nginx. */
typedef struct {
  const ngx_table_elt_t *next[64];
  size_t count;
} chains;

static bool is_joined_already(chains *seen, const ngx_table_elt_t *header) {
  for (size_t i = 0; i < seen->count; i++) {
    if (seen->next[i] != header) continue;
    seen->next[i] = howdah_header_next(header);
    return true;
  }
  return false;
}

/* Whether the lines that follow are to be joined to this one. */
static bool begins_chain(chains *seen, const ngx_table_elt_t *header) {
  if (!howdah_header_next(header) || seen->count == sizeof seen->next / sizeof *seen->next) return false;
  seen->next[seen->count++] = howdah_header_next(header);
  return true;
}

/* As "$host" without a Host header: the server's name. */
static bool has_host(const ngx_http_request_t *r) {
  return r->headers_in.host && r->headers_in.host->value.len;
}

static void add_headers(const receiver *out, howdah_exchange *exchange, const ngx_str_t *server_name) {
  ngx_http_request_t *r = exchange->r;
  chains seen;
  seen.count = 0; /* and no more: this is done for each request */
  bool linked = howdah_link_headers(r);
  ngx_str_t host = absolute_host(r);
  if (!host.len && !has_host(r)) host = *server_name;
  if (host.len) ADD_STR(out, "HTTP_HOST", host);
  for (const ngx_list_part_t *part = &r->headers_in.headers.part; part; part = part->next) {
    const ngx_table_elt_t *headers = part->elts;
    for (ngx_uint_t i = 0; i < part->nelts; i++) {
      if (!headers[i].hash || (host.len && &headers[i] == r->headers_in.host)) continue;
      if (is_joined_already(&seen, &headers[i])) continue;
      if (exchange->trace && howdah_trace_hides(exchange, &headers[i].key)) continue;
      howdah_str name = variable_name(exchange, &headers[i].key);
      bool is_first = linked && begins_chain(&seen, &headers[i]);
      if (name.len) out->add(out->to, name, is_first ? joined_value(exchange, &headers[i]) : howdah_str_of(&headers[i].value));
    }
  }
}

static void add_addresses(const receiver *out, ngx_http_request_t *r) {
  ngx_connection_t *c = r->connection;
  u_char text[NGX_SOCKADDR_STRLEN];
  ngx_str_t server = {sizeof text, text};
  ADD_STR(out, "REMOTE_ADDR", c->addr_text);
  /* 0: ngx_http_realip_module has put an address in place that came without one. */
  in_port_t port = ngx_inet_get_port(c->sockaddr);
  if (port) {
    ADD_NUMBER(out, "REMOTE_PORT", port);
  } else {
    ADD_TEXT(out, "REMOTE_PORT", "");
  }
  /* Asks the kernel once per connection, and then only when nginx listens on every address. */
  if (ngx_connection_local_sockaddr(c, &server, 0) != NGX_OK) return;
  ADD_STR(out, "SERVER_ADDR", server);
  ADD_NUMBER(out, "SERVER_PORT", ngx_inet_get_port(c->local_sockaddr));
}

/* The server's own name, as Debian's fastcgi_params pass it. One that has none is asked for by any: then it is the name that
 * the client used, as "$host" without its port (RFC 3875, 4.1.14), or where it named none, as in HTTP/1.0, the address that it
 * came to. */
static void add_server_name(const receiver *out, ngx_http_request_t *r, const ngx_str_t *own) {
  const ngx_str_t *asked = &r->headers_in.server;
  ngx_connection_t *c = r->connection;
  u_char text[NGX_SOCKADDR_STRLEN + 2] = "[";
  ngx_str_t address = {sizeof text - 2, text + 1};
  if (own->len) {
    ADD_STR(out, "SERVER_NAME", *own);
  } else if (asked->len) {
    ADD_STR(out, "SERVER_NAME", *asked);
  } else if (ngx_connection_local_sockaddr(c, &address, 0) != NGX_OK || c->local_sockaddr->sa_family == AF_UNIX) {
    ADD_TEXT(out, "SERVER_NAME", "localhost");
  } else if (c->local_sockaddr->sa_family == AF_INET) {
    ADD_STR(out, "SERVER_NAME", address);
  } else {
    text[address.len + 1] = ']';
    ADD(out, "SERVER_NAME", text, address.len + 2);
  }
}

/* As "$remote_user": who says to be with Authorization: Basic, whether or not nginx has asked. */
static void add_user(const receiver *out, ngx_http_request_t *r) {
  if (r->headers_in.user.len || ngx_http_auth_basic_user(r) == NGX_OK) {
    ADD_STR(out, "REMOTE_USER", r->headers_in.user);
  } else {
    ADD_TEXT(out, "REMOTE_USER", "");
  }
}

void howdah_op_variables(howdah_request *request, void (*add)(void *to, howdah_str name, howdah_str value), void *to) {
  howdah_exchange *exchange = (howdah_exchange *)request;
  ngx_http_request_t *r = exchange->r;
  const ngx_http_core_srv_conf_t *server = ngx_http_get_module_srv_conf(r, ngx_http_core_module);
  const receiver out = {add, to};

  ADD_STR(&out, "REQUEST_METHOD", r->method_name);
  ADD_STR(&out, "REQUEST_URI", r->unparsed_uri);
  ADD_STR(&out, "QUERY_STRING", r->args);
  ADD_STR(&out, "CONTENT_TYPE", request->content_type);
  if (request->content_length >= 0) {
    ADD_NUMBER(&out, "CONTENT_LENGTH", (off_t)request->content_length);
  } else {
    ADD_TEXT(&out, "CONTENT_LENGTH", "");
  }
  ADD_STR(&out, "SCRIPT_FILENAME", exchange->script_filename);
  ADD_STR(&out, "SCRIPT_NAME", exchange->script_name);
  if (exchange->path_info.len) ADD_STR(&out, "PATH_INFO", exchange->path_info);
  ADD_STR(&out, "DOCUMENT_URI", exchange->document_uri);
  ADD_STR(&out, "DOCUMENT_ROOT", exchange->document_root);
  ADD_STR(&out, "SERVER_PROTOCOL", r->http_protocol);
  if (howdah_is_encrypted(r)) {
    ADD_TEXT(&out, "REQUEST_SCHEME", "https");
    ADD_TEXT(&out, "HTTPS", "on");
  } else {
    ADD_TEXT(&out, "REQUEST_SCHEME", "http");
  }
  ADD_TEXT(&out, "GATEWAY_INTERFACE", "CGI/1.1");
  ADD_TEXT(&out, "SERVER_SOFTWARE", NGINX_VER);
  add_server_name(&out, r, &server->server_name);
  add_addresses(&out, r);
  ADD_TEXT(&out, "REDIRECT_STATUS", "200");
  add_user(&out, r);
  add_headers(&out, exchange, &server->server_name);
  howdah_str parent = howdah_trace_parent(exchange);
  if (parent.len) add(to, (howdah_str){"HTTP_TRACEPARENT", sizeof("HTTP_TRACEPARENT") - 1}, parent);
  for (size_t i = 0; i < exchange->param_count; i++)
    add(to, exchange->params[i].name, exchange->params[i].value);
}
