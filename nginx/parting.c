/* After fastcgi_finish_request() the client has its whole answer, and its script goes on: its connection is free for the next
 * request.
 *
 * nginx serves one request of HTTP/1 per connection at a time, and the request stays until its script has ended. So the socket
 * parts from the request: it moves to a new connection of nginx's, which waits for a request as after any answer, and the old
 * one keeps a socket of no use until it is closed. That is done only when the script is still there after it has parked: most
 * end at once, and are an ordinary request with keepalive.
 *
 * Of a connection with TLS or the PROXY protocol the state is in the old one: there the next request waits.
 *
 * Where no request can follow (HTTP/1.0, Connection: close), the client reads until the connection ends. So our side of it
 * ends, with TLS, too, and the socket stays where it is: nginx closes it after the script, as any. */
#include "module.h"

#include <sys/socket.h>

#if (NGX_HTTP_SSL)
#include <openssl/err.h>
#endif

/* All that there was to be sent has been. */
static bool is_sent(const howdah_exchange *exchange) {
  const ngx_http_request_t *r = exchange->r;
  const ngx_connection_t *c = r->connection;
  bool is_whole = exchange->ended && exchange->head_sent && !exchange->finished && !exchange->gone && !exchange->failed &&
                  !exchange->refused && !exchange->out && !exchange->keeps && !r->buffered && !c->buffered && !r->postponed;
  bool is_last = r == r->main && c->data == r && !r->post_action;
  return is_whole && is_last && !c->error && !c->timedout && !c->close;
}

/* And to be read, too: nobody else uses the connection. */
static bool is_free(const ngx_http_request_t *r) {
  const ngx_connection_t *c = r->connection;
  bool is_read = !r->reading_body && !r->discard_body && !r->lingering_close;
  return is_read && r->count == 1 && !c->read->eof && !c->read->pending_eof && !howdah_is_leaving() && !ngx_terminate;
}

static bool has_one_request(const ngx_http_request_t *r) {
  return !howdah_is_quic(r->connection) && r->http_version < NGX_HTTP_VERSION_20;
}

static bool is_plain(const ngx_http_request_t *r) {
  const ngx_connection_t *c = r->connection;
  if (c->proxy_protocol) return false;
#if (NGX_HTTP_SSL)
  if (c->ssl) return false;
#endif
  return (ngx_event_flags & NGX_USE_EPOLL_EVENT) && ngx_del_conn && c->listening && !c->shared;
}

/* As ngx_event_accept() makes one. The address is asked for anew: ngx_http_realip_module may have put another one in its
 * place. */
static bool fill(ngx_connection_t *made, const ngx_connection_t *c) {
  ngx_listening_t *listening = c->listening;
  ngx_sockaddr_t peer;
  socklen_t len = sizeof peer;
  ngx_memzero(&peer, sizeof peer);
  if (getpeername(c->fd, &peer.sockaddr, &len) < 0) return false;
  if (len > (socklen_t)sizeof peer) len = sizeof peer;
  made->pool = ngx_create_pool(listening->pool_size, ngx_cycle->log);
  if (!made->pool) return false;
  made->log = ngx_palloc(made->pool, sizeof *made->log);
  made->sockaddr = ngx_palloc(made->pool, len);
  if (!made->log || !made->sockaddr) return false;
  *made->log = listening->log;
  made->log->data = NULL;
  made->log->handler = NULL;
  made->pool->log = made->read->log = made->write->log = made->log;
  ngx_memcpy(made->sockaddr, &peer, len);
  made->socklen = len;
  if (listening->addr_ntop) {
    made->addr_text.data = ngx_pnalloc(made->pool, listening->addr_text_max_len);
    if (!made->addr_text.data) return false;
    made->addr_text.len = ngx_sock_ntop(made->sockaddr, len, made->addr_text.data, listening->addr_text_max_len, 0);
    if (!made->addr_text.len) return false;
  }
  made->recv = ngx_recv;
  made->send = ngx_send;
  made->recv_chain = ngx_recv_chain;
  made->send_chain = ngx_send_chain;
  made->listening = listening;
  made->local_sockaddr = listening->sockaddr;
  made->local_socklen = listening->socklen;
  made->tcp_nopush = c->tcp_nopush;
  made->tcp_nodelay = c->tcp_nodelay;
  made->write->ready = 1;
  made->number = ngx_atomic_fetch_add(ngx_connection_counter, 1);
  made->start_time = c->start_time;
  return true;
}

/* What nginx has read of the next request, and room for more. */
static ngx_buf_t *rest_of(const ngx_http_request_t *r, ngx_pool_t *pool) {
  const ngx_http_core_srv_conf_t *server = ngx_http_get_module_srv_conf(r, ngx_http_core_module);
  size_t bytes = (size_t)(r->header_in->last - r->header_in->pos);
  ngx_buf_t *buf = ngx_create_temp_buf(pool, ngx_max(bytes, server->client_header_buffer_size));
  if (buf) buf->last = ngx_cpymem(buf->pos, r->header_in->pos, bytes);
  return buf;
}

static void give_up(ngx_connection_t *made) {
  if (made->pool) ngx_destroy_pool(made->pool);
  made->pool = NULL;
  made->fd = (ngx_socket_t)-1;
  ngx_free_connection(made);
}

/* A request without anything has just ended on it: nginx does what follows each. It is in no log and no figure. */
static void wait_for_request(ngx_connection_t *made, const ngx_http_request_t *before, ngx_buf_t *buffer) {
  made->buffer = buffer;
  ngx_http_request_t *r = ngx_http_create_request(made);
  if (!r) {
    ngx_http_close_connection(made);
    return;
  }
#if (NGX_STAT_STUB)
  (void)ngx_atomic_fetch_add(ngx_stat_requests, -1);
#endif
  r->loc_conf = before->loc_conf;
  r->logged = 1;
  r->keepalive = 1;
  made->data = r;
  made->requests = before->connection->requests;
  ngx_http_finalize_request(r, NGX_DONE);
}

static void part(ngx_http_request_t *r) {
  ngx_connection_t *c = r->connection;
  ngx_socket_t nothing = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (nothing == (ngx_socket_t)-1) return;
  ngx_connection_t *made = ngx_get_connection(c->fd, c->log);
  ngx_buf_t *buffer = made && fill(made, c) ? rest_of(r, made->pool) : NULL;
  /* SERVER_ADDR: the kernel cannot be asked later. */
  if (!buffer || ngx_connection_local_sockaddr(c, NULL, 0) != NGX_OK || ngx_del_conn(c, 0) != NGX_OK) {
    if (made) give_up(made);
    (void)ngx_close_socket(nothing);
    return;
  }
  c->fd = nothing;
  c->read->ready = 0;
  c->pipeline = 0;
  r->header_in->pos = r->header_in->last;
  r->keepalive = 0;
  if (c->read->timer_set) ngx_del_timer(c->read);
#if (NGX_STAT_STUB)
  (void)ngx_atomic_fetch_add(ngx_stat_active, 1);
#endif
  c->listening->handler(made);
  if (made->fd != (ngx_socket_t)-1) wait_for_request(made, r, buffer);
}

/* Of TLS, as ngx_ssl_shutdown() does it; what log lines say of the connection stays. False where it cannot be said now. */
static bool say_end(const ngx_connection_t *c) {
#if (NGX_HTTP_SSL)
  if (!c->ssl || c->ssl->no_send_shutdown) return true;
  if (!c->ssl->handshaked || SSL_in_init(c->ssl->connection)) return false;
  ERR_clear_error();
  bool is_said = SSL_shutdown(c->ssl->connection) >= 0;
  ERR_clear_error();
  return is_said;
#else
  (void)c;
  return true;
#endif
}

/* False: when the client has read more. */
static bool hang_up(const ngx_connection_t *c) {
  if (!say_end(c)) return false;
  if (shutdown(c->fd, SHUT_WR) < 0 && ngx_socket_errno != NGX_ENOTCONN)
    ngx_log_error(NGX_LOG_ALERT, c->log, ngx_socket_errno, ngx_shutdown_socket_n " failed");
  return true;
}

static bool may_part(const ngx_http_request_t *r) {
  return has_one_request(r) && (!r->keepalive || is_plain(r));
}

/* On the main stack: the script has parked since. */
static void on_parting(ngx_event_t *event) {
  howdah_exchange *exchange = event->data;
  ngx_http_request_t *r = exchange->r;
  if (exchange->parted || !is_sent(exchange) || (r->keepalive && !is_free(r))) return;
  exchange->ignore_abort = 1; /* who closes the connection now leaves nobody alone */
  if (r->keepalive) part(r);
  exchange->parted = r->keepalive || hang_up(r->connection);
}

void howdah_parting_look(howdah_exchange *exchange) {
  ngx_http_request_t *r = exchange->r;
  if (!exchange->ended || exchange->finished || exchange->parted || !may_part(r)) return;
  if (!exchange->parting) {
    exchange->parting = ngx_pcalloc(r->pool, sizeof *exchange->parting);
    if (!exchange->parting) return;
    exchange->parting->handler = on_parting;
    exchange->parting->data = exchange;
    exchange->parting->log = r->connection->log;
  }
  ngx_post_event(exchange->parting, &ngx_posted_events);
}

void howdah_parting_forget(howdah_exchange *exchange) {
  if (exchange->parting && exchange->parting->posted) {
    ngx_delete_posted_event(exchange->parting); /* a macro of two statements */
  }
}
