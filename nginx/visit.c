/* All that PHP does for one request of a client: for the request itself, for its subrequests (SSI, auth_request, mirror), for
 * the error page after a filter has refused its answer.
 *
 * It is found by the pool that they share, as ngx_http_realip_module.c finds its own: ngx_http_filter_finalize_request() clears
 * r->ctx. main->blocked, which has 8 bits, counts it once, however many requests it has. Subrequests that a filter makes while
 * PHP runs on a coroutine would wait there: nginx starts them only when an event of this connection ends. And a client that
 * goes is seen by the one request whose turn it is to be sent, which tells the others here. */
#include "module.h"

struct howdah_visit {
  ngx_queue_t exchanges; /* the newest first; not empty: main->blocked counts us */
  ngx_http_request_t *main;
  ngx_event_t event;
  bool is_terminated;
};

static howdah_exchange *next_lost(const howdah_visit *visit) {
  for (ngx_queue_t *at = ngx_queue_head(&visit->exchanges); at != ngx_queue_sentinel(&visit->exchanges);
       at = ngx_queue_next(at)) {
    howdah_exchange *exchange = ngx_queue_data(at, howdah_exchange, relatives);
    if (exchange->is_lost && !exchange->gone) return exchange;
  }
  return NULL;
}

static void post(howdah_visit *visit) {
  ngx_post_event(&visit->event, &ngx_posted_events); /* a macro of two statements */
}

/* One is told at a time: with the last one the visit's memory may be gone. */
static void on_event(ngx_event_t *event) {
  howdah_visit *visit = event->data;
  howdah_exchange *exchange = next_lost(visit);
  if (exchange) {
    post(visit);
    howdah_exchange_lost(exchange);
  } else {
    ngx_http_run_posted_requests(visit->main->connection);
  }
}

static void forget(void *data) {
  howdah_visit *visit = data;
  if (visit->event.posted) {
    ngx_delete_posted_event(&visit->event); /* a macro of two statements */
  }
}

/* nginx ends the request, for whatever reason; main->blocked keeps it. Maybe on a coroutine's stack. */
static void on_terminate(void *data) {
  howdah_visit *visit = data;
  visit->is_terminated = true;
  howdah_visit_lose(visit);
}

static howdah_visit *find(const ngx_http_request_t *r) {
  for (const ngx_pool_cleanup_t *cleanup = r->pool->cleanup; cleanup; cleanup = cleanup->next)
    if (cleanup->handler == forget) return cleanup->data;
  return NULL;
}

static howdah_visit *make(ngx_http_request_t *r) {
  ngx_pool_cleanup_t *forgets = ngx_pool_cleanup_add(r->pool, sizeof(howdah_visit));
  if (!forgets) return NULL;
  ngx_http_cleanup_t *terminates = ngx_http_cleanup_add(r->main, 0);
  if (!terminates) return NULL;
  howdah_visit *visit = forgets->data;
  ngx_memzero(visit, sizeof *visit);
  visit->main = r->main;
  visit->event.handler = on_event;
  visit->event.data = visit;
  visit->event.log = r->connection->log;
  ngx_queue_init(&visit->exchanges);
  forgets->handler = forget;
  terminates->handler = on_terminate;
  terminates->data = visit;
  return visit;
}

ngx_int_t howdah_visit_join(howdah_exchange *exchange) {
  howdah_visit *visit = find(exchange->r);
  if (!visit) visit = make(exchange->r);
  if (!visit) return NGX_ERROR;
  if (ngx_queue_empty(&visit->exchanges)) visit->main->blocked++;
  ngx_queue_insert_head(&visit->exchanges, &exchange->relatives);
  exchange->visit = visit;
  return NGX_OK;
}

void howdah_visit_leave(howdah_exchange *exchange) {
  howdah_visit *visit = exchange->visit;
  ngx_queue_remove(&exchange->relatives);
  exchange->left = 1;
  if (ngx_queue_empty(&visit->exchanges)) visit->main->blocked--;
}

howdah_exchange *howdah_exchange_of(const ngx_http_request_t *r) {
  howdah_exchange *exchange = ngx_http_get_module_ctx(r, ngx_http_howdah_module);
  if (exchange) return exchange->left ? NULL : exchange;
  howdah_visit *visit = find(r);
  if (!visit) return NULL;
  for (ngx_queue_t *at = ngx_queue_head(&visit->exchanges); at != ngx_queue_sentinel(&visit->exchanges);
       at = ngx_queue_next(at)) {
    exchange = ngx_queue_data(at, howdah_exchange, relatives);
    if (exchange->r == r) return exchange;
  }
  return NULL;
}

void howdah_visit_hurry(howdah_visit *visit) {
  if (visit->main->posted_requests) post(visit);
}

/* Not those that begin later: post_action's script does, when the client has gone. */
void howdah_visit_lose(howdah_visit *visit) {
  ngx_queue_t *end = ngx_queue_sentinel(&visit->exchanges);
  for (ngx_queue_t *at = ngx_queue_head(&visit->exchanges); at != end; at = ngx_queue_next(at)) {
    howdah_exchange *exchange = ngx_queue_data(at, howdah_exchange, relatives);
    exchange->is_lost = visit->is_terminated || !exchange->ignore_abort;
  }
  if (next_lost(visit)) post(visit);
}

bool howdah_visit_is_terminated(const howdah_visit *visit) {
  return visit->is_terminated;
}
