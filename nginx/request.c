/* A request's way from nginx to the pool and back.
 *
 * nginx keeps the request for as long as the engine has it, also when its client has gone: main->count is up by one (as in
 * ngx_http_read_client_request_body()), and main->blocked keeps ngx_http_terminate_request() from freeing it (visit.c). */
#include "module.h"
#include "loop.h"

#include <errno.h>
#include <poll.h>
#include <sys/stat.h>

static void finish(howdah_request *request);
static bool is_gone(howdah_request *request);

static const howdah_request_ops operations = {.variables = howdah_op_variables,
                                              .read_body = howdah_op_read_body,
                                              .send_head = howdah_op_send_head,
                                              .send_interim = howdah_op_send_interim,
                                              .add_trailer = howdah_op_add_trailer,
                                              .write = howdah_op_write,
                                              .flush = howdah_op_flush,
                                              .end_response = howdah_op_end_response,
                                              .fail = howdah_op_fail,
                                              .is_gone = is_gone,
                                              .slow = howdah_op_slow,
                                              .held = howdah_op_held,
                                              .was_slow = howdah_op_was_slow,
                                              .waited = howdah_op_waited,
                                              .finish = finish};

/* ---- The client goes away ---- */

void howdah_exchange_lost(howdah_exchange *exchange) {
  if (exchange->gone) return;
  exchange->gone = 1;
  if (!exchange->refused) howdah_visit_lose(exchange->visit);
  if (!exchange->finished) howdah_request_aborted(&exchange->request);
}

static bool has_socket_of_its_own(const ngx_http_request_t *r) {
#if (NGX_HTTP_V2)
  if (r->stream) return false;
#endif
  return r->http_version < NGX_HTTP_VERSION_20;
}

static bool learns_of_ends(void) {
#if (NGX_HAVE_EPOLLRDHUP)
  return (ngx_event_flags & NGX_USE_EPOLL_EVENT) && ngx_use_epoll_rdhup;
#else
  return false;
#endif
}

/* Whether the kernel says that it has closed its side. A look at what could be read would not do: there may be more, before the
 * end. */
static bool ask_kernel(ngx_connection_t *c) {
  struct pollfd look = {.fd = c->fd, .events = POLLRDHUP};
  return poll(&look, 1, 0) > 0 && (look.revents & (POLLRDHUP | POLLHUP | POLLERR));
}

/* As ngx_http_upstream_check_broken_connection(): a client that has closed its side has gone. Where nginx is told of ends with
 * the other events, what it has heard so far counts, unless the kernel is to be asked. */
static bool client_has_closed(ngx_http_request_t *r, bool ask) {
  ngx_connection_t *c = r->connection;
  if (c->error || c->close) return true;
  if (howdah_is_quic(c)) return c->write->error;
  if (!has_socket_of_its_own(r) || r->background) return false; /* nobody waits for what is done in the background */
  bool closed = ask || !learns_of_ends() ? ask_kernel(c) : c->read->pending_eof;
  if (!closed) return false;
  c->read->eof = 1;
  c->error = 1;
  return true;
}

static bool goes_now(howdah_exchange *exchange, bool ask) {
  ngx_http_request_t *r = exchange->r;
  if (exchange->gone || exchange->ignore_abort || !client_has_closed(r, ask)) return false;
  ngx_http_set_log_request(r->connection->log, r);
  ngx_log_error(NGX_LOG_INFO, r->connection->log, 0, "client closed the connection while PHP %s",
                exchange->request.realm_id ? "served it" : "had not begun");
  return true;
}

bool howdah_exchange_look(howdah_exchange *exchange, bool ask) {
  bool goes = goes_now(exchange, ask);
  if (goes) howdah_exchange_lost(exchange);
  return goes;
}

/* Of the requests of one client nginx calls only the one whose turn it is to be sent. */
static void on_readable(ngx_http_request_t *r) {
  howdah_exchange *exchange = howdah_exchange_of(r);
  if (exchange) (void)howdah_exchange_look(exchange, false);
}

/* The event that told of its end may have come with the last bytes of the request, and comes only once. */
void howdah_watch_client(ngx_http_request_t *r) {
  ngx_event_t *event = r->connection->read;
  r->read_event_handler = on_readable;
  if (event->pending_eof || r->connection->error) {
    ngx_post_event(event, &ngx_posted_events);
  }
}

static bool is_gone(howdah_request *request) {
  howdah_exchange *exchange = (howdah_exchange *)request;
  if (goes_now(exchange, howdah_nginx_is_behind(howdah_loop_now_us()))) {
    exchange->gone = 1;
    howdah_visit_lose(exchange->visit);
  }
  return exchange->gone;
}

/* ---- A filter answers in PHP's place ---- */

/* ngx_http_filter_finalize_request() clears r->ctx. Then it sends a page of nginx's own, or another location makes one, which
 * may have sent it all by now or go on for long. NGX_ERROR is what stops the answer that was refused, and
 * ngx_http_output_filter() takes it for the connection's: where the other location goes on, it is not. */
bool howdah_exchange_refused(howdah_exchange *exchange, ngx_int_t rc) {
  ngx_http_request_t *r = exchange->r;
  if (ngx_http_get_module_ctx(r, ngx_http_howdah_module) == exchange) return false;
  exchange->refused = 1;
  exchange->replaced = r->uri_changes != exchange->uri_changes;
  exchange->result = rc;
  if (exchange->replaced) {
    if (!r->header_sent && !howdah_visit_is_terminated(exchange->visit)) r->connection->error = 0;
  } else {
    r->read_event_handler = ngx_http_block_reading;
    r->write_event_handler = ngx_http_request_empty_handler;
  }
  return true;
}

/* ---- Back from the engine ---- */

static ngx_int_t result_of(const howdah_exchange *exchange) {
  const ngx_connection_t *c = exchange->r->connection;
  if (c->timedout) return NGX_HTTP_REQUEST_TIME_OUT;
  if (exchange->replaced) return c->error ? NGX_ERROR : NGX_DONE; /* the other location finalizes it, too */
  if (exchange->refused) return exchange->result;
  if (exchange->gone) return NGX_HTTP_CLIENT_CLOSED_REQUEST;
  if (exchange->failed && !exchange->ended) return exchange->head_sent ? NGX_ERROR : exchange->failed;
  if (!exchange->head_made) return NGX_HTTP_INTERNAL_SERVER_ERROR;
  /* nginx goes on sending. NGX_OK would say of an answer in the place of a refused one that it is all sent. */
  return exchange->result == NGX_AGAIN && !exchange->r->filter_finalize ? NGX_OK : exchange->result;
}

ngx_int_t howdah_exchange_status(const howdah_exchange *exchange) {
  if (exchange->gone) return NGX_HTTP_CLIENT_CLOSED_REQUEST;
  return exchange->failed ? exchange->failed : exchange->request.status;
}

/* What the client gets, or would have got. */
static ngx_int_t status_of(const howdah_exchange *exchange, ngx_int_t result) {
  return result >= NGX_HTTP_SPECIAL_RESPONSE ? result : howdah_exchange_status(exchange);
}

/* None of nginx's phases of this request is below us on the stack. */
void howdah_exchange_leave(howdah_exchange *exchange) {
  howdah_engine_take_back_folder();
  if (!exchange->failed) howdah_op_end_response(&exchange->request);
  ngx_http_request_t *r = exchange->r;
  ngx_connection_t *c = r->connection;
  ngx_int_t result = result_of(exchange);
  ngx_http_set_log_request(c->log, r);
  ngx_int_t status = status_of(exchange, result);
  howdah_figures_count(exchange, status);
  howdah_trace_end(exchange, status);
  howdah_parting_forget(exchange);
  howdah_visit_leave(exchange);
  howdah_request_ends(exchange->slot);
  howdah_top_ends();
  /* Another location may answer, or error_page's, without our context. */
  if (!exchange->replaced) {
    r->read_event_handler = ngx_http_block_reading;
    r->write_event_handler = ngx_http_request_empty_handler;
  }
  bool redirects = exchange->redirect.data && result == NGX_OK;
  if (redirects || result >= NGX_HTTP_SPECIAL_RESPONSE) howdah_body_forget(exchange);
  if (redirects) result = howdah_accel_redirect(exchange);
  ngx_http_finalize_request(r, result);
  ngx_http_run_posted_requests(c);
}

static void finish(howdah_request *request) {
  howdah_exchange *exchange = (howdah_exchange *)request;
  uint64_t now_us = howdah_loop_now_us();
  exchange->finished = 1;
  exchange->finished_us = now_us;
  /* Of a part the rest shall follow at once. */
  bool may_wait = exchange->head_made && !exchange->head_sent && !exchange->gone && !exchange->failed;
  if (may_wait && howdah_departures_hold(exchange, now_us)) return;
  howdah_nginx_clock_catch_up(now_us); /* as departures.c does it */
  howdah_exchange_leave(exchange);
}

/* ---- To the engine ---- */

static ngx_int_t join_cookies(ngx_http_request_t *r, howdah_str *joined) {
  ngx_table_elt_t *first = howdah_cookie_first(r);
  if (!first) return NGX_OK;
  *joined = howdah_str_of(&first->value);
  if (!howdah_cookie_next(r, first, 1)) return NGX_OK;

  size_t bytes = 0;
  ngx_uint_t index = 0;
  for (ngx_table_elt_t *cookie = first; cookie; cookie = howdah_cookie_next(r, cookie, ++index))
    bytes += cookie->value.len + 2;
  u_char *at = ngx_pnalloc(r->pool, bytes);
  if (!at) return NGX_ERROR;
  *joined = (howdah_str){(char *)at, bytes - 2};
  index = 0;
  for (ngx_table_elt_t *cookie = first; cookie; cookie = howdah_cookie_next(r, cookie, ++index)) {
    if (cookie != first) at = ngx_cpymem(at, "; ", 2);
    at = ngx_cpymem(at, cookie->value.data, cookie->value.len);
  }
  return NGX_OK;
}

static ngx_int_t fill_request(howdah_exchange *exchange) {
  ngx_http_request_t *r = exchange->r;
  howdah_request *request = &exchange->request;
  request->ops = &operations;
  request->method = howdah_str_of(&r->method_name);
  request->request_uri = howdah_str_of(&r->unparsed_uri);
  request->query_string = howdah_str_of(&r->args);
  request->protocol = howdah_str_of(&r->http_protocol);
  if (r->headers_in.content_type) request->content_type = howdah_str_of(&r->headers_in.content_type->value);
  if (r->headers_in.authorization) request->authorization = howdah_str_of(&r->headers_in.authorization->value);
  /* Where another location was to read it as it came, nobody can any more (howdah_body_forget()). */
  exchange->body_streams = r->reading_body && r->request_body_no_buffering;
  /* nginx counts the chunks that it has read so far. */
  request->content_length = exchange->body_streams && r->headers_in.chunked ? -1 : r->headers_in.content_length_n;
  if (r->request_body) exchange->body = r->request_body->bufs;
  if (exchange->body_streams) r->request_body->bufs = NULL;
  return join_cookies(r, &request->cookie);
}

/* The body is there, or nginx is to read it while PHP does; nginx's count is up by one for us. */
static void start(ngx_http_request_t *r) {
  howdah_exchange *exchange = ngx_http_get_module_ctx(r, ngx_http_howdah_module);
  const howdah_loc_conf *conf = ngx_http_get_module_loc_conf(r, ngx_http_howdah_module);
  /* Of chunks only now is the length known; of those that PHP reads as they come PHP itself looks after it. */
  if (!r->reading_body && howdah_form_is_too_large(r, conf->max_form)) {
    ngx_http_finalize_request(r, NGX_HTTP_REQUEST_ENTITY_TOO_LARGE);
    return;
  }
  if (fill_request(exchange) != NGX_OK || howdah_evaluate_params(exchange, conf) != NGX_OK ||
      howdah_visit_join(exchange) != NGX_OK) {
    ngx_http_finalize_request(r, NGX_HTTP_INTERNAL_SERVER_ERROR);
    return;
  }
  if (exchange->body_streams)
    howdah_body_rests(r);
  else
    howdah_watch_client(r);
  /* post_action's script runs when its client has its answer, or has gone. */
  exchange->ignore_abort = conf->ignore_client_abort || r->post_action;
  /* Not before its body is whole. */
  exchange->request.outlives_client = conf->client_abort == HOWDAH_CONTINUE && !exchange->body_streams;
  if (conf->slow) {
    exchange->request.slow_us = (uint64_t)conf->slow * 1000;
    exchange->slow_log = conf->slow_log;
  }
  r->write_event_handler = howdah_on_writable;
  exchange->uri_changes = r->uri_changes;
  exchange->slot = conf->slot;
  howdah_request_begins(conf->slot);
  howdah_top_begins(exchange);
  howdah_arrivals_put(exchange);
}

static ngx_int_t find_document_root(ngx_http_request_t *r, ngx_str_t *root) {
  const ngx_http_core_loc_conf_t *core = ngx_http_get_module_loc_conf(r, ngx_http_core_module);
  if (!core->root_lengths) {
    *root = core->root;
    return NGX_OK;
  }
  if (!ngx_http_script_run(r, root, core->root_lengths->elts, 0, core->root_values->elts)) return NGX_ERROR;
  return ngx_get_full_name(r->pool, (ngx_str_t *)&ngx_cycle->prefix, root);
}

/* "/srv/index.php/a" of a location that does not split it: the file that the path goes on below, as cgi.fix_pathinfo finds it
 * (init_request_info(), sapi/fpm/fpm/fpm_main.c, 8.2). NULL in data: there is none. */
static ngx_str_t file_above(ngx_http_request_t *r, const ngx_str_t *path) {
  struct stat status;
  ngx_str_t file = {path->len, ngx_pnalloc(r->pool, path->len + 1)};
  if (!file.data) return file;
  ngx_memcpy(file.data, path->data, path->len);
  do {
    while (file.len && file.data[file.len - 1] != '/')
      file.len--;
    while (file.len && file.data[file.len - 1] == '/')
      file.len--;
    file.data[file.len] = '\0';
    if (file.len && stat((char *)file.data, &status) == 0) return S_ISREG(status.st_mode) ? file : (ngx_str_t){0, NULL};
  } while (file.len && errno == ENOTDIR);
  return (ngx_str_t){0, NULL};
}

static bool ends_with(const ngx_str_t *text, const char *end) {
  size_t len = ngx_strlen(end);
  return text->len >= len && ngx_memcmp(text->data + text->len - len, end, len) == 0;
}

/* A client chooses what follows in the path, and so that "/upload.jpg/x.php" is asked of a location for scripts: only what is
 * named as one is run, as with php-fpm's security.limit_extensions. */
static ngx_int_t fix_path(ngx_http_request_t *r, ngx_str_t *path) {
  ngx_str_t file = howdah_engine_fixes_paths() ? file_above(r, path) : (ngx_str_t){0, NULL};
  if (!file.data) return NGX_HTTP_NOT_FOUND;
  if (!ends_with(&file, ".php") && !ends_with(&file, ".phar")) {
    howdah_say(r, NGX_LOG_ERR, 0,
               "howdah: \"%V\" goes on below a file, and \"%V\" is not run: its name does not end in .php or .phar", path,
               &file);
    return NGX_HTTP_FORBIDDEN;
  }
  *path = file;
  return NGX_OK;
}

/* What php-fpm answers: 404 for what is not there or no file ("No input file specified"), 403 for what must not be read. */
static ngx_int_t check_script(ngx_http_request_t *r, ngx_str_t *path) {
  struct stat status;
  ngx_int_t fixed = NGX_HTTP_NOT_FOUND;
  bool found = stat((char *)path->data, &status) == 0;
  if (!found && errno == ENOTDIR && (fixed = fix_path(r, path)) == NGX_OK) found = stat((char *)path->data, &status) == 0;
  if (fixed == NGX_HTTP_FORBIDDEN) return fixed;
  if (!found || access((char *)path->data, R_OK) < 0) {
    ngx_err_t error = ngx_errno;
    howdah_say(r, NGX_LOG_ERR, error, "howdah: the script \"%V\" cannot be read", path);
    return error == EACCES ? NGX_HTTP_FORBIDDEN : NGX_HTTP_NOT_FOUND;
  }
  if (S_ISREG(status.st_mode)) return NGX_OK;
  howdah_say(r, NGX_LOG_ERR, 0, "howdah: the script \"%V\" is not a file", path);
  return NGX_HTTP_NOT_FOUND;
}

static bool names_script(const ngx_http_request_t *r, const ngx_str_t *script_name) {
  size_t len = script_name->len;
  if (!len || r->uri.len < len || ngx_strncmp(r->uri.data, script_name->data, len) != 0) return false;
  return r->uri.len == len || r->uri.data[len] == '/';
}

/* What follows the script in the URI: "/a/b" of "/index.php/a/b" (RFC 3875, 4.1.5). */
static ngx_str_t path_info(const ngx_http_request_t *r, const ngx_str_t *script_name) {
  size_t skip = script_name->len;
  if (!names_script(r, script_name) || r->uri.len == skip) return (ngx_str_t){0, NULL};
  return (ngx_str_t){r->uri.len - skip, r->uri.data + skip};
}

/* The worker script answers every URI, also one that is not its own: as where nginx has rewritten that to the script. */
static void name_worker_script(howdah_exchange *exchange, const howdah_loc_conf *conf) {
  bool is_named = names_script(exchange->r, &conf->worker_name);
  exchange->script_filename = is_named ? conf->worker_script : conf->script_filename;
  exchange->script_name = is_named ? conf->worker_name : conf->script_name;
  exchange->path_info = path_info(exchange->r, &exchange->script_name);
  exchange->document_uri = exchange->path_info.len ? exchange->r->uri : exchange->script_name;
}

/* The script may be known (howdah_files). */
static ngx_int_t find_script(howdah_exchange *exchange, howdah_loc_conf *conf, const ngx_str_t *known) {
  ngx_http_request_t *r = exchange->r;
  if (conf->mode == HOWDAH_WORKER) {
    name_worker_script(exchange, conf);
    return NGX_OK;
  }
  ngx_str_t path = *known;
  if (!path.data && ngx_http_complex_value(r, &conf->script, &path) != NGX_OK) return NGX_HTTP_INTERNAL_SERVER_ERROR;
  while (path.len && path.data[path.len - 1] == '\0') /* the value is compiled with its zero */
    path.len--;
  exchange->script_filename = path; /* the log names what was not found */
  ngx_int_t rc = check_script(r, &path);
  if (rc != NGX_OK) return rc;
  exchange->script_filename = path;
  exchange->script_name = howdah_script_name(&path, &exchange->document_root);
  exchange->document_uri = r->uri;
  exchange->path_info = path_info(r, &exchange->script_name);
  exchange->request.script_filename = howdah_str_of(&path);
  return NGX_OK;
}

ngx_int_t howdah_handler(ngx_http_request_t *r) {
  howdah_loc_conf *conf = ngx_http_get_module_loc_conf(r, ngx_http_howdah_module);
  /* The handler is that of another "if", which this one has followed: as without proxy_pass (ngx_http_upstream_init_request(),
   * 1.22). */
  if (!conf->slot) {
    ngx_log_error(NGX_LOG_ERR, r->connection->log, 0, "howdah: an \"if\" without howdah_pass follows one that has it");
    return NGX_HTTP_INTERNAL_SERVER_ERROR;
  }
  ngx_str_t script = ngx_null_string;
  ngx_int_t rc = conf->files ? howdah_files_find(r, conf, &script) : NGX_OK;
  if (rc != NGX_OK) return rc;
  if (conf->slot->refuses) return NGX_HTTP_SERVICE_UNAVAILABLE;
  if (!conf->slot->pool) {
    ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                  "howdah: PHP did not start in this process: see the log lines of its start");
    return NGX_HTTP_SERVICE_UNAVAILABLE;
  }
  howdah_exchange *exchange = ngx_pcalloc(r->pool, sizeof *exchange);
  if (!exchange) return NGX_HTTP_INTERNAL_SERVER_ERROR;
  exchange->r = r;
  exchange->out_last = &exchange->out;
  exchange->content_length = -1;
  ngx_http_set_ctx(r, exchange, ngx_http_howdah_module);
  howdah_name_in_log(r);
  if (find_document_root(r, &exchange->document_root) != NGX_OK) return NGX_HTTP_INTERNAL_SERVER_ERROR;
  rc = find_script(exchange, conf, &script);
  if (rc != NGX_OK) return rc;
  if (howdah_form_is_too_large(r, conf->max_form)) return NGX_HTTP_REQUEST_ENTITY_TOO_LARGE;
  howdah_trace_begin(exchange, conf);

  bool is_short = r->headers_in.content_length_n <= 0 && !r->headers_in.chunked && !r->headers_in.expect;
  if (is_short && r->http_version < NGX_HTTP_VERSION_20 && r == r->main) {
    r->main->count++; /* as ngx_http_read_client_request_body(), without what it allocates for a body */
    start(r);
  } else {
    r->request_body_no_buffering = !conf->request_buffering;
    r->request_body_file_log_level = 0; /* a larger body goes to a file: that is nothing to warn of */
    rc = ngx_http_read_client_request_body(r, start);
    if (rc >= NGX_HTTP_SPECIAL_RESPONSE) return rc;
  }
  return NGX_DONE;
}
