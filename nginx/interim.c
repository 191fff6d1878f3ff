/* Interim responses: 103 Early Hints (RFC 8297) and other 1xx, before the head of the final one.
 *
 * nginx has nothing for them (before 1.29). With HTTP/1.1 one is text before the head: ngx_http_write_filter() keeps the order.
 * With HTTP/2 it is a HEADERS frame, which is made here of nginx's own pieces; it leaves nothing in the table of the header
 * compression. With HTTP/3 it is not sent: the final head has the same headers.
 *
 * Invariant: a frame is the connection's, not its stream's: its memory and its place in the queue outlive the request, and
 * frames that are queued later stay behind it (ngx_http_v2_queue_blocked_frame(), 1.22). */
#include "module.h"

/* What describes the message or the connection, not the final response; and what is nginx's. */
static bool is_left_out(const ngx_str_t *name) {
  static const ngx_str_t names[] = {ngx_string("content-length"), ngx_string("transfer-encoding"), ngx_string("connection"),
                                    ngx_string("keep-alive"),     ngx_string("upgrade"),           ngx_string("status"),
                                    ngx_string("trailer")};
  static const ngx_str_t prefix = ngx_string("x-accel-");
  if (name->len > prefix.len && ngx_strncasecmp(name->data, prefix.data, prefix.len) == 0) return true;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (names[i].len == name->len && ngx_strncasecmp(name->data, names[i].data, name->len) == 0) return true;
  return false;
}

static const char *reason_of(int status) {
  switch (status) {
  case 100:
    return "Continue";
  case 102:
    return "Processing";
  case 103:
    return "Early Hints";
  }
  return "";
}

/* ---- HTTP/1.1 ---- */

enum { STATUS_LINE_BYTES = 64 };

static int send_text(ngx_http_request_t *r, int status, const howdah_header *headers, size_t count) {
  size_t bytes = STATUS_LINE_BYTES;
  for (size_t i = 0; i < count; i++)
    bytes += headers[i].name.len + headers[i].value.len + 4;
  ngx_buf_t *buf = ngx_create_temp_buf(r->pool, bytes);
  if (!buf) return -1;
  buf->last = ngx_sprintf(buf->last, "HTTP/1.1 %d %s\r\n", status, reason_of(status));
  for (size_t i = 0; i < count; i++) {
    ngx_str_t name = {headers[i].name.len, (u_char *)headers[i].name.data};
    ngx_str_t value = {headers[i].value.len, (u_char *)headers[i].value.data};
    if (!is_left_out(&name)) buf->last = ngx_sprintf(buf->last, "%V: %V\r\n", &name, &value);
  }
  *buf->last++ = '\r';
  *buf->last++ = '\n';
  buf->flush = 1;
  ngx_chain_t link = {.buf = buf, .next = NULL};
  return ngx_http_write_filter(r, &link) == NGX_ERROR ? -1 : 0;
}

/* ---- HTTP/2 ---- */

#if (NGX_HTTP_V2)

typedef struct {
  ngx_http_v2_out_frame_t frame;
  ngx_chain_t link;
  ngx_buf_t buf;
  u_char bytes[];
} hints;

static ngx_int_t frame_sent(ngx_http_v2_connection_t *h2c, ngx_http_v2_out_frame_t *frame) {
  const ngx_buf_t *buf = frame->first->buf;
  if (buf->pos != buf->last) return NGX_AGAIN;
  h2c->payload_bytes += frame->length;
  ngx_pfree(h2c->connection->pool, frame);
  return NGX_OK;
}

/* RFC 7541: fields that no table is to remember. NULL when it does not fit. */
static u_char *write_fields(u_char *at, const u_char *end, u_char *scratch, const howdah_header *headers, size_t count) {
  for (size_t i = 0; i < count; i++) {
    ngx_str_t name = {headers[i].name.len, (u_char *)headers[i].name.data};
    if (is_left_out(&name)) continue;
    if ((size_t)(end - at) < 1 + 2 * NGX_HTTP_V2_INT_OCTETS + name.len + headers[i].value.len) return NULL;
    *at++ = 0;
    at = ngx_http_v2_write_name(at, name.data, name.len, scratch);
    at = ngx_http_v2_write_value(at, (u_char *)headers[i].value.data, headers[i].value.len, scratch);
  }
  return at;
}

static int send_frame(ngx_http_request_t *r, int status, const howdah_header *headers, size_t count) {
  enum { STATUS_BYTES = 6 };
  ngx_http_v2_stream_t *stream = r->stream;
  ngx_http_v2_connection_t *h2c = stream->connection;
  if (stream->out_closed || stream->rst_sent || h2c->connection->error) return -1;

  size_t payload = STATUS_BYTES, longest = 0;
  for (size_t i = 0; i < count; i++) {
    size_t bytes = ngx_max(headers[i].name.len, headers[i].value.len);
    payload += 1 + 2 * NGX_HTTP_V2_INT_OCTETS + headers[i].name.len + headers[i].value.len;
    longest = ngx_max(longest, bytes);
  }
  if (payload > h2c->frame_size || longest > NGX_HTTP_V2_MAX_FIELD) return -1;
  u_char *scratch = ngx_pnalloc(r->pool, longest + 1);
  /* As large as an allocation must be to be given back alone. */
  hints *made =
      ngx_palloc(h2c->connection->pool, ngx_max(sizeof(hints) + NGX_HTTP_V2_FRAME_HEADER_SIZE + payload, ngx_pagesize));
  if (!scratch || !made) return -1;

  u_char *fields = made->bytes + NGX_HTTP_V2_FRAME_HEADER_SIZE, *at = fields;
  ngx_memzero(made, sizeof *made);
  /* The first block of fields after the client has changed the table's size says so (RFC 7541, 4.2). */
  if (h2c->table_update) *at++ = (1 << 5) | 0;
  *at++ = 8; /* ":status" is the 8th name of the table that is never written to */
  *at++ = 3;
  at = ngx_sprintf(at, "%03d", status);
  at = write_fields(at, fields + payload, scratch, headers, count);
  if (!at) {
    ngx_pfree(h2c->connection->pool, made);
    return -1;
  }
  u_char *head = ngx_http_v2_write_len_and_type(made->bytes, (size_t)(at - fields), NGX_HTTP_V2_HEADERS_FRAME);
  *head++ = NGX_HTTP_V2_END_HEADERS_FLAG;
  (void)ngx_http_v2_write_sid(head, stream->node->id);

  h2c->table_update = 0;
  made->buf = (ngx_buf_t){.start = made->bytes, .pos = made->bytes, .last = at, .end = at, .temporary = 1, .last_buf = 1};
  made->link = (ngx_chain_t){.buf = &made->buf, .next = NULL};
  made->frame.first = made->frame.last = &made->link;
  made->frame.handler = frame_sent;
  made->frame.length = (size_t)(at - fields);
  ngx_http_v2_queue_ordered_frame(h2c, &made->frame);
  stream->blocked = 1;
  ngx_int_t rc = ngx_http_v2_send_output_queue(h2c);
  stream->blocked = 0;
  if (rc == NGX_ERROR) r->connection->error = 1;
  return rc == NGX_ERROR ? -1 : 0;
}

#endif

/* PHP's memory_limit knows nothing of them. */
bool howdah_exchange_affords(howdah_exchange *exchange, size_t bytes) {
  enum { MOST_BYTES = 256 * 1024 };
  if (bytes > MOST_BYTES - exchange->beside) return false;
  exchange->beside += bytes;
  return true;
}

/* What one takes of memory where its client does not read, a page or less. */
static size_t cost(const howdah_header *headers, size_t count) {
  size_t bytes = STATUS_LINE_BYTES;
  for (size_t i = 0; i < count; i++)
    bytes += headers[i].name.len + headers[i].value.len + 4;
  return ngx_max(bytes, 1024);
}

int howdah_op_send_interim(howdah_request *request, int status, const howdah_header *headers, size_t count) {
  howdah_exchange *exchange = (howdah_exchange *)request;
  ngx_http_request_t *r = exchange->r;
  if (exchange->gone || exchange->head_made || exchange->failed || r != r->main) return -1;
  if (!howdah_exchange_affords(exchange, cost(headers, count))) return -1;
#if (NGX_HTTP_V2)
  if (r->stream) return send_frame(r, status, headers, count);
#endif
  /* Clients of HTTP/1.0 know none (RFC 9110, 15.2). */
  return r->http_version == NGX_HTTP_VERSION_11 ? send_text(r, status, headers, count) : -1;
}
