/* Which worker takes a new connection.
 *
 * Workers take connections from queues of the kernel's that they share, each when it looks, and with multi_accept all that are
 * there. A connection is its worker's from then on: requests would wait for a realm, or for the processor, while another worker
 * has nothing to do. So a worker that hears of a connection first looks at what the others serve, on a board in memory that
 * they share. Where another one serves less, it rings that one's bell, and does not look at that queue for PATIENCE_MS.
 *
 * Invariants:
 *  1. A connection is left to others for IN_VAIN_MAX times PATIENCE_MS at most, unless they answer their bells: none is left
 *     lying.
 *  2. No worker waits for long for one that runs PHP, is short of connections, leaves, or is not there.
 *  3. Sockets with reuseport are left alone: each worker has a queue of its own. So is all where nginx's accept_mutex is on.
 *
 * What it cannot do: requests on connections that a worker has already. */
#include "module.h"
#include "loop.h"

#include <stdatomic.h>
#include <sys/eventfd.h>
#include <sys/mman.h>

/* A request that begins mostly waits for something before DEAF_US have passed; one that computes does so for a slice of 10 ms. */
enum {
  DEAF_US = 2000,
  DEAF_WHEN_FULL_US = 50000,
  PATIENCE_MS = 2,
  PATIENCE_WHEN_FULL_MS = 20,
  EXPECTED_MS = 10,
  IN_VAIN_MAX = 3
};
enum { CACHE_LINE = 64, REFUSES = 1 << 19, SHORT_OF_CONNECTIONS = 1 << 20 };

/* A worker's place on the board. */
typedef struct {
  _Alignas(CACHE_LINE) _Atomic uint32_t load; /* requests that it has, and connections on which one is expected */
  _Atomic uint32_t
      full; /* pools that have as many as they serve at once; more where it is short of connections, or refuses requests */
  _Atomic uint64_t deaf_since_us; /* it runs PHP, or is not there; 0: it would answer a bell at once */
  _Atomic uint64_t wanted;        /* queues that it shall look at: a bit for each, the last one for the rest */
  _Atomic uint32_t answers;       /* how often it has looked because its bell rang */
  int bell;                       /* an eventfd */
} seat;

struct howdah_board {
  ngx_uint_t count;
  seat *seats;
};

static struct {
  howdah_board *board; /* NULL: there is nobody else */
  seat *seat;
  ngx_connection_t *bell;
  ngx_event_t patience, expectation;
  uint32_t active, full;
  uint32_t expected; /* connections just taken, without a request so far */
  howdah_slot *last;
  seat *asked; /* whose bell we rang last, when it had answered so often: */
  uint32_t answers;
  unsigned in_vain; /* so often it did not answer, or was not asked because it had not */
  bool leaves_rest; /* another worker is to have what is left in the queue */
} self;

/* ---- The board, in the master ---- */

static void remove_board(void *data) {
  howdah_board *board = data;
  for (ngx_uint_t i = 0; i < board->count; i++)
    if (board->seats[i].bell >= 0) close(board->seats[i].bell);
  munmap(board->seats, board->count * sizeof *board->seats);
}

howdah_board *howdah_board_new(ngx_cycle_t *cycle) {
  const ngx_core_conf_t *core = (const ngx_core_conf_t *)ngx_get_conf(cycle->conf_ctx, ngx_core_module);
  if (!core->master || core->worker_processes < 2) return NULL;
  howdah_board *board = ngx_pcalloc(cycle->pool, sizeof *board);
  ngx_pool_cleanup_t *cleanup = ngx_pool_cleanup_add(cycle->pool, 0);
  if (!board || !cleanup) return NULL;

  ngx_uint_t count = (ngx_uint_t)core->worker_processes;
  seat *seats = mmap(NULL, count * sizeof *seats, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (seats == MAP_FAILED) goto no_seats;
  *board = (howdah_board){.count = count, .seats = seats};
  for (ngx_uint_t i = 0; i < count; i++)
    seats[i] = (seat){.bell = -1, .deaf_since_us = 1};
  cleanup->handler = remove_board;
  cleanup->data = board;
  for (ngx_uint_t i = 0; i < count; i++)
    if ((seats[i].bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) < 0) goto no_seats;
  return board;

no_seats:
  ngx_log_error(NGX_LOG_WARN, cycle->log, ngx_errno,
                "howdah: no memory or no descriptor for the board of the workers: each takes connections as they come");
  return NULL;
}

/* ---- Looking at it ---- */

/* Those that are expected are likely to be for the pool that had the last one. */
static bool will_be_full(void) {
  const howdah_slot *slot = self.last;
  return slot && self.expected && !slot->full && slot->active + self.expected >= howdah_pool_limit(slot->pool);
}

static void publish(void) {
  if (!self.board) return;
  uint32_t full = self.full + (will_be_full() ? 1 : 0) + (ngx_accept_disabled > 0 ? SHORT_OF_CONNECTIONS : 0);
  atomic_store_explicit(&self.seat->load, self.active + self.expected, memory_order_relaxed);
  atomic_store_explicit(&self.seat->full, full, memory_order_relaxed);
}

static uint64_t burden(const seat *of) {
  return (uint64_t)atomic_load_explicit(&of->full, memory_order_relaxed) << 32 |
         atomic_load_explicit(&of->load, memory_order_relaxed);
}

static bool is_deaf(const seat *other, uint64_t now_us) {
  uint64_t since_us = atomic_load_explicit(&other->deaf_since_us, memory_order_relaxed);
  return since_us && now_us > since_us + (self.full ? DEAF_WHEN_FULL_US : DEAF_US);
}

/* Who has less to do than we, and the least; or NULL. */
static seat *better_one(void) {
  if (!self.board) return NULL;
  seat *best = self.seat;
  uint64_t least = burden(best), now_us = howdah_loop_now_us();
  for (ngx_uint_t i = 0; least && i < self.board->count; i++) {
    seat *other = &self.board->seats[i];
    uint64_t its = burden(other);
    if (its >= least || is_deaf(other, now_us)) continue;
    least = its;
    best = other;
  }
  return best == self.seat ? NULL : best;
}

/* ---- The queues ---- */

static bool is_ours(const ngx_listening_t *listening) {
  return listening->handler == howdah_balance_connection;
}

static uint64_t bit_of(const ngx_listening_t *listening) {
  ngx_uint_t index = (ngx_uint_t)(listening - (ngx_listening_t *)ngx_cycle->listening.elts);
  return (uint64_t)1 << ngx_min(index, 63);
}

/* nginx may have turned its back on the queue itself: no descriptors are left, and a timer is set. */
void howdah_balance_look_again(ngx_connection_t *queue) {
  if (queue->read->active || queue->read->timer_set) return;
  if (ngx_add_event(queue->read, NGX_READ_EVENT, ngx_use_exclusive_accept ? NGX_EXCLUSIVE_EVENT : 0) != NGX_OK)
    ngx_log_error(NGX_LOG_ALERT, queue->log, 0, "howdah: the worker takes no more connections on %V",
                  &queue->listening->addr_text);
}

static void leave_to(seat *other, ngx_connection_t *queue) {
  uint64_t one = 1;
  self.asked = other;
  self.answers = atomic_load_explicit(&other->answers, memory_order_relaxed);
  atomic_fetch_or(&other->wanted, bit_of(queue->listening));
  if (write(other->bell, &one, sizeof one) < 0 && ngx_errno != NGX_EAGAIN) return;
  if (queue->read->active && ngx_del_event(queue->read, NGX_READ_EVENT, NGX_DISABLE_EVENT) != NGX_OK) return;
  if (!self.patience.timer_set) ngx_add_timer(&self.patience, self.full ? PATIENCE_WHEN_FULL_MS : PATIENCE_MS);
}

static void take(ngx_connection_t *queue) {
  self.leaves_rest = false;
  self.in_vain = 0;
  ngx_event_accept(queue->read);
  seat *other = self.leaves_rest ? better_one() : NULL;
  if (other) leave_to(other, queue);
}

/* In the place of ngx_event_accept(). */
static void on_queue(ngx_event_t *event) {
  ngx_connection_t *queue = event->data;
  seat *other = event->timedout || self.in_vain >= IN_VAIN_MAX ? NULL : better_one();
  if (other)
    leave_to(other, queue);
  else
    take(queue);
}

void howdah_balance_connection(ngx_connection_t *c) {
  ngx_event_t *queue = c->listening->connection->read;
  self.expected++;
  publish();
  if (!self.expectation.timer_set) ngx_add_timer(&self.expectation, EXPECTED_MS);
  ngx_http_init_connection(c);
  if (!queue->available || !better_one()) return;
  queue->available = 0; /* ends the loop of ngx_event_accept() */
  self.leaves_rest = true;
}

static ngx_uint_t look_at(uint64_t which) {
  ngx_listening_t *listening = ngx_cycle->listening.elts;
  ngx_uint_t looked = 0;
  for (ngx_uint_t i = 0; i < ngx_cycle->listening.nelts; i++) {
    if (!is_ours(&listening[i]) || !(bit_of(&listening[i]) & which)) continue;
    ngx_connection_t *queue = listening[i].connection;
    howdah_balance_look_again(queue);
    if (!queue->read->active) continue;
    looked++;
    on_queue(queue->read);
  }
  return looked;
}

static void on_bell(ngx_event_t *event) {
  (void)event;
  if (look_at(atomic_exchange(&self.seat->wanted, 0))) atomic_fetch_add(&self.seat->answers, 1);
}

static void on_patience(ngx_event_t *event) {
  (void)event;
  ngx_listening_t *listening = ngx_cycle->listening.elts;
  bool answered = self.asked && atomic_load_explicit(&self.asked->answers, memory_order_relaxed) != self.answers;
  self.in_vain = answered ? 0 : self.in_vain + 1;
  for (ngx_uint_t i = 0; i < ngx_cycle->listening.nelts; i++)
    if (is_ours(&listening[i])) howdah_balance_look_again(listening[i].connection);
}

/* Not everybody who connects asks at once, or asks PHP. */
static void on_expectation(ngx_event_t *event) {
  (void)event;
  self.expected = 0;
  publish();
}

/* ---- What the worker does ---- */

static void count(howdah_slot *slot, int change) {
  if (!self.board) return;
  self.active = (uint32_t)((int)self.active + change);
  slot->active = (ngx_uint_t)((ngx_int_t)slot->active + change);
  bool full = slot->active >= howdah_pool_limit(slot->pool);
  if (full != slot->full) self.full = (uint32_t)((int)self.full + (full ? 1 : -1));
  slot->full = full;
  self.last = slot;
  if (change > 0 && self.expected) self.expected--;
  publish();
}

void howdah_balance_begins(howdah_slot *slot) {
  count(slot, 1);
}

void howdah_balance_ends(howdah_slot *slot) {
  count(slot, -1);
}

void howdah_balance_deaf(uint64_t since_us) {
  if (self.board) atomic_store_explicit(&self.seat->deaf_since_us, since_us, memory_order_relaxed);
}

void howdah_balance_refuses(bool refuses) {
  self.full = refuses ? self.full + REFUSES : self.full - REFUSES;
  publish();
}

static void prepare(ngx_event_t *timer, ngx_event_handler_pt handler, ngx_log_t *log) {
  timer->handler = handler;
  timer->data = self.bell; /* nginx logs the descriptor of a timer's connection */
  timer->log = log;
  timer->cancelable = 1;
}

ngx_int_t howdah_balance_start(ngx_cycle_t *cycle, howdah_board *board) {
  if (!board || ngx_worker >= board->count || ngx_use_accept_mutex) return NGX_OK;
  self.seat = &board->seats[ngx_worker];
  self.bell = howdah_nginx_listen_to(NULL, self.seat->bell, NGX_CLEAR_EVENT, on_bell, cycle->log);
  if (!self.bell) return NGX_ERROR;
  prepare(&self.patience, on_patience, cycle->log);
  prepare(&self.expectation, on_expectation, cycle->log);

  ngx_listening_t *listening = cycle->listening.elts;
  for (ngx_uint_t i = 0; i < cycle->listening.nelts; i++) {
    ngx_connection_t *queue = listening[i].connection;
    if (listening[i].handler != ngx_http_init_connection || listening[i].reuseport || !queue ||
        queue->read->handler != ngx_event_accept)
      continue;
    listening[i].handler = howdah_balance_connection;
    queue->read->handler = on_queue;
  }
  self.board = board;
  publish();
  howdah_balance_deaf(0);
  return NGX_OK;
}

void howdah_balance_stop(void) {
  if (!self.board) return;
  howdah_balance_deaf(1);
  self.board = NULL;
  if (self.patience.timer_set) ngx_del_timer(&self.patience);
  if (self.expectation.timer_set) ngx_del_timer(&self.expectation);
  howdah_nginx_forget(self.bell);
}
