/* Requests that have arrived in this turn of nginx's loop: PHP serves them, in their order, when nginx has read all that was
 * ready.
 *
 * One after the other, not each as soon as it is read: nginx's code runs for each of them, then PHP's, and finds itself in the
 * processor's first cache, which holds one of the two (hello with 64 connections: a fifth more on an Intel Xeon with 32 KB of
 * it). A request that comes alone waits for nothing. */
#include "module.h"
#include "loop.h"

static struct {
  ngx_queue_t queue; /* of exchanges */
  ngx_event_t event;
} arrivals = {.queue = {&arrivals.queue, &arrivals.queue}};

/* A request's client may have gone by now, and the turn may have been so long that nginx has not heard of it. */
static void look(howdah_exchange *exchange) {
  (void)howdah_exchange_look(exchange, howdah_nginx_is_behind(howdah_departures_time()));
}

static void serve(ngx_event_t *event) {
  (void)event;
  howdah_departures_open();
  while (!ngx_queue_empty(&arrivals.queue)) {
    howdah_exchange *exchange = ngx_queue_data(ngx_queue_head(&arrivals.queue), howdah_exchange, queue);
    const howdah_loc_conf *conf = ngx_http_get_module_loc_conf(exchange->r, ngx_http_howdah_module);
    ngx_queue_remove(&exchange->queue);
    look(exchange);
    howdah_pool_submit(conf->slot->pool, &exchange->request);
    howdah_departures_look();
    howdah_nginx_clock_catch_up(howdah_departures_time());
  }
  howdah_departures_close();
}

void howdah_arrivals_put(howdah_exchange *exchange) {
  howdah_nginx_heard();
  ngx_queue_insert_tail(&arrivals.queue, &exchange->queue);
  arrivals.event.handler = serve;
  arrivals.event.log = ngx_cycle->log;
  ngx_post_event(&arrivals.event, &ngx_posted_events); /* a macro of two statements */
}
