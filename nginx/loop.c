/* The nginx driver of the loop.
 *
 * The loop's private epoll descriptor is one connection for nginx, with a level-triggered read event (one connection for each
 * PHP descriptor does not work: PHP closes and reuses them behind nginx's back, EEXIST). The earliest timer is another one, a
 * timerfd, edge-triggered so that nobody has to read it: nginx's own timers count in milliseconds, from the beginning of the
 * turn, and add up to two of them to each wait. Posted tasks are one posted event, and so are timers that are due and a slice,
 * so that they run when the turn's descriptors have been served: the slice last.
 *
 * None of the three holds a worker that wants to exit: none is an nginx timer, and the first connection is called idle, which
 * also makes nginx tell us about a graceful shutdown (ngx_close_idle_connections). process.c holds the worker while requests
 * run. */
#include "loop.h"
#include "../engine/loop/driver.h"

#include <stdlib.h>
#include <sys/timerfd.h>

typedef struct {
  howdah_loop core;
  ngx_connection_t *connection;
  ngx_connection_t *alarm; /* the timerfd */
  uint64_t alarm_us;       /* for when it is set, or was and nobody has answered yet; 0: for nothing that still counts */
  ngx_event_t due_timers;
  ngx_event_t tasks;
  ngx_event_t slice;
  const howdah_nginx_loop_listener *listener;
} nginx_loop;

/* How nginx asks the kernel what is ready. */
static struct {
  ngx_int_t (*ask)(ngx_cycle_t *cycle, ngx_msec_t timer, ngx_uint_t flags); /* calls the handlers, too */
  uint64_t heard_us;                                                        /* 0: nothing of ours has begun in this turn */
  void (*quits)(void);                                                      /* NULL: nobody wants to know */
} kernel;

static void look_for_quit(ngx_event_t *event) {
  (void)event;
  if (ngx_quit && kernel.quits) kernel.quits();
}

/* With accept_mutex the handlers are called later: that of the master's word is one of them. And the worker holds the mutex
 * until then. */
static ngx_int_t ask_kernel(ngx_cycle_t *cycle, ngx_msec_t timer, ngx_uint_t flags) {
  static ngx_event_t after_all = {.handler = look_for_quit};
  after_all.log = cycle->log;
  kernel.heard_us = 0;
  ngx_int_t rc = kernel.ask(cycle, timer, flags);
  if (!(flags & NGX_POST_EVENTS)) {
    look_for_quit(&after_all);
  } else {
    ngx_post_event(&after_all, &ngx_posted_events); /* a macro of two statements */
  }
  return rc;
}

void howdah_nginx_on_quit(void (*quits)(void)) {
  kernel.quits = quits;
}

/* nginx has no other place that is passed once in each turn. It sets this one anew where a process gets another cycle
 * (ngx_epoll_init(), 1.22). */
static void watch_turns(void) {
  if (ngx_event_actions.process_events == ask_kernel) return;
  kernel.ask = ngx_event_actions.process_events;
  ngx_event_actions.process_events = ask_kernel;
}

void howdah_nginx_heard(void) {
  if (!kernel.heard_us) kernel.heard_us = howdah_loop_now_us();
}

bool howdah_nginx_is_behind(uint64_t now_us) {
  enum { BEHIND_US = 10000 /* as long as one realm computes before others have their turn */ };
  return kernel.heard_us && now_us - kernel.heard_us >= BEHIND_US;
}

/* Not compared with nginx's own milliseconds: those are of the kernel's coarse clock, which goes in steps of up to 10 ms
 * (ngx_monotonic_time(), 1.22). */
void howdah_nginx_clock_catch_up(uint64_t now_us) {
  static uint64_t last_ms;
  if (now_us / 1000 == last_ms) return;
  last_ms = now_us / 1000;
  ngx_time_update();
}

/* What the descriptor had to tell before is forgotten. */
static void set_alarm(nginx_loop *self, uint64_t due_us) {
  struct itimerspec when = {.it_value = {.tv_sec = (time_t)(due_us / 1000000), .tv_nsec = (long)(due_us % 1000000) * 1000}};
  self->alarm_us = due_us;
  if (timerfd_settime(self->alarm->fd, TFD_TIMER_ABSTIME, &when, NULL) < 0) {
    ngx_log_error(NGX_LOG_ALERT, self->alarm->log, ngx_errno, "howdah: timerfd_settime() failed");
  }
}

/* The alarm may be set for earlier than needed (after a stop): it then goes off for nothing, which is cheaper than a system
 * call at each wait that has a time limit. A timer that is due by now, or before an alarm could have been set and heard, is
 * looked for in the next turn, which does not sleep then: of a thousand that wait one is always due. */
static void timer_changed(howdah_loop *loop) {
  enum { SLEEP_US = 10 /* what it costs to set the timerfd, to sleep and to wake up */ };
  nginx_loop *self = (nginx_loop *)loop;
  uint64_t due_us = howdah_loop_next_due_us(loop);
  if (due_us == UINT64_MAX || self->due_timers.posted) return;
  if (self->alarm_us && self->alarm_us <= due_us) return;
  if (due_us <= howdah_loop_now_us() + SLEEP_US) {
    ngx_post_event(&self->due_timers, &ngx_posted_next_events); /* a macro of two statements */
  } else {
    set_alarm(self, due_us);
  }
}

/* Always for nginx's next turn: this one goes on until its queue of posted events is empty, and what is posted to that queue
 * outside of a turn (at the start of a worker) would wait until something else ends nginx's sleep. */
static void hurry(howdah_loop *loop) {
  nginx_loop *self = (nginx_loop *)loop;
  ngx_post_event(&self->tasks, &ngx_posted_next_events);
}

static void called(howdah_loop *loop) {
  const nginx_loop *self = (nginx_loop *)loop;
  if (self->listener) self->listener->called();
}

static void begin(const nginx_loop *self) {
  if (self->listener) self->listener->begins();
}

/* nginx's clock is late by what was called. */
static void end(const nginx_loop *self) {
  if (self->listener) self->listener->ends();
  howdah_nginx_clock_catch_up(howdah_loop_now_us());
}

static const howdah_loop_driver nginx_driver = {.timer_changed = timer_changed, .hurry = hurry, .called = called};

static void on_alarm(ngx_event_t *event) {
  ngx_connection_t *connection = event->data;
  nginx_loop *self = connection->data;
  ngx_post_event(&self->due_timers, &ngx_posted_events);
}

static void on_due_timers(ngx_event_t *event) {
  ngx_connection_t *connection = event->data;
  nginx_loop *self = connection->data;
  self->alarm_us = 0;
  begin(self);
  howdah_loop_run_timers(&self->core);
  end(self);
}

static void on_tasks(ngx_event_t *event) {
  ngx_connection_t *connection = event->data;
  nginx_loop *self = connection->data;
  begin(self);
  howdah_loop_run_tasks(&self->core);
  end(self);
  if (self->core.slices.first) {
    ngx_post_event(&self->slice, &ngx_posted_events); /* a macro of two statements */
  }
}

static void on_slice(ngx_event_t *event) {
  ngx_connection_t *connection = event->data;
  nginx_loop *self = connection->data;
  begin(self);
  howdah_loop_run_slice(&self->core);
  end(self);
}

static void on_ready(ngx_event_t *event) {
  ngx_connection_t *connection = event->data;
  nginx_loop *self = connection->data;
  if (connection->close) {
    bool now = connection->error;
    connection->close = 0;
    connection->error = 0;
    if (self->listener) self->listener->closing(now);
    return;
  }
  begin(self);
  if (howdah_loop_poll(&self->core, 0) < 0) {
    ngx_log_error(NGX_LOG_ALERT, event->log, ngx_errno, "howdah: epoll_wait() on the loop's own descriptor failed");
  }
  end(self);
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

ngx_connection_t *howdah_nginx_listen_to(void *data, int fd, ngx_uint_t trigger, ngx_event_handler_pt handler, ngx_log_t *log) {
  ngx_connection_t *connection = ngx_get_connection(fd, log);
  if (!connection) return NULL; /* worker_connections are not enough */
  connection->data = data;
  connection->log = log;
  connection->read->log = log;
  connection->read->handler = handler;
  connection->write->log = log;
  connection->write->handler = on_write;
  if (ngx_add_event(connection->read, NGX_READ_EVENT, trigger) == NGX_OK) return connection;
  ngx_free_connection(connection);
  connection->fd = (ngx_socket_t)-1;
  return NULL;
}

void howdah_nginx_forget(ngx_connection_t *connection) {
  ngx_del_event(connection->read, NGX_READ_EVENT, 0);
  ngx_free_connection(connection);
  connection->fd = (ngx_socket_t)-1;
}

howdah_loop *howdah_nginx_loop_new(ngx_cycle_t *cycle, const howdah_nginx_loop_listener *listener) {
  nginx_loop *self = calloc(1, sizeof *self);
  if (!self) goto no_memory;
  if (howdah_loop_init(&self->core, &nginx_driver) < 0) goto no_loop;
  int alarm_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  if (alarm_fd < 0) goto no_alarm;
  self->connection = howdah_nginx_listen_to(self, self->core.epoll_fd, NGX_LEVEL_EVENT, on_ready, cycle->log);
  if (!self->connection) goto no_connection;
  self->alarm = howdah_nginx_listen_to(self, alarm_fd, NGX_CLEAR_EVENT, on_alarm, cycle->log);
  if (!self->alarm) goto no_alarm_connection;

  self->connection->idle = 1;
  self->listener = listener;
  prepare(self, &self->due_timers, on_due_timers);
  prepare(self, &self->tasks, on_tasks);
  prepare(self, &self->slice, on_slice);
  watch_turns();
  return &self->core;

no_alarm_connection:
  howdah_nginx_forget(self->connection);
no_connection:
  close(alarm_fd);
no_alarm:
  howdah_loop_fini(&self->core);
no_loop:
  free(self);
no_memory:
  ngx_log_error(NGX_LOG_EMERG, cycle->log, ngx_errno, "howdah: the worker cannot make its loop");
  return NULL;
}

int howdah_nginx_loop_turn(howdah_loop *loop) {
  return howdah_loop_turn(loop, 1);
}

void howdah_nginx_loop_forget(howdah_loop *loop) {
  nginx_loop *self = (nginx_loop *)loop;
  if (self->due_timers.posted) {
    ngx_delete_posted_event(&self->due_timers); /* a macro of two statements */
  }
  if (self->tasks.posted) {
    ngx_delete_posted_event(&self->tasks);
  }
  if (self->slice.posted) {
    ngx_delete_posted_event(&self->slice);
  }
  int alarm_fd = self->alarm->fd;
  howdah_nginx_forget(self->alarm);
  howdah_nginx_forget(self->connection);
  close(alarm_fd);
}

void howdah_nginx_loop_free(howdah_loop *loop) {
  if (!loop) return;
  howdah_nginx_loop_forget(loop);
  howdah_loop_fini(loop);
  free(loop);
}
