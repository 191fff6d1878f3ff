/* Requests that have arrived in this turn of nginx's loop: PHP serves them, in their order, when nginx has read all that was ready.
 *
 * One after the other, not each as soon as it is read: nginx's code runs for each of them, then PHP's, and finds itself in the processor's
 * first cache, which holds one of the two (hello with 64 connections: a fifth more on an Intel Xeon with 32 KB of it). A request that comes alone
 * waits for nothing. */
#include "module.h"
#include "loop.h"

static struct {
  howdah_exchange *first, **last; /* last: where the next one's address goes */
  ngx_event_t event;
} arrivals;

/* A request's client may have gone by now; the pool looks. */
static void serve(ngx_event_t *event) {
  (void)event;
  howdah_departures_open();
  while (arrivals.first) {
    howdah_exchange *exchange = arrivals.first;
    const howdah_loc_conf *conf = ngx_http_get_module_loc_conf(exchange->r, ngx_http_howdah_module);
    arrivals.first = exchange->next;
    howdah_pool_submit(conf->slot->pool, &exchange->request);
    howdah_nginx_clock_catch_up();
    howdah_departures_look();
  }
  howdah_departures_close();
}

void howdah_arrivals_put(howdah_exchange *exchange) {
  exchange->next = NULL;
  if (!arrivals.first) arrivals.last = &arrivals.first;
  *arrivals.last = exchange;
  arrivals.last = &exchange->next;
  arrivals.event.handler = serve;
  arrivals.event.log = ngx_cycle->log;
  ngx_post_event(&arrivals.event, &ngx_posted_events); /* a macro of two statements */
}
