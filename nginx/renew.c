/* For an application that is being developed: who watches its files says here that some were saved (howdah_renew), and browsers
 * learn it (howdah_renewals, $howdah_renewals). The number of renewals is the same in all workers. */
#include "module.h"

enum { LOOK_MS = 20 };

/* Text for the answer, of the request's pool; NULL when memory is short. */
static ngx_buf_t *number_between(ngx_http_request_t *r, const char *before, uint32_t number, const char *after) {
  size_t size = ngx_strlen(before) + NGX_INT32_LEN + ngx_strlen(after) + 1;
  ngx_buf_t *buffer = ngx_create_temp_buf(r->pool, size);
  if (!buffer) return NULL;
  buffer->last = ngx_snprintf(buffer->last, size, "%s%uD%s", before, number, after);
  return buffer;
}

/* ---- howdah_renew ---- */

static ngx_int_t serve_renew(ngx_http_request_t *r) {
  static const ngx_str_t pages = ngx_string("pages");
  if (r->method != NGX_HTTP_POST) return NGX_HTTP_NOT_ALLOWED;
  ngx_int_t rc = ngx_http_discard_request_body(r);
  if (rc != NGX_OK) return rc;
  bool is_code = r->args.len != pages.len || ngx_strncmp(r->args.data, pages.data, pages.len) != 0;
  ngx_chain_t out = {.buf = number_between(r, "", howdah_engine_take_saved(is_code), "\n"), .next = NULL};
  if (!out.buf) return NGX_HTTP_INTERNAL_SERVER_ERROR;
  out.buf->last_buf = 1;
  r->headers_out.status = NGX_HTTP_OK;
  r->headers_out.content_length_n = out.buf->last - out.buf->pos;
  rc = ngx_http_send_header(r);
  return rc == NGX_ERROR || rc > NGX_OK ? rc : ngx_http_output_filter(r, &out);
}

/* ---- howdah_renewals: an event stream (WHATWG HTML, 9.2) ---- */

/* It looks for itself, while it is open: who takes a POST is another worker, as likely as not. Without a browser that waits
 * nobody looks. */
typedef struct {
  ngx_event_t look; /* first: it is found by it */
  ngx_http_request_t *r;
  uint32_t told;
} stream;

static void end_stream(void *data) {
  stream *self = data;
  if (self->look.timer_set) ngx_del_timer(&self->look);
}

static ngx_int_t tell(stream *self) {
  uint32_t now = howdah_engine_saves();
  ngx_chain_t out = {.buf = number_between(self->r, "data: ", now, "\n\n"), .next = NULL};
  if (!out.buf) return NGX_ERROR;
  out.buf->flush = 1;
  self->told = now;
  return ngx_http_output_filter(self->r, &out);
}

static void on_look(ngx_event_t *event) {
  stream *self = (stream *)event;
  ngx_http_request_t *r = self->r;
  ngx_connection_t *c = r->connection;
  if (howdah_is_leaving()) {
    ngx_http_finalize_request(r, ngx_http_send_special(r, NGX_HTTP_LAST));
  } else if (self->told != howdah_engine_saves() && tell(self) == NGX_ERROR) {
    ngx_http_finalize_request(r, NGX_ERROR);
  } else {
    ngx_add_timer(event, LOOK_MS);
    return;
  }
  ngx_http_run_posted_requests(c);
}

/* The client can take more of what was written. */
static void on_writable(ngx_http_request_t *r) {
  if (ngx_http_output_filter(r, NULL) == NGX_ERROR || ngx_handle_write_event(r->connection->write, 0) != NGX_OK)
    ngx_http_finalize_request(r, NGX_ERROR);
}

static ngx_int_t serve_renewals(ngx_http_request_t *r) {
  if (r->method != NGX_HTTP_GET) return NGX_HTTP_NOT_ALLOWED;
  ngx_int_t rc = ngx_http_discard_request_body(r);
  if (rc != NGX_OK) return rc;
  stream *self = ngx_pcalloc(r->pool, sizeof *self);
  ngx_http_cleanup_t *cleanup = ngx_http_cleanup_add(r, 0);
  ngx_table_elt_t *header = ngx_list_push(&r->headers_out.headers);
  if (!self || !cleanup || !header) return NGX_HTTP_INTERNAL_SERVER_ERROR;
  *header = (ngx_table_elt_t){.hash = 1, .key = ngx_string("Cache-Control"), .value = ngx_string("no-store")};
  self->r = r;
  self->look = (ngx_event_t){.handler = on_look, .data = r->connection, .log = r->connection->log, .cancelable = 1};
  cleanup->handler = end_stream;
  cleanup->data = self;

  r->headers_out.status = NGX_HTTP_OK;
  ngx_str_set(&r->headers_out.content_type, "text/event-stream");
  r->headers_out.content_type_len = r->headers_out.content_type.len;
  ngx_http_clear_content_length(r);
  rc = ngx_http_send_header(r);
  if (rc == NGX_ERROR || rc > NGX_OK || r->header_only) return rc;
  if (tell(self) == NGX_ERROR) return NGX_ERROR;
  r->read_event_handler = ngx_http_test_reading; /* ends it when the client goes */
  r->write_event_handler = on_writable;
  r->main->count++;
  ngx_add_timer(&self->look, LOOK_MS);
  return NGX_DONE;
}

/* ---- The configuration ---- */

static char *serve_with(ngx_conf_t *cf, ngx_http_handler_pt handler) {
  ngx_http_core_loc_conf_t *location = ngx_http_conf_get_module_loc_conf(cf, ngx_http_core_module);
  location->handler = handler;
  return NGX_CONF_OK;
}

char *howdah_set_renew(ngx_conf_t *cf, ngx_command_t *command, void *conf) {
  (void)command;
  (void)conf;
  return serve_with(cf, serve_renew);
}

char *howdah_set_renewals(ngx_conf_t *cf, ngx_command_t *command, void *conf) {
  (void)command;
  (void)conf;
  return serve_with(cf, serve_renewals);
}
