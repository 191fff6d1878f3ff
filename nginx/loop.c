/* The nginx driver of the loop.
 *
 * The loop's private epoll descriptor is one connection for nginx, with a level-triggered read event (one connection for each
 * PHP descriptor does not work: PHP closes and reuses them behind nginx's back, EEXIST). The earliest timer is one nginx timer;
 * posted tasks are one posted event, and so are timers that are due: nginx's own walk over its timers goes on while any is due,
 * and PHP that works for a millisecond and sleeps for one would keep it there.
 *
 * None of the three holds a worker that wants to exit: the timer is cancelable, and the connection is called idle, which also
 * makes nginx tell us about a graceful shutdown (ngx_close_idle_connections). process.c holds the worker while requests run. */
#include "loop.h"
#include "../engine/loop/driver.h"

#include <stdlib.h>

/* nginx hands its sleep to epoll_wait() as an int; what is due later is looked at again then. */
enum { LONGEST_SLEEP_MS = 24 * 3600 * 1000 };

typedef struct {
  howdah_loop core;
  ngx_connection_t *connection;
  ngx_event_t timer;
  ngx_event_t due_timers;
  ngx_event_t tasks;
  void (*on_closing)(bool now);
} nginx_loop;

void howdah_nginx_clock_catch_up(void) {
  if (howdah_loop_now_us() / 1000 != ngx_current_msec) ngx_time_update();
}

/* The timer may be armed for earlier than needed (after a stop): it then fires for nothing, which is cheaper than moving it in
 * nginx's tree at each wait that has a time limit. */
static void timer_changed(howdah_loop *loop) {
  nginx_loop *self = (nginx_loop *)loop;
  uint64_t due_us = howdah_loop_next_due_us(loop);
  if (due_us == UINT64_MAX) return;

  howdah_nginx_clock_catch_up();
  uint64_t now_ms = howdah_loop_now_us() / 1000;
  uint64_t due_ms = (due_us + 999) / 1000;
  if (due_ms <= now_ms) {
    ngx_post_event(&self->due_timers, &ngx_posted_next_events);
    return;
  }
  ngx_msec_t delay_ms = ngx_min(due_ms - now_ms, LONGEST_SLEEP_MS);
  if (self->timer.timer_set) {
    if ((ngx_msec_int_t)(ngx_current_msec + delay_ms - self->timer.timer.key) >= 0) return;
    /* Else ngx_add_timer() leaves a timer where it is when the difference is below NGX_TIMER_LAZY_DELAY. */
    ngx_del_timer(&self->timer);
  }
  ngx_add_timer(&self->timer, delay_ms);
}

/* Always for nginx's next turn: this one goes on until its queue of posted events is empty, and what is posted to that queue
 * outside of a turn (at the start of a worker) would wait until something else ends nginx's sleep. */
static void hurry(howdah_loop *loop) {
  nginx_loop *self = (nginx_loop *)loop;
  ngx_post_event(&self->tasks, &ngx_posted_next_events);
}

static const howdah_loop_driver nginx_driver = {.timer_changed = timer_changed, .hurry = hurry};

static void on_timer(ngx_event_t *event) {
  ngx_connection_t *connection = event->data;
  nginx_loop *self = connection->data;
  ngx_post_event(&self->due_timers, &ngx_posted_events);
}

static void on_due_timers(ngx_event_t *event) {
  ngx_connection_t *connection = event->data;
  howdah_loop_run_timers(connection->data);
  howdah_nginx_clock_catch_up();
}

static void on_tasks(ngx_event_t *event) {
  ngx_connection_t *connection = event->data;
  howdah_loop_run_tasks(connection->data);
  howdah_nginx_clock_catch_up();
}

static void on_ready(ngx_event_t *event) {
  ngx_connection_t *connection = event->data;
  nginx_loop *self = connection->data;
  if (connection->close) {
    bool now = connection->error;
    connection->close = 0;
    connection->error = 0;
    if (self->on_closing) self->on_closing(now);
    return;
  }
  if (howdah_loop_poll(&self->core, 0) < 0) {
    ngx_log_error(NGX_LOG_ALERT, event->log, ngx_errno, "howdah: epoll_wait() on the loop's own descriptor failed");
  }
  howdah_nginx_clock_catch_up();
}

static void on_write(ngx_event_t *event) {
  (void)event;
}

/* nginx logs the descriptor of an event's connection. */
static void prepare(nginx_loop *self, ngx_event_t *event, ngx_event_handler_pt handler) {
  event->data = self->connection;
  event->log = self->connection->log;
  event->handler = handler;
}

howdah_loop *howdah_nginx_loop_new(ngx_cycle_t *cycle, void (*on_closing)(bool now)) {
  nginx_loop *self = calloc(1, sizeof *self);
  if (!self) goto no_memory;
  if (howdah_loop_init(&self->core, &nginx_driver) < 0) goto no_loop;
  ngx_connection_t *connection = ngx_get_connection(self->core.epoll_fd, cycle->log);
  if (!connection) goto no_connection; /* nginx has logged it: worker_connections are not enough */

  connection->data = self;
  connection->log = cycle->log;
  connection->idle = 1;
  connection->read->log = cycle->log;
  connection->read->handler = on_ready;
  connection->write->log = cycle->log;
  connection->write->handler = on_write;
  self->connection = connection;
  self->on_closing = on_closing;

  prepare(self, &self->timer, on_timer);
  prepare(self, &self->due_timers, on_due_timers);
  prepare(self, &self->tasks, on_tasks);
  self->timer.cancelable = 1;

  if (ngx_add_event(connection->read, NGX_READ_EVENT, NGX_LEVEL_EVENT) != NGX_OK) goto no_event;
  return &self->core;

no_event:
  ngx_free_connection(connection);
  connection->fd = (ngx_socket_t)-1;
no_connection:
  howdah_loop_fini(&self->core);
no_loop:
  free(self);
no_memory:
  ngx_log_error(NGX_LOG_EMERG, cycle->log, ngx_errno, "howdah: the worker cannot make its loop");
  return NULL;
}

int howdah_nginx_loop_turn(howdah_loop *loop) {
  if (howdah_loop_poll(loop, loop->tasks.first ? 0 : 1) < 0) return -1;
  howdah_loop_run_timers(loop);
  howdah_loop_run_tasks(loop);
  return 0;
}

void howdah_nginx_loop_forget(howdah_loop *loop) {
  nginx_loop *self = (nginx_loop *)loop;
  if (self->timer.timer_set) ngx_del_timer(&self->timer);
  if (self->due_timers.posted) {
    ngx_delete_posted_event(&self->due_timers); /* a macro of two statements */
  }
  if (self->tasks.posted) {
    ngx_delete_posted_event(&self->tasks);
  }
  ngx_del_event(self->connection->read, NGX_READ_EVENT, 0);
  ngx_free_connection(self->connection);
  self->connection->fd = (ngx_socket_t)-1;
}

void howdah_nginx_loop_free(howdah_loop *loop) {
  if (!loop) return;
  howdah_nginx_loop_forget(loop);
  howdah_loop_fini(loop);
  free(loop);
}
