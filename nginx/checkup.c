/* What a script of the application says of its health. It is asked by a subrequest in the background of the first check that
 * comes, so nobody's worker waits. Checks that come meanwhile wait for the same answer, and what was found is kept for a
 * second: many checks are one request for PHP. Each worker asks for itself.
 *
 * A script that is late is told to end, and as long as it does not, no other is begun. */
#include "checkup.h"
#include "page.h"

enum { KEPT_MS = 1000 };

typedef enum { NOTHING, ANSWERED, BROKEN_OFF, LATE } finding;

struct howdah_checkup {
  ngx_str_t uri, args, whole; /* whole: both, as the configuration has it */
  ngx_msec_t limit;
  ngx_queue_t visitors;     /* checks that wait for the answer */
  ngx_http_request_t *asks; /* the subrequest, until it ends; NULL: none */
  bool is_told;             /* to end */
  ngx_event_t timer, settles;
  finding found;
  ngx_uint_t status; /* of the script's answer */
  ngx_msec_t since;  /* found */
};

typedef struct {
  ngx_queue_t queue;
  ngx_http_request_t *r; /* NULL: it does not wait */
  const ngx_pool_t *pool;
  howdah_checkup *checkup;
} visitor;

static bool is_2xx(ngx_uint_t status) {
  return status >= NGX_HTTP_OK && status < NGX_HTTP_SPECIAL_RESPONSE;
}

static ngx_int_t answer(const howdah_checkup *checkup, ngx_http_request_t *r) {
  bool good = checkup->found == ANSWERED && is_2xx(checkup->status);
  howdah_page page;
  howdah_page_begin(&page, r);
  if (good)
    howdah_page_add(&page, "ready\n");
  else if (checkup->found == ANSWERED)
    howdah_page_add(&page, "not ready: %V answers %ui\n", &checkup->whole, checkup->status);
  else if (checkup->found == LATE)
    howdah_page_add(&page, "not ready: %V has not answered within %M ms\n", &checkup->whole, checkup->limit);
  else
    howdah_page_add(&page, "not ready: %V has broken off its answer\n", &checkup->whole);
  return howdah_page_send(&page, good ? NGX_HTTP_OK : NGX_HTTP_SERVICE_UNAVAILABLE, "text/plain");
}

/* ---- The script ---- */

static void settle_soon(howdah_checkup *checkup) {
  ngx_post_event(&checkup->settles, &ngx_posted_events); /* a macro of two statements */
}

static void find(howdah_checkup *checkup, finding found, ngx_uint_t status) {
  checkup->found = found;
  checkup->status = status;
  checkup->since = ngx_current_msec;
  settle_soon(checkup);
}

static void is_over(howdah_checkup *checkup) {
  checkup->asks = NULL;
  if (checkup->timer.timer_set) ngx_del_timer(&checkup->timer);
}

/* The subrequest has ended; what this returns is what becomes of the whole request (ngx_http_finalize_request()): a script that
 * breaks off must not take the check's answer with it, nor one that answers as nginx does where a client is lost. Of a status
 * that nginx makes a page for, this is called again when it has. */
static ngx_int_t on_end(ngx_http_request_t *r, void *data, ngx_int_t rc) {
  howdah_checkup *checkup = data;
  const ngx_connection_t *c = r->connection;
  bool is_lost = c->error || c->timedout;
  bool says_lost = rc == NGX_HTTP_CLIENT_CLOSED_REQUEST || rc == NGX_HTTP_REQUEST_TIME_OUT;
  bool breaks_off = rc == NGX_ERROR || rc == NGX_HTTP_CLOSE;
  bool has_page_to_come =
      !says_lost && (rc >= NGX_HTTP_SPECIAL_RESPONSE || rc == NGX_HTTP_CREATED || rc == NGX_HTTP_NO_CONTENT);
  if (checkup->asks != r || (!is_lost && !breaks_off && has_page_to_come)) return rc;
  is_over(checkup);
  if (is_lost)
    settle_soon(checkup); /* for those who wait it is asked again */
  else if (checkup->is_told)
    find(checkup, LATE, 0);
  else
    find(checkup, breaks_off ? BROKEN_OFF : ANSWERED, says_lost ? (ngx_uint_t)rc : r->headers_out.status);
  return !is_lost && (breaks_off || says_lost) ? NGX_OK : rc;
}

static void on_late(ngx_event_t *event) {
  howdah_checkup *checkup = event->data;
  howdah_exchange *exchange = howdah_exchange_of(checkup->asks);
  find(checkup, LATE, 0);
  /* One that has no realm yet may be answered before the next time. */
  ngx_add_timer(event, checkup->limit);
  if (exchange && exchange->request.realm_id && !exchange->finished) {
    checkup->is_told = true;
    howdah_request_refuse(&exchange->request, NGX_HTTP_GATEWAY_TIME_OUT);
  }
}

/* As ngx_http_auth_request_handler() does it. To the script it is a request for itself, without the body of the one that asks. */
static ngx_int_t ask(howdah_checkup *checkup, ngx_http_request_t *r) {
  ngx_http_post_subrequest_t *then = ngx_palloc(r->pool, sizeof *then);
  ngx_http_request_body_t *body = ngx_pcalloc(r->pool, sizeof *body);
  if (!then || !body) return NGX_ERROR;
  *then = (ngx_http_post_subrequest_t){.handler = on_end, .data = checkup};
  if (ngx_http_subrequest(r, &checkup->uri, checkup->args.len ? &checkup->args : NULL, &checkup->asks, then,
                          NGX_HTTP_SUBREQUEST_BACKGROUND) != NGX_OK) {
    checkup->asks = NULL;
    return NGX_ERROR;
  }
  checkup->asks->header_only = 1;
  checkup->asks->request_body = body;
  checkup->asks->unparsed_uri = checkup->whole;
  checkup->asks->headers_in.content_type = NULL;
  checkup->asks->headers_in.content_length = NULL;
  checkup->asks->headers_in.content_length_n = -1;
  checkup->asks->headers_in.chunked = 0;
  checkup->found = NOTHING;
  checkup->is_told = false;
  ngx_add_timer(&checkup->timer, checkup->limit);
  return NGX_OK;
}

/* ---- Those who want to know ---- */

static visitor *first_of(const howdah_checkup *checkup) {
  return ngx_queue_data(ngx_queue_head(&checkup->visitors), visitor, queue);
}

static void leave(visitor *guest) {
  ngx_queue_remove(&guest->queue); /* a macro of two statements */
  guest->r = NULL;
}

static void end(visitor *guest, ngx_int_t rc) {
  ngx_http_request_t *r = guest->r;
  ngx_connection_t *c = r->connection;
  leave(guest);
  ngx_http_finalize_request(r, rc);
  ngx_http_run_posted_requests(c);
}

/* Something was found; or whose subrequest it was has gone, and the next one who waits asks. */
static void on_settle(ngx_event_t *event) {
  howdah_checkup *checkup = event->data;
  while (!ngx_queue_empty(&checkup->visitors)) {
    visitor *guest = first_of(checkup);
    ngx_http_set_log_request(guest->r->connection->log, guest->r);
    if (checkup->found != NOTHING) {
      end(guest, answer(checkup, guest->r));
    } else if (checkup->asks) {
      return;
    } else if (ask(checkup, guest->r) == NGX_OK) {
      ngx_http_run_posted_requests(guest->r->connection);
      return;
    } else {
      end(guest, NGX_HTTP_INTERNAL_SERVER_ERROR);
    }
  }
}

/* nginx gives the request up, or is done with it. */
static void on_terminate(void *data) {
  visitor *guest = data;
  if (guest->r) leave(guest);
}

/* Its memory goes, and that of the subrequest if it was this one's. */
static void forget(void *data) {
  const visitor *guest = data;
  howdah_checkup *checkup = guest->checkup;
  if (!checkup->asks || checkup->asks->pool != guest->pool) return;
  is_over(checkup);
  settle_soon(checkup);
}

static ngx_int_t await(howdah_checkup *checkup, ngx_http_request_t *r) {
  ngx_pool_cleanup_t *cleanup = ngx_pool_cleanup_add(r->pool, sizeof(visitor));
  ngx_http_cleanup_t *terminates = ngx_http_cleanup_add(r, 0);
  if (!cleanup || !terminates) return NGX_HTTP_INTERNAL_SERVER_ERROR;
  visitor *guest = cleanup->data;
  *guest = (visitor){.r = NULL, .pool = r->pool, .checkup = checkup};
  cleanup->handler = forget;
  terminates->handler = on_terminate;
  terminates->data = guest;
  if (!checkup->asks && ask(checkup, r) != NGX_OK) return NGX_HTTP_INTERNAL_SERVER_ERROR;
  guest->r = r;
  ngx_queue_insert_tail(&checkup->visitors, &guest->queue);
  r->write_event_handler = ngx_http_request_empty_handler;
  r->main->count++;
  return NGX_DONE;
}

static bool is_known(const howdah_checkup *checkup) {
  if (checkup->found == NOTHING) return false;
  return checkup->asks || ngx_current_msec - checkup->since < KEPT_MS;
}

ngx_int_t howdah_checkup_serve(howdah_checkup *checkup, ngx_http_request_t *r) {
  return is_known(checkup) ? answer(checkup, r) : await(checkup, r);
}

howdah_checkup *howdah_checkup_make(ngx_conf_t *cf, const ngx_str_t *uri, ngx_msec_t limit) {
  howdah_checkup *checkup = ngx_pcalloc(cf->pool, sizeof *checkup);
  if (!checkup) return NULL;
  const u_char *query = ngx_strlchr(uri->data, uri->data + uri->len, '?');
  checkup->whole = checkup->uri = *uri;
  if (query) {
    checkup->uri.len = (size_t)(query - uri->data);
    checkup->args = (ngx_str_t){uri->len - checkup->uri.len - 1, (u_char *)query + 1};
  }
  checkup->limit = limit;
  ngx_queue_init(&checkup->visitors);
  checkup->timer.handler = on_late;
  checkup->settles.handler = on_settle;
  checkup->timer.data = checkup->settles.data = checkup;
  checkup->timer.log = checkup->settles.log = &cf->cycle->new_log;
  return checkup;
}
