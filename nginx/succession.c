/* A worker that leaves loses nobody's request.
 *
 * nginx then closes each connection on which it knows of no request (ngx_close_idle_connections(), core/ngx_connection.c, 1.22 and 1.26). It asks the
 * kernel once in a turn of its loop, and with PHP in it a turn lasts for a slice and longer: what has come since lies unread, and whoever has sent it would
 * get a reset. So what has come is read before.
 *
 * And nginx says "keep-alive" in answers after which it closes the connection, because it leaves: the next request would be on its way by then. */
#include "module.h"

#include <sys/socket.h>

static ngx_http_output_header_filter_pt next_header_filter;

/* A client's connection on which nothing runs; nginx calls others idle, too, and so do we (loop.c). */
static bool is_quiet_client(const ngx_connection_t *c) {
  return c->fd != (ngx_socket_t)-1 && c->idle && c->listening && c->type != SOCK_DGRAM && !howdah_is_quic(c);
}

static bool has_unread(const ngx_connection_t *c) {
  char byte;
  return recv(c->fd, &byte, sizeof byte, MSG_PEEK | MSG_DONTWAIT) > 0;
}

/* As if the kernel had told of it (ngx_epoll_process_events()). */
static void hear(ngx_connection_t *c) {
  c->read->ready = 1;
  c->read->available = -1;
  c->read->handler(c->read);
}

void howdah_succession_hear(void) {
  ngx_connection_t *connections = ngx_cycle->connections;
  for (ngx_uint_t i = 0; i < ngx_cycle->connection_n; i++)
    if (is_quiet_client(&connections[i]) && has_unread(&connections[i])) hear(&connections[i]);
}

static ngx_int_t filter_header(ngx_http_request_t *r) {
  if (r == r->main && (howdah_is_leaving() || ngx_exiting)) r->keepalive = 0;
  return next_header_filter(r);
}

void howdah_succession_filter(void) {
  next_header_filter = ngx_http_top_header_filter;
  ngx_http_top_header_filter = filter_header;
}
