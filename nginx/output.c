/* The body of a response, on its way to the client.
 *
 * What PHP writes is gathered in buffers. Nothing is given to nginx before the response ends, is flushed, or reaches
 * GATHER_BYTES: a small response leaves in one write with its head and its length. What nginx could not send yet stays busy;
 * above BUSY_BYTES of that the coroutine parks until the client has read some, so a response of any size takes bounded memory.
 * While another request of the same client has its turn, nothing is given to nginx but the end (backlog.c).
 *
 * Invariants:
 *  1. The head goes out once, before the first byte of the body.
 *  2. Never more bytes than PHP announced with Content-Length; fewer end the connection, as nothing else would tell the client.
 *  3. After the client is gone nothing is given to nginx, and each call returns -1. */
#include "module.h"

enum {
  FIRST_BUFFER_BYTES = 1024,
  BUFFER_BYTES = 32 * 1024,
  GATHER_BYTES = 32 * 1024,
  BUSY_BYTES = 64 * 1024,
  KEPT_BYTES = 64 * 1024
};

static const int buffer_tag;

static ngx_buf_t *next_buffer(howdah_exchange *exchange, size_t wanted) {
  ngx_chain_t *link = exchange->free;
  if (link) {
    exchange->free = link->next;
  } else {
    /* A small answer, and an event that is flushed, take little. */
    bool small = !exchange->out && (!exchange->written || exchange->is_flushed);
    size_t size = !small || wanted > BUFFER_BYTES ? BUFFER_BYTES : wanted;
    link = ngx_alloc_chain_link(exchange->r->pool);
    if (!link) return NULL;
    link->buf = ngx_create_temp_buf(exchange->r->pool, size < FIRST_BUFFER_BYTES ? FIRST_BUFFER_BYTES : size);
    if (!link->buf) return NULL;
    link->buf->tag = (ngx_buf_tag_t)&buffer_tag;
  }
  link->buf->flush = 0;
  link->next = NULL;
  *exchange->out_last = link;
  exchange->out_last = &link->next;
  return link->buf;
}

/* The last buffer gathered, or NULL. */
static ngx_buf_t *last_buffer(const howdah_exchange *exchange) {
  if (!exchange->out) return NULL;
  const ngx_chain_t *link = exchange->out;
  while (link->next)
    link = link->next;
  return link->buf;
}

/* As memory: what was flushed may be a byte in each buffer. */
static off_t unsent(const howdah_exchange *exchange) {
  off_t bytes = 0;
  for (const ngx_chain_t *link = exchange->busy; link; link = link->next)
    bytes += link->buf->end - link->buf->start;
  return bytes;
}

/* What nginx has sent of the busy buffers, and of those just given to it, is free again. */
static void sort_buffers(howdah_exchange *exchange, ngx_chain_t *given) {
  ngx_chain_update_chains(exchange->r->pool, &exchange->free, &exchange->busy, &given, (ngx_buf_tag_t)&buffer_tag);
}

/* Takes what is gathered out of the exchange. */
static ngx_chain_t *take_gathered(howdah_exchange *exchange) {
  ngx_chain_t *gathered = exchange->out;
  exchange->out = NULL;
  exchange->out_last = &exchange->out;
  exchange->gathered = 0;
  return gathered;
}

static int fail(howdah_exchange *exchange) {
  exchange->result = NGX_ERROR;
  howdah_exchange_lost(exchange);
  return -1;
}

/* What nginx's filters have answered: -1 where PHP's response ends with it. They may have made subrequests. */
static int heed(howdah_exchange *exchange, ngx_int_t rc) {
  if (howdah_exchange_refused(exchange, rc)) {
    howdah_exchange_lost(exchange);
    return -1;
  }
  if (rc == NGX_ERROR) return fail(exchange);
  exchange->result = rc;
  howdah_visit_hurry(exchange->visit);
  return 0;
}

static int send_head(howdah_exchange *exchange, bool last) {
  ngx_http_request_t *r = exchange->r;
  howdah_set_time_of_errors();
  exchange->head_sent = 1;
  /* nginx sees to it itself only where it has chosen the words of the status line. */
  bool has_none = r->headers_out.status == NGX_HTTP_NO_CONTENT || r->headers_out.status == NGX_HTTP_NOT_MODIFIED;
  if (has_none) r->header_only = 1;
  /* What a GET would have got is not known where PHP made no body for a HEAD, or says 304 (RFC 9110, 8.6). */
  bool known = !has_none && (exchange->written || r->method != NGX_HTTP_HEAD);
  /* A client that has a length may stop there, before the trailers (curl 7.88). */
  known = known && !r->expect_trailers;
  if (last && known && exchange->content_length < 0) r->headers_out.content_length_n = exchange->written;
  ngx_http_set_log_request(r->connection->log, r);
  ngx_int_t rc = ngx_http_send_header(r);
  if (heed(exchange, rc) < 0) return -1;
  if (rc > NGX_OK || r->header_only) exchange->no_body = 1;
  /* A filter may keep the head until it has seen the whole body (image_filter): it is told of the end, and may answer
   * otherwise, with a body. */
  exchange->head_kept = has_none && rc == NGX_OK && !r->header_sent && !r->post_action;
  if (exchange->head_kept) r->header_only = 0;
  return 0;
}

/* Whether what nginx is given goes on its way to the client, and not behind another subrequest (ngx_http_postpone_filter()). */
static bool has_turn(const ngx_http_request_t *r) {
  return r->connection->data == r || r->subrequest_in_memory;
}

/* Whether nginx waits for the client: filters keep bytes for reasons of their own, too. */
static bool is_full(const ngx_http_request_t *r) {
  const ngx_event_t *event = r->connection->write;
  return r->connection->data == r && (!event->ready || event->delayed);
}

/* What nginx has kept goes on as soon as the client takes it, whatever PHP does meanwhile; and so its end is noticed. As
 * ngx_event_pipe() does it. Not where another subrequest has its turn: what this one kept waits for that, not for the client. */
static int send_the_rest(howdah_exchange *exchange) {
  const ngx_http_request_t *r = exchange->r;
  ngx_event_t *event = r->connection->write;
  const ngx_http_core_loc_conf_t *core = ngx_http_get_module_loc_conf(r->main, ngx_http_core_module);
  if (r->connection->data != r) return 0;
  if (ngx_handle_write_event(event, core->send_lowat) != NGX_OK) return fail(exchange);
  if (event->delayed) return 0; /* limit_rate's timer */
  if (event->active && !event->ready)
    ngx_add_timer(event, core->send_timeout);
  else if (event->timer_set)
    ngx_del_timer(event);
  return 0;
}

/* NULL: nginx goes on with what it has. */
static int give(howdah_exchange *exchange, ngx_chain_t *chain) {
  ngx_http_request_t *r = exchange->r;
  ngx_http_set_log_request(r->connection->log, r);
  howdah_set_time_of_errors();
  ngx_int_t rc = ngx_http_output_filter(r, chain);
  sort_buffers(exchange, chain);
  if (heed(exchange, rc) < 0) return -1;
  return r->connection->error ? fail(exchange) : send_the_rest(exchange);
}

/* Until the request's turn comes; memory holds no more than KEPT_BYTES of it. */
static int keep(howdah_exchange *exchange) {
  exchange->keeps = 1;
  exchange->is_flushed = 0;
  if (exchange->gathered < KEPT_BYTES) return 0;
  ngx_chain_t *chain = take_gathered(exchange);
  if (howdah_backlog_put(exchange, chain) != NGX_OK) return fail(exchange);
  while (chain) {
    ngx_chain_t *link = chain;
    chain = link->next;
    link->buf->pos = link->buf->last = link->buf->start;
    link->next = exchange->free;
    exchange->free = link;
  }
  return 0;
}

/* Gives what is gathered to nginx. 0, or -1 when the client has gone. */
static int push(howdah_exchange *exchange, bool last, bool flush) {
  ngx_http_request_t *r = exchange->r;
  if (!exchange->head_sent && send_head(exchange, last) < 0) return -1;
  if (exchange->no_body) {
    take_gathered(exchange);
    if (!last || !exchange->head_kept) return 0;
  }
  if (!exchange->ended && !has_turn(r)) return keep(exchange);
  ngx_buf_t *buf = last_buffer(exchange);
  if (!buf) {
    if (!last && (!flush || exchange->is_flushed)) return 0;
    buf = ngx_calloc_buf(r->pool);
    ngx_chain_t *link = ngx_alloc_chain_link(r->pool);
    if (!buf || !link) return fail(exchange);
    *link = (ngx_chain_t){.buf = buf, .next = NULL};
    exchange->out = link;
  }
  buf->flush = flush;
  exchange->is_flushed = flush;
  buf->last_buf = last && r == r->main;
  buf->last_in_chain = last;
  buf->sync = last && r != r->main && ngx_buf_size(buf) == 0;

  exchange->keeps = 0;
  ngx_chain_t *chain = take_gathered(exchange);
  return howdah_backlog_take(exchange, &chain) == NGX_OK ? give(exchange, chain) : fail(exchange);
}

/* ---- A client that reads slowly ---- */

static bool is_too_much(const howdah_exchange *exchange) {
  return !exchange->gone && is_full(exchange->r) && unsent(exchange) > BUSY_BYTES;
}

/* On the main stack. With HTTP/3, that the client does not want a stream any more is a matter of writing, too. After a wake,
 * and where the client has gone, the request may be over and its memory gone: nothing is touched then. */
void howdah_on_writable(ngx_http_request_t *r) {
  howdah_exchange *exchange = howdah_exchange_of(r);
  ngx_event_t *event = r->connection->write;
  if (!exchange || exchange->gone || howdah_exchange_look(exchange, false)) return;
  if (event->timedout && event->ready)
    event->timedout = 0; /* nginx's for a request that has ended, and that waits for this one */
  if (event->timedout) {
    ngx_log_error(NGX_LOG_INFO, r->connection->log, NGX_ETIMEDOUT, "client timed out");
    r->connection->timedout = 1;
    howdah_exchange_lost(exchange);
    return;
  }
  bool goes_on = !event->delayed && exchange->head_sent && exchange->result <= NGX_OK;
  if (goes_on && (exchange->keeps && has_turn(r) ? push(exchange, false, true) : give(exchange, NULL)) < 0) return;
  if (exchange->awaits_body)
    r->read_event_handler(r); /* what has come while others had their turn was told to them */
  else if (exchange->parked && !is_too_much(exchange))
    howdah_request_wake(&exchange->request);
  else if (exchange->ended)
    howdah_parting_look(exchange);
}

/* Parks while too much is unsent. */
static int hold_back(howdah_exchange *exchange) {
  while (is_too_much(exchange)) {
    exchange->parked = 1;
    int woken = howdah_request_park(&exchange->request);
    exchange->parked = 0;
    if (woken < 0) return -1;
  }
  return exchange->gone ? -1 : 0;
}

/* ---- What the engine calls ---- */

int howdah_op_write(howdah_request *request, const char *data, size_t len) {
  howdah_exchange *exchange = (howdah_exchange *)request;
  if (exchange->gone) return -1;
  if (exchange->ended) return 0;
  if (exchange->content_length >= 0 && (off_t)len > exchange->content_length - exchange->written)
    len = (size_t)(exchange->content_length - exchange->written);
  if (exchange->no_body || exchange->r->method == NGX_HTTP_HEAD) {
    exchange->written += (off_t)len;
    return 0;
  }
  while (len > 0) {
    ngx_buf_t *buf = last_buffer(exchange);
    if (!buf || buf->last == buf->end) buf = next_buffer(exchange, len);
    if (!buf) return fail(exchange);
    size_t part = ngx_min(len, (size_t)(buf->end - buf->last));
    buf->last = ngx_cpymem(buf->last, data, part);
    exchange->written += (off_t)part;
    exchange->gathered += part;
    data += part;
    len -= part;
    if (exchange->gathered >= GATHER_BYTES && (push(exchange, false, false) < 0 || hold_back(exchange) < 0)) return -1;
  }
  return 0;
}

int howdah_op_flush(howdah_request *request) {
  howdah_exchange *exchange = (howdah_exchange *)request;
  if (exchange->gone) return -1;
  if (exchange->ended || exchange->redirect.data || !exchange->head_made) return 0;
  return push(exchange, false, true) < 0 ? -1 : hold_back(exchange);
}

/* What has not been sent never will be. */
void howdah_op_fail(howdah_request *request, int status) {
  howdah_exchange *exchange = (howdah_exchange *)request;
  if (exchange->gone || exchange->ended) return;
  take_gathered(exchange);
  exchange->keeps = 0;
  exchange->failed = status;
  if (exchange->head_sent) return;
  ngx_http_clean_header(exchange->r);
  ngx_str_null(&exchange->redirect);
  exchange->no_body = 0;
  exchange->written = 0;
  exchange->content_length = -1;
}

/* The script goes on for a while, and the client need not wait for that. Where it ends in time, finish() leaves the answer to
 * nginx, and to error_page. -1: there is nothing to be said any more. */
static int answer_failure(howdah_exchange *exchange) {
  static const howdah_header type = {{"Content-Type", 12}, {"text/plain; charset=utf-8", 25}};
  static const struct {
    int status;
    ngx_str_t text;
  } answers[] = {{NGX_HTTP_BAD_REQUEST, ngx_string("Bad Request\n")},
                 {NGX_HTTP_REQUEST_ENTITY_TOO_LARGE, ngx_string("Content Too Large\n")},
                 {NGX_HTTP_SERVICE_UNAVAILABLE, ngx_string("Service Unavailable: the server is stopping\n")},
                 {NGX_HTTP_GATEWAY_TIME_OUT, ngx_string("Gateway Timeout: the application took too long\n")}};
  if (exchange->gone || exchange->ended) return -1;
  if (exchange->head_sent) return fail(exchange); /* a part of another answer is with the client: no end but a broken one */
  if (howdah_op_send_head(&exchange->request, exchange->failed, &type, 1) < 0) return fail(exchange);
  for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
    if (answers[i].status == exchange->failed)
      return howdah_op_write(&exchange->request, (const char *)answers[i].text.data, answers[i].text.len);
  return 0;
}

/* The client gets everything now, also when the script goes on (fastcgi_finish_request); then the connection parts from it
 * (parting.c). */
void howdah_op_end_response(howdah_request *request) {
  howdah_exchange *exchange = (howdah_exchange *)request;
  ngx_http_request_t *r = exchange->r;
  if (exchange->failed && answer_failure(exchange) < 0) return;
  if (exchange->gone || exchange->ended || !exchange->head_made) return;
  exchange->ended = 1;
  if (exchange->redirect.data) return;
  /* Without a last buffer, as ngx_http_upstream_finalize_request() does it (ngx_http_upstream.c, 1.22): where a filter has
   * taken the length away, that would make the end look right; and filters would add what belongs to a whole response. */
  bool is_short = exchange->written < exchange->content_length && r->method != NGX_HTTP_HEAD;
  if (push(exchange, !is_short, true) < 0) return;
  if (!exchange->no_body && is_short) {
    ngx_log_error(NGX_LOG_WARN, r->connection->log, 0,
                  "howdah: PHP announced %O bytes with Content-Length and sent %O: the connection is closed",
                  exchange->content_length, exchange->written);
    r->keepalive = 0;
  }
  if (!exchange->finished) howdah_parting_look(exchange);
}
