/* The request's body. nginx has read it, into memory or into a temporary file; or, with howdah_request_buffering off, reads it
 * piece by piece while PHP asks for it, and the realm parks when PHP is faster than the client.
 *
 * A body that does not arrive whole must not be taken for one: the request is cancelled, on the main stack, before PHP sees its
 * end. So is one that nginx refuses while it reads it: too large a body in chunks is answered 413, wrong chunks 400. */
#include "module.h"

/* Copies what there is of the first buffer; 0 when nothing is left, -1 when it cannot be read. */
static ssize_t take(howdah_exchange *exchange, char *to, size_t size) {
  while (exchange->body) {
    ngx_chain_t *link = exchange->body;
    ngx_buf_t *buf = link->buf;
    off_t left = ngx_buf_size(buf) - exchange->body_offset;
    if (left <= 0) {
      exchange->body = link->next;
      exchange->body_offset = 0;
      if (exchange->body_streams) {
        ngx_free_chain(exchange->r->pool, link);
      }
      continue;
    }
    size_t part = left < (off_t)size ? (size_t)left : size;
    if (ngx_buf_in_memory(buf)) {
      ngx_memcpy(to, buf->pos + exchange->body_offset, part);
    } else {
      ssize_t got = ngx_read_file(buf->file, (u_char *)to, part, buf->file_pos + exchange->body_offset);
      if (got <= 0) return -1; /* nginx has logged it */
      part = (size_t)got;
    }
    /* nginx uses a buffer again when it is empty; one that it keeps may be read by another location, too. */
    if (exchange->body_streams && ngx_buf_in_memory(buf))
      buf->pos += part;
    else
      exchange->body_offset += (off_t)part;
    return (ssize_t)part;
  }
  return 0;
}

/* nginx starts the client's time whenever it has read, and with HTTP/2 also when it has got a frame. */
static void stop_timer(ngx_event_t *event) {
  if (event->timer_set) ngx_del_timer(event);
  event->timedout = 0;
}

/* While PHP does not read. The client's time runs only where somebody waits for it. Where PHP is to outlive its client, its end
 * is seen when PHP reads. */
static void on_unread(ngx_http_request_t *r) {
  howdah_exchange *exchange = howdah_exchange_of(r);
  const howdah_loc_conf *conf = ngx_http_get_module_loc_conf(r, ngx_http_howdah_module);
  stop_timer(r->connection->read);
  if (exchange && conf->client_abort == HOWDAH_CANCEL) (void)howdah_exchange_look(exchange, false);
}

void howdah_body_rests(ngx_http_request_t *r) {
  stop_timer(r->connection->read);
  r->read_event_handler = on_unread;
}

/* On the main stack: there is more, or there will be none. The request may be over when this returns. */
static void on_body(ngx_http_request_t *r) {
  howdah_exchange *exchange = howdah_exchange_of(r);
  if (!exchange || exchange->gone) return;
  if (exchange->body_broken && (r->connection->error || r->connection->timedout)) {
    ngx_log_error(NGX_LOG_INFO, r->connection->log, 0, "howdah: the body did not arrive whole");
    howdah_exchange_lost(exchange);
  } else if (exchange->body_broken) {
    howdah_request_refuse(&exchange->request, exchange->body_broken);
  } else if (exchange->awaits_body) {
    howdah_request_wake(&exchange->request);
  }
}

/* 0, or -1 when the request has to end. Parks. */
static int await_more(howdah_exchange *exchange) {
  exchange->r->read_event_handler = on_body;
  exchange->awaits_body = 1;
  int woken = howdah_request_park(&exchange->request);
  exchange->awaits_body = 0;
  return woken;
}

/* Has nginx read what has come. 1 when that is something, 0 at the body's end, -1 when there will be no end. May park. */
static int have_more_read(howdah_exchange *exchange) {
  ngx_http_request_t *r = exchange->r;
  while (r->reading_body && !exchange->gone && !exchange->body_broken) {
    howdah_set_time_of_errors();
    ngx_int_t rc = ngx_http_read_unbuffered_request_body(r);
    if (rc >= NGX_HTTP_SPECIAL_RESPONSE) {
      exchange->body_broken = (int)rc;
      ngx_post_event(r->connection->read, &ngx_posted_events);
    } else {
      exchange->body = r->request_body->bufs;
      exchange->body_offset = 0;
      r->request_body->bufs = NULL;
    }
    if (rc == NGX_OK) {
      const howdah_loc_conf *conf = ngx_http_get_module_loc_conf(r, ngx_http_howdah_module);
      exchange->request.outlives_client = conf->client_abort == HOWDAH_CONTINUE;
      howdah_watch_client(r);
    }
    if (exchange->body) return 1;
    if (rc != NGX_OK && await_more(exchange) < 0) return -1;
  }
  return exchange->gone || exchange->body_broken ? -1 : 0;
}

/* PHP may take its time with what it has: the client's begins anew with the next look. */
static int read_more(howdah_exchange *exchange) {
  int more = have_more_read(exchange);
  if (exchange->r->reading_body && !exchange->gone) howdah_body_rests(exchange->r);
  return more;
}

ssize_t howdah_op_read_body(howdah_request *request, char *buffer, size_t size) {
  howdah_exchange *exchange = (howdah_exchange *)request;
  ssize_t got = take(exchange, buffer, size);
  if (got != 0 || !exchange->body_streams) return got;
  int more = read_more(exchange);
  return more > 0 ? take(exchange, buffer, size) : more;
}

/* Nothing of it is kept, and nginx reads no body twice: it would announce a length and pass on nothing. What is still to come
 * of it goes with the connection. */
void howdah_body_forget(howdah_exchange *exchange) {
  ngx_http_request_t *r = exchange->r;
  if (!exchange->body_streams) return;
  exchange->body = NULL;
  r->request_body->bufs = NULL;
  r->request_body_no_buffering = 0;
  r->headers_in.content_length = NULL;
  r->headers_in.content_length_n = 0;
  r->headers_in.chunked = 0;
}
