/* Traces: what the files of howdah_trace share. A request that is sampled is a span, and so is each longer wait of it; spans
 * go to a collector as OTLP (JSON over HTTP), in batches, and nobody waits for it.
 *
 *   traceparent.c   which trace a request belongs to, and what the application is told of it
 *   trace.c         the directive; a request's beginning, waits and end
 *   trace_span.c    spans as JSON
 *   trace_export.c  each worker's queue for a collector, and the way there
 *   trace_answer.c  what a collector has answered
 *
 * Invariants:
 *  1. Nothing that a collector does, or does not, holds a request or a turn of the loop: all is non-blocking, a try ends after
 *     a time, and queues are bounded.
 *  2. Each span is counted once: exported, rejected, failed or dropped. */
#ifndef HOWDAH_NGINX_TRACE_H
#define HOWDAH_NGINX_TRACE_H

#include "writer.h"

enum { HOWDAH_TRACE_ID_CHARS = 32, HOWDAH_SPAN_ID_CHARS = 16, HOWDAH_TRACEPARENT_CHARS = 55 };
/* Waits that are spans of their own: the longest ones. */
enum { HOWDAH_TRACE_WAITS = 32, HOWDAH_TRACE_WAIT_US = 1000 };

/* Of spans that go to one place under one name; locations share it. */
typedef struct {
  ngx_str_t url, service;
  ngx_str_t host, path;             /* of HTTP's request */
  ngx_addr_t *addresses;            /* as they were when the configuration was read */
  ngx_uint_t address_count;         /* 0: its name did not resolve */
  struct howdah_exporter *exporter; /* a worker's */
} howdah_collector;

/* What a location says. */
typedef struct howdah_trace_conf {
  howdah_collector *collector;
  ngx_uint_t sample; /* so many of a million traces that begin here */
  bool obeys;        /* the caller's traceparent says which trace it is, and whether it is sampled */
} howdah_trace_conf;

/* A wait that becomes a span. */
typedef struct {
  howdah_wait wait;
  bool has_peer;
  howdah_peer peer;
  unsigned line;
  char subject[128], function[64], file[256];
} howdah_trace_wait;

/* What a request is in its trace. Ids are of hexadecimal digits, as they are written everywhere. */
typedef struct howdah_trace {
  const howdah_trace_conf *conf;
  const ngx_http_request_t *r;
  u_char trace_id[HOWDAH_TRACE_ID_CHARS], span_id[HOWDAH_SPAN_ID_CHARS], parent_id[HOWDAH_SPAN_ID_CHARS];
  u_char header[HOWDAH_TRACEPARENT_CHARS]; /* what the application finds as traceparent */
  bool has_parent, is_remote;              /* the parent is another server's or client's */
  bool is_part;                            /* the parent is of the same request of a client */
  bool is_sampled, keeps_state;            /* the caller's tracestate holds */
  uint64_t began_us;
  unsigned wait_count, waits_left_out;
  uint64_t left_out_us; /* when the last one of these began */
  howdah_trace_wait *waits[HOWDAH_TRACE_WAITS];
} howdah_trace;

/* ---- traceparent.c ---- */

/* Which trace the request belongs to: its parent's, its caller's, or one that begins here. */
void howdah_traceparent_begin(ngx_http_request_t *r, howdah_trace *trace);
/* A new id. */
void howdah_traceparent_new_span(u_char id[HOWDAH_SPAN_ID_CHARS]);

/* ---- trace_span.c ---- */

/* The spans of a request, and how many they are. */
unsigned howdah_trace_write(howdah_json *json, const howdah_exchange *exchange, ngx_int_t status, uint64_t ended_us);

/* ---- trace_export.c ---- */

/* Takes what has been written, of so many spans; or, where json is full, counts them as dropped. */
typedef unsigned (*howdah_spans_writer)(howdah_json *json, void *data);
void howdah_export(howdah_collector *collector, howdah_spans_writer write, void *data);

/* ---- trace_answer.c ---- */

typedef struct {
  unsigned status;      /* 0: it is no answer of HTTP's */
  bool may_try_again;   /* the collector says so, or has said nothing */
  unsigned retry_after; /* seconds; 0: it does not say */
  uint64_t rejected;    /* of a batch that was taken: spans that were not */
} howdah_collector_answer;

/* Whether no more of it is to come. */
bool howdah_answer_is_whole(const u_char *text, size_t len);
void howdah_answer_read(const u_char *text, size_t len, howdah_collector_answer *answer);

#endif
