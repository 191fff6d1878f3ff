/* A worker's queues of spans, and their way to collectors: OTLP over HTTP/1.1, a connection for each batch, by nginx's own loop.
 *
 *   pending --(a second after the first span, or FLUSH_BYTES)--> sending --(200)--> exported, some of them rejected
 *                                                                  |  \--(another status)--> rejected
 *                                                                  |  \--(no answer, 429, 502, 503, 504: TRIES times)--> failed
 *   Spans for which there is no room in pending are dropped.
 *
 * A worker that leaves sends what it has at once, with one try each: the timers of that hold it, LEAVING_TRY_MS at most for
 * each batch, of which there are two. One that is stopped, or killed, does not. */
#include "trace.h"

#include <ngx_event_connect.h>

#include <stdlib.h>

enum { FIRST_BYTES = 16 * 1024, PENDING_BYTES = 1024 * 1024, FLUSH_BYTES = 256 * 1024, ANSWER_BYTES = 16 * 1024 };
enum { FLUSH_MS = 1000, TRY_MS = 5000, LEAVING_TRY_MS = 2000, TRIES = 3, COMPLAIN_EACH_US = 60 * 1000000 };

struct howdah_exporter {
  const howdah_collector *collector;
  u_char *pending; /* spans, with commas between them */
  size_t len, size;
  uint64_t spans;
  u_char *sending; /* the request of HTTP; NULL: none is on its way, nor waits for its next try */
  size_t sending_len, sent;
  uint64_t sending_spans;
  unsigned tries;
  ngx_event_t timer; /* the next batch, or the next try */
  ngx_peer_connection_t peer;
  ngx_connection_t *connection; /* NULL: there is none */
  ngx_uint_t address, refusals; /* of the collector's: that of the last try; and how many in a row have refused */
  size_t answer_len;
  u_char *answer;         /* ANSWER_BYTES; NULL: there is no connection */
  uint64_t lost, said_us; /* spans since the log was told, and when it was; 0: never */
};

static struct {
  const howdah_main_conf *conf;
  bool leaving;
  ngx_log_t quiet; /* nginx's own words about connections: ours come once a minute */
  uint64_t counts[HOWDAH_SPAN_RESULTS];
} self;

void howdah_trace_count(uint64_t spans[HOWDAH_SPAN_RESULTS]) {
  ngx_memcpy(spans, self.counts, sizeof self.counts);
}

/* ---- What is lost ---- */

static void complain(struct howdah_exporter *to, const char *why) {
  to->said_us = howdah_loop_now_us();
  ngx_log_error(NGX_LOG_WARN, ngx_cycle->log, 0, "howdah: %uL spans for \"%V\" were lost: %s", to->lost, &to->collector->url,
                why);
  to->lost = 0;
}

static void lose(struct howdah_exporter *to, howdah_spans_result result, uint64_t spans, const char *why) {
  self.counts[result] += spans;
  to->lost += spans;
  if (spans && (!to->said_us || howdah_loop_now_us() - to->said_us >= COMPLAIN_EACH_US)) complain(to, why);
}

/* ---- Sending ---- */

static const char refuses[] = "it refuses the connection, or has closed it without an answer";

static void send_batch(struct howdah_exporter *to);

/* Soon, or in so long; while the worker leaves it waits for it. */
static void set_timer(struct howdah_exporter *to, ngx_msec_t ms) {
  if (to->timer.timer_set) ngx_del_timer(&to->timer);
  to->timer.cancelable = !self.leaving;
  ngx_add_timer(&to->timer, self.leaving ? 1 : ms);
}

static void hang_up(struct howdah_exporter *to) {
  if (to->connection) ngx_close_connection(to->connection);
  to->connection = NULL;
  free(to->answer);
  to->answer = NULL;
}

static void forget_batch(struct howdah_exporter *to) {
  hang_up(to);
  to->refusals = 0;
  free(to->sending);
  to->sending = NULL;
  if (to->spans) set_timer(to, to->len >= FLUSH_BYTES ? 1 : FLUSH_MS);
}

/* It may be tried again. */
static void fail_try(struct howdah_exporter *to, const char *why, unsigned retry_after) {
  hang_up(to);
  to->refusals = 0;
  if (++to->tries < TRIES && !self.leaving) {
    set_timer(to, retry_after ? (ngx_msec_t)retry_after * 1000 : (ngx_msec_t)FLUSH_MS << (to->tries - 1));
    return;
  }
  lose(to, HOWDAH_SPANS_FAILED, to->sending_spans, why);
  forget_batch(to);
}

/* Who refuses does so at once: all addresses of a name are one try, as of "localhost", where one of two may have nobody. The
 * one that answers is kept. */
static void refuse_try(struct howdah_exporter *to) {
  hang_up(to);
  to->address++;
  if (++to->refusals < to->collector->address_count)
    set_timer(to, 1);
  else
    fail_try(to, refuses, 0);
}

static void take_answer(struct howdah_exporter *to) {
  howdah_collector_answer answer;
  char why[64];
  howdah_answer_read(to->answer, to->answer_len, &answer);
  ngx_sprintf((u_char *)why, "it has answered with status %ud%Z", answer.status);
  if (!answer.status) {
    refuse_try(to);
  } else if (answer.may_try_again) {
    fail_try(to, why, answer.retry_after);
  } else if (answer.status / 100 != 2) {
    lose(to, HOWDAH_SPANS_REJECTED, to->sending_spans, why);
    forget_batch(to);
  } else {
    uint64_t rejected = ngx_min(answer.rejected, to->sending_spans);
    self.counts[HOWDAH_SPANS_EXPORTED] += to->sending_spans - rejected;
    lose(to, HOWDAH_SPANS_REJECTED, rejected, "it has taken the others of their batch, and not these");
    forget_batch(to);
  }
}

/* Its time is over, or worker_shutdown_timeout has passed. */
static bool is_over(struct howdah_exporter *to, const ngx_event_t *event) {
  if (!event->timedout && !to->connection->close) return false;
  to->address++;
  fail_try(to, "it has not answered in time", 0);
  return true;
}

static void on_readable(ngx_event_t *event) {
  struct howdah_exporter *to = ((ngx_connection_t *)event->data)->data;
  if (is_over(to, event)) return;
  for (;;) {
    ssize_t got = to->connection->recv(to->connection, to->answer + to->answer_len, ANSWER_BYTES - to->answer_len);
    if (got == NGX_AGAIN) break;
    if (got > 0) to->answer_len += (size_t)got;
    if (got <= 0 || to->answer_len == ANSWER_BYTES || howdah_answer_is_whole(to->answer, to->answer_len)) {
      take_answer(to);
      return;
    }
  }
  if (ngx_handle_read_event(event, 0) != NGX_OK) fail_try(to, "this worker cannot wait for it", 0);
}

static void on_writable(ngx_event_t *event) {
  struct howdah_exporter *to = ((ngx_connection_t *)event->data)->data;
  ngx_connection_t *c = to->connection;
  if (is_over(to, event)) return;
  while (to->sent < to->sending_len) {
    ssize_t sent = c->send(c, to->sending + to->sent, to->sending_len - to->sent);
    if (sent == NGX_ERROR) {
      refuse_try(to);
      return;
    }
    if (sent == NGX_AGAIN) break;
    to->sent += (size_t)sent;
  }
  if (ngx_handle_write_event(event, 0) != NGX_OK) fail_try(to, "this worker cannot wait for it", 0);
}

static void try_batch(struct howdah_exporter *to) {
  const howdah_collector *collector = to->collector;
  if (!collector->address_count) {
    to->tries = TRIES;
    fail_try(to, "its name did not resolve when the configuration was read", 0);
    return;
  }
  to->answer = malloc(ANSWER_BYTES);
  if (!to->answer) {
    fail_try(to, "memory is short", 0);
    return;
  }
  ngx_addr_t *address = &collector->addresses[to->address % collector->address_count];
  to->peer = (ngx_peer_connection_t){.sockaddr = address->sockaddr,
                                     .socklen = address->socklen,
                                     .name = &address->name,
                                     .get = ngx_event_get_peer,
                                     .log = &self.quiet,
                                     .log_error = NGX_ERROR_ERR};
  ngx_int_t rc = ngx_event_connect_peer(&to->peer);
  to->connection = to->peer.connection;
  to->sent = to->answer_len = 0;
  if (rc != NGX_OK && rc != NGX_AGAIN) {
    refuse_try(to);
    return;
  }
  ngx_connection_t *c = to->connection;
  (void)fcntl(c->fd, F_SETFD, FD_CLOEXEC); /* of a program that PHP starts it is no business */
  c->data = to;
  c->read->handler = on_readable;
  c->write->handler = on_writable;
  ngx_add_timer(c->read, self.leaving ? LEAVING_TRY_MS : TRY_MS);
  if (rc == NGX_OK) on_writable(c->write);
}

/* ---- Batches ---- */

/* The request up to the spans, and what follows them. */
static void write_beginning(const struct howdah_exporter *to, howdah_json *body) {
  howdah_json_add(body,
                  "{\"resourceSpans\":[{\"resource\":{\"attributes\":[{\"key\":\"service.name\",\"value\":{\"stringValue\":");
  howdah_json_add_string(body, to->collector->service.data, to->collector->service.len, 256);
  howdah_json_add(body, "}},{\"key\":\"host.name\",\"value\":{\"stringValue\":");
  howdah_json_add_string(body, ngx_cycle->hostname.data, ngx_cycle->hostname.len, 256);
  howdah_json_add(body, "}},{\"key\":\"process.pid\",\"value\":{\"intValue\":\"%P\"}}]},", ngx_pid);
  howdah_json_add(body, "\"scopeSpans\":[{\"scope\":{\"name\":\"howdah\",\"version\":\"" HOWDAH_VERSION "\"},\"spans\":[");
}

static bool make_batch(struct howdah_exporter *to) {
  static const u_char end[] = "]}]}]}";
  enum { END = sizeof(end) - 1, HEAD_MOST = 512 };
  u_char text[4096];
  howdah_json beginning = {.text = text, .size = sizeof text};
  const howdah_collector *collector = to->collector;
  write_beginning(to, &beginning);
  size_t most = HEAD_MOST + collector->path.len + collector->host.len + beginning.len + to->len + END;
  to->sending = malloc(most);
  if (!to->sending) return false;
  u_char *at = ngx_slprintf(to->sending, to->sending + most,
                            "POST %V HTTP/1.1\r\nHost: %V\r\nUser-Agent: howdah/" HOWDAH_VERSION
                            "\r\nContent-Type: application/json\r\nContent-Length: %uz\r\nConnection: close\r\n\r\n",
                            &collector->path, &collector->host, beginning.len + to->len + END);
  at = ngx_cpymem(at, text, beginning.len);
  at = ngx_cpymem(at, to->pending, to->len);
  at = ngx_cpymem(at, end, END);
  to->sending_len = (size_t)(at - to->sending);
  to->sending_spans = to->spans;
  to->tries = 0;
  to->len = 0;
  to->spans = 0;
  return true;
}

static void send_batch(struct howdah_exporter *to) {
  if (to->connection) return;
  if (!to->sending) {
    if (!to->spans) return;
    if (!make_batch(to)) {
      lose(to, HOWDAH_SPANS_DROPPED, to->spans, "memory is short");
      to->len = 0;
      to->spans = 0;
      return;
    }
  }
  try_batch(to);
}

static void on_time(ngx_event_t *event) {
  send_batch((struct howdah_exporter *)((u_char *)event - offsetof(struct howdah_exporter, timer)));
}

/* ---- The queue ---- */

static bool grow(struct howdah_exporter *to) {
  size_t size = to->size ? to->size * 2 : FIRST_BYTES;
  if (size > PENDING_BYTES) return false;
  u_char *larger = realloc(to->pending, size);
  if (!larger) return false;
  to->pending = larger;
  to->size = size;
  return true;
}

void howdah_export(howdah_collector *collector, howdah_spans_writer write, void *data) {
  struct howdah_exporter *to = collector->exporter;
  if (!to) return;
  for (;;) {
    howdah_json json = {.text = to->pending, .len = to->len, .size = to->size};
    if (to->spans) howdah_json_add(&json, ",");
    unsigned spans = write(&json, data);
    if (json.full && grow(to)) continue;
    if (json.full) {
      lose(to, HOWDAH_SPANS_DROPPED, spans, "it takes them too slowly, or not at all, and no more may wait");
      return;
    }
    to->len = json.len;
    to->spans += spans;
    break;
  }
  if (to->sending) return; /* what follows it is begun when that is over */
  if (to->len >= FLUSH_BYTES || self.leaving)
    set_timer(to, 1);
  else if (!to->timer.timer_set)
    set_timer(to, FLUSH_MS);
}

/* ---- A worker ---- */

ngx_int_t howdah_trace_start(ngx_cycle_t *cycle, const howdah_main_conf *conf) {
  static ngx_connection_t nobody = {.fd = (ngx_socket_t)-1}; /* nginx logs the descriptor of a timer's connection */
  howdah_collector **collectors = conf->collectors ? conf->collectors->elts : NULL;
  self.conf = conf;
  self.leaving = false;
  self.quiet = *cycle->log;
  self.quiet.log_level = NGX_LOG_CRIT;
  self.quiet.next = NULL;
  for (ngx_uint_t i = 0; collectors && i < conf->collectors->nelts; i++) {
    struct howdah_exporter *made = ngx_pcalloc(cycle->pool, sizeof *made);
    if (!made) return NGX_ERROR;
    made->collector = collectors[i];
    made->timer = (ngx_event_t){.handler = on_time, .data = &nobody, .log = cycle->log};
    collectors[i]->exporter = made;
  }
  return NGX_OK;
}

static void each_exporter(void (*call)(struct howdah_exporter *)) {
  howdah_collector *const *collectors = self.conf && self.conf->collectors ? self.conf->collectors->elts : NULL;
  for (ngx_uint_t i = 0; collectors && i < self.conf->collectors->nelts; i++)
    if (collectors[i]->exporter) call(collectors[i]->exporter);
}

static void hurry(struct howdah_exporter *to) {
  if (to->connection)
    ngx_add_timer(to->connection->read, LEAVING_TRY_MS);
  else if (to->sending || to->spans)
    set_timer(to, 1);
}

void howdah_trace_leave(void) {
  self.leaving = true;
  each_exporter(hurry);
}

static void stop(struct howdah_exporter *to) {
  if (to->timer.timer_set) ngx_del_timer(&to->timer);
  hang_up(to);
  lose(to, HOWDAH_SPANS_FAILED, to->spans + (to->sending ? to->sending_spans : 0), "the worker had to stop");
  if (to->lost) complain(to, "for this reason or another, before this worker stopped");
  free(to->sending);
  free(to->pending);
  to->sending = to->pending = NULL;
  to->size = to->len = 0;
  to->spans = 0;
}

void howdah_trace_stop(void) {
  each_exporter(stop);
}
