/* Workers that follow others: new ones take over when they have booted, and those that leave lose nobody's request.
 *
 * nginx tells its old workers to leave 100 ms after it has started new ones, booted or not (ngx_master_process_cycle(), 1.22
 * and 1.26). They then take no connection any more, and close each on which they know of no request
 * (ngx_close_idle_connections()): whoever has just sent one gets a reset. So a worker that is told to leave because of a reload
 *   1. goes on as it did until a worker of a newer configuration has booted. Until then that one takes no connections, but from
 *      Unix sockets: who asks there is on this machine, and may want to know what becomes of it. With accept_mutex, it does not
 *      ask for its turn. Where none boots, the old ones stay;
 *   2. takes no new connections, and tells clients on open ones with its next answer that it is the last: for as long as there
 *      are some on which nothing runs, QUIET_MS at most. Who was quiet for so long is not likely to send something just now;
 *   3. leaves, as nginx and process.c do it.
 * A stop (no newer configuration is there) goes at once to 3. Told a second time, a worker leaves at once, too.
 *
 * And before nginx closes idle connections, what has come on them is read. It asks the kernel once in a turn of its loop, and
 * with PHP in it a turn lasts for a slice and longer. */
#include "module.h"
#include "loop.h"

#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/socket.h>

enum { STEP_MS = 10, LONG_STEP_MS = 200, QUIET_MS = 2000, ALONE_MS = 5000 };

/* Configurations have numbers. In memory that the master and all its workers share. */
static struct {
  _Atomic uint32_t newest, booted;
  _Atomic uint64_t served_us; /* when one that waits for a newer one has last been there */
} * shared;

typedef enum { SERVES, BOOTS, WAITS, TAKES_LEAVE, LEAVES } howdah_phase;

static uint32_t own; /* the number of the master's configuration; workers have it from their fork */

/* A worker's. */
static struct {
  const howdah_main_conf *conf;
  howdah_phase phase;
  bool is_away;      /* it takes no connections so far */
  bool takes_turns;  /* accept_mutex is on, for when it takes some */
  uint64_t since_us; /* of the phase */
  ngx_event_t look;
} self;

static ngx_http_output_header_filter_pt next_header_filter;

void howdah_succession_begin(const ngx_cycle_t *cycle) {
  if (!shared) {
    void *memory = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
      ngx_log_error(
          NGX_LOG_WARN, cycle->log, ngx_errno,
          "howdah: no memory to share among workers: after a reload the old ones do not wait until new ones have booted");
      return;
    }
    shared = memory;
  }
  own = atomic_fetch_add(&shared->newest, 1) + 1;
}

static void has_booted(void) {
  uint32_t before = atomic_load(&shared->booted);
  while (before < own && !atomic_compare_exchange_weak(&shared->booted, &before, own)) {
  }
}

static void enter(howdah_phase phase) {
  self.phase = phase;
  self.since_us = howdah_loop_now_us();
}

static bool is_over(uint64_t since_us, uint64_t limit_ms) {
  return howdah_loop_now_us() - since_us > limit_ms * 1000;
}

/* ---- Connections ---- */

static void look_away(ngx_connection_t *queue) {
  if (queue->read->active && ngx_del_event(queue->read, NGX_READ_EVENT, NGX_DISABLE_EVENT) != NGX_OK)
    ngx_log_error(NGX_LOG_ALERT, queue->log, 0, "howdah: the worker takes connections before it has booted");
}

static bool is_unix(const ngx_connection_t *queue) {
  return queue->listening->sockaddr->sa_family == AF_UNIX;
}

static void each_queue(void (*act)(ngx_connection_t *queue)) {
  const ngx_listening_t *listening = ngx_cycle->listening.elts;
  for (ngx_uint_t i = 0; i < ngx_cycle->listening.nelts; i++)
    if (listening[i].connection && listening[i].type == SOCK_STREAM) act(listening[i].connection);
}

static void leave_to_old_ones(ngx_connection_t *queue) {
  if (!is_unix(queue))
    look_away(queue);
  else if (self.takes_turns)
    howdah_balance_look_again(queue);
}

/* nginx looks at a queue itself when it is this worker's turn, but for those that no other one has. */
static void take_up(ngx_connection_t *queue) {
  if (!self.takes_turns || queue->listening->reuseport) {
    howdah_balance_look_again(queue);
  } else {
    look_away(queue);
  }
}

static void stay_away(void) {
  self.is_away = true;
  self.takes_turns = ngx_use_accept_mutex;
  ngx_use_accept_mutex = 0;
  each_queue(leave_to_old_ones);
}

static void come(void) {
  if (!self.is_away) return;
  self.is_away = false;
  ngx_use_accept_mutex = self.takes_turns;
  if (howdah_balance_start((ngx_cycle_t *)ngx_cycle, self.conf->board) != NGX_OK)
    ngx_log_error(NGX_LOG_WARN, ngx_cycle->log, 0, "howdah: the worker takes connections as they come");
  each_queue(take_up);
}

/* A client's connection on which nothing runs; nginx calls others idle, too, and so do we (loop.c). */
static bool is_quiet_client(const ngx_connection_t *c) {
  return c->fd != (ngx_socket_t)-1 && c->idle && c->listening && c->type != SOCK_DGRAM && !howdah_is_quic(c);
}

/* It is asked each STEP_MS, and there may be a hundred thousand places: who was quiet the last time is asked first. All are
 * only where that one has gone and no other one is behind it. */
static bool has_quiet_clients(void) {
  static ngx_uint_t last;
  const ngx_connection_t *connections = ngx_cycle->connections;
  for (ngx_uint_t i = 0; i < ngx_cycle->connection_n; i++) {
    if (last >= ngx_cycle->connection_n) last = 0;
    if (is_quiet_client(&connections[last])) return true;
    last++;
  }
  return false;
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

/* ---- Steps ---- */

static void boot_on(void) {
  if (howdah_readiness(self.conf) == HOWDAH_POOL_READY) {
    has_booted();
    come();
    enter(SERVES);
    return;
  }
  /* Those who waited for it have died, or are none. */
  if (is_over(self.since_us, ALONE_MS) && is_over(atomic_load(&shared->served_us), ALONE_MS)) come();
}

static void take_leave(void) {
  enter(TAKES_LEAVE);
  howdah_figures_tell();
  howdah_balance_stop();
  ngx_setproctitle("worker process is shutting down");
  ngx_close_listening_sockets((ngx_cycle_t *)ngx_cycle);
}

static void wait_on(void) {
  if (!self.is_away) atomic_store(&shared->served_us, howdah_loop_now_us());
  if (atomic_load(&shared->booted) > own) take_leave();
}

static void on_step(ngx_event_t *event) {
  if (self.phase == BOOTS) {
    boot_on();
    if (self.phase == SERVES) return;
  } else if (self.phase == WAITS) {
    wait_on();
  } else if (self.phase == TAKES_LEAVE && (!has_quiet_clients() || is_over(self.since_us, QUIET_MS))) {
    enter(LEAVES);
    ngx_quit = 1;
    return;
  }
  ngx_add_timer(event, self.phase == BOOTS && !self.is_away ? LONG_STEP_MS : STEP_MS);
}

/* nginx was told to leave, and does so in this turn. */
static void on_quit(void) {
  if (self.phase > BOOTS || atomic_load(&shared->newest) == own) return;
  ngx_quit = 0;
  if (self.look.timer_set) ngx_del_timer(&self.look);
  enter(WAITS);
  howdah_engine_keep_code();
  on_step(&self.look);
}

ngx_int_t howdah_succession_start(ngx_cycle_t *cycle, const howdah_main_conf *conf) {
  static ngx_connection_t nobody = {.fd = (ngx_socket_t)-1}; /* nginx logs the descriptor of a timer's connection */
  if (!shared || ngx_process != NGX_PROCESS_WORKER) return howdah_balance_start(cycle, conf->board);
  self.conf = conf;
  self.look = (ngx_event_t){.handler = on_step, .data = &nobody, .log = cycle->log, .cancelable = 1};
  howdah_nginx_on_quit(on_quit);
  bool is_first = own == 1 || atomic_load(&shared->booted) >= own;
  enter(is_first ? SERVES : BOOTS);
  if (is_first) return howdah_balance_start(cycle, conf->board);
  stay_away();
  on_step(&self.look);
  return NGX_OK;
}

/* Those who wait for it to boot wait in vain. */
void howdah_succession_stop(void) {
  if (!shared || !self.conf) return;
  if (self.look.timer_set) ngx_del_timer(&self.look);
  has_booted();
}

bool howdah_succession_leaves(void) {
  return self.phase >= TAKES_LEAVE;
}

/* nginx itself closes the connection after an answer when it leaves, and does not say so before. */
static ngx_int_t filter_header(ngx_http_request_t *r) {
  if (r == r->main && howdah_is_leaving()) r->keepalive = 0;
  return next_header_filter(r);
}

void howdah_succession_filter(void) {
  next_header_filter = ngx_http_top_header_filter;
  ngx_http_top_header_filter = filter_header;
}
