/* Answers that are ready. A few of them leave together, as requests arrive together (arrivals.c): what nginx and the kernel run
 * to send one is in the processor's caches for the next, and a client on this machine wakes up once for several. As Seastar
 * does (reactor::batch_flush_pool, core/reactor.cc). With 64 connections that is a fifth of the rate of a short script.
 *
 * What an answer may wait for is bounded: only one that PHP made in less than SHORT_US waits, for at most TOGETHER others, and
 * no longer than HELD_US and what one more realm then computes in one go, which is a slice at most. Nothing is held when
 * nothing else is due. */
#include "module.h"
#include "loop.h"

enum { TOGETHER = 16, SHORT_US = 100, HELD_US = 200 };

static struct {
  ngx_queue_t queue; /* of exchanges, so many: */
  unsigned count;
  bool open;         /* several callbacks run, one after the other, and then howdah_departures_close() */
  uint64_t since_us; /* the first one waits */
  uint64_t look_us;  /* the callback that runs began */
} departures = {.queue = {&departures.queue, &departures.queue}};

/* Ends of requests may end others: their answers leave with these, or at once. Before, nginx's clock is set right: it has stood
 * still while PHP ran, and the access log goes by it. */
static void send_all(uint64_t now_us) {
  if (departures.count) howdah_nginx_clock_catch_up(now_us);
  while (!ngx_queue_empty(&departures.queue)) {
    howdah_exchange *exchange = ngx_queue_data(ngx_queue_head(&departures.queue), howdah_exchange, queue);
    ngx_queue_remove(&exchange->queue);
    departures.count--;
    howdah_exchange_leave(exchange);
  }
}

void howdah_departures_open(void) {
  howdah_nginx_heard();
  howdah_engine_lend_folder(true);
  departures.open = true;
  departures.look_us = howdah_loop_now_us();
  howdah_balance_deaf(departures.look_us);
  howdah_top_deaf(departures.look_us);
}

bool howdah_departures_hold(howdah_exchange *exchange, uint64_t now_us) {
  if (!departures.open) return false;
  if (now_us - departures.look_us > SHORT_US) return false;
  if (!departures.count) departures.since_us = now_us;
  ngx_queue_insert_tail(&departures.queue, &exchange->queue);
  if (++departures.count >= TOGETHER) send_all(now_us);
  return true;
}

void howdah_departures_look(void) {
  departures.look_us = howdah_loop_now_us();
  if (departures.count && departures.look_us - departures.since_us >= HELD_US) send_all(departures.look_us);
}

void howdah_departures_close(void) {
  uint64_t now_us = howdah_loop_now_us();
  departures.open = false;
  send_all(now_us);
  howdah_figures_look(now_us);
  howdah_balance_deaf(0);
  howdah_top_look();
  howdah_top_deaf(0);
  howdah_engine_lend_folder(false);
}

uint64_t howdah_departures_time(void) {
  return departures.look_us;
}
