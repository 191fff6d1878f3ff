/* Which trace a request belongs to: W3C's Trace Context, level 1 (https://www.w3.org/TR/trace-context/), with the headers
 * traceparent and tracestate.
 *
 * What is not valid is as if it were not there, and a trace begins here. Its id is nginx's $request_id, so that the logs have
 * it, too. Whether it is sampled goes by the last 56 bits of the id, as OpenTelemetry's samplers do: all parts of one request
 * decide alike. */
#include "trace.h"

#include <sys/random.h>

enum { FLAG_SAMPLED = 1, FLAG_RANDOM = 2 };
/* "00-" trace "-" parent "-" flags */
enum { TRACE_AT = 3, PARENT_AT = 36, FLAGS_AT = 53 };

/* ---- Ids ---- */

static bool random_bytes(u_char *to, size_t bytes) {
  static u_char room[256]; /* of one look at the kernel */
  static size_t left;
  if (left < bytes) {
    if (getrandom(room, sizeof room, GRND_NONBLOCK) != (ssize_t)sizeof room) return false;
    left = sizeof room;
  }
  left -= bytes;
  ngx_memcpy(to, room + left, bytes);
  return true;
}

static bool is_zero(const u_char *id, size_t chars) {
  for (size_t i = 0; i < chars; i++)
    if (id[i] != '0') return false;
  return true;
}

static void new_id(u_char *id, size_t chars) {
  u_char bytes[HOWDAH_TRACE_ID_CHARS / 2];
  do {
    if (!random_bytes(bytes, chars / 2)) /* the kernel's numbers are not there yet: nobody is to be kept from guessing these */
      for (size_t i = 0; i < chars / 2; i++)
        bytes[i] = (u_char)ngx_random();
    ngx_hex_dump(id, bytes, chars / 2);
  } while (is_zero(id, chars));
}

void howdah_traceparent_new_span(u_char id[HOWDAH_SPAN_ID_CHARS]) {
  new_id(id, HOWDAH_SPAN_ID_CHARS);
}

/* ---- What comes ---- */

static bool is_hex(const u_char *text, size_t len) {
  for (size_t i = 0; i < len; i++)
    if (!((text[i] >= '0' && text[i] <= '9') || (text[i] >= 'a' && text[i] <= 'f'))) return false;
  return true;
}

static unsigned digit(u_char hex) {
  return (unsigned)(hex <= '9' ? hex - '0' : hex - 'a' + 10);
}

/* 3.2.2. A later version may go on behind a dash. */
static bool is_valid(const ngx_str_t *value) {
  const u_char *text = value->data;
  if (value->len < HOWDAH_TRACEPARENT_CHARS || !is_hex(text, 2)) return false;
  bool is_first = text[0] == '0' && text[1] == '0';
  if (text[0] == 'f' && text[1] == 'f') return false;
  if (value->len > HOWDAH_TRACEPARENT_CHARS && (is_first || text[HOWDAH_TRACEPARENT_CHARS] != '-')) return false;
  return text[TRACE_AT - 1] == '-' && text[PARENT_AT - 1] == '-' && text[FLAGS_AT - 1] == '-' &&
         is_hex(text + TRACE_AT, HOWDAH_TRACE_ID_CHARS) && !is_zero(text + TRACE_AT, HOWDAH_TRACE_ID_CHARS) &&
         is_hex(text + PARENT_AT, HOWDAH_SPAN_ID_CHARS) && !is_zero(text + PARENT_AT, HOWDAH_SPAN_ID_CHARS) &&
         is_hex(text + FLAGS_AT, 2);
}

/* The header's only line; NULL: there is none, or more than one, which is not valid. */
static const ngx_str_t *find_header(const ngx_http_request_t *r) {
  static const ngx_str_t name = ngx_string("traceparent");
  const ngx_str_t *found = NULL;
  for (const ngx_list_part_t *part = &r->headers_in.headers.part; part; part = part->next) {
    const ngx_table_elt_t *headers = part->elts;
    for (ngx_uint_t i = 0; i < part->nelts; i++) {
      if (!headers[i].hash || headers[i].key.len != name.len) continue;
      if (ngx_strncasecmp(headers[i].key.data, name.data, name.len) != 0) continue;
      if (found) return NULL;
      found = &headers[i].value;
    }
  }
  return found;
}

/* ---- What it becomes ---- */

static void begin_trace(ngx_http_request_t *r, howdah_trace *trace) {
  const ngx_http_variable_value_t *id = howdah_request_id(r, true);
  bool usable = id && id->len == HOWDAH_TRACE_ID_CHARS && is_hex(id->data, id->len) && !is_zero(id->data, id->len);
  if (usable)
    ngx_memcpy(trace->trace_id, id->data, HOWDAH_TRACE_ID_CHARS);
  else
    new_id(trace->trace_id, HOWDAH_TRACE_ID_CHARS);
}

static bool chooses(const howdah_trace *trace) {
  enum { ALL = 1000000, RANDOM_CHARS = 14 };
  uint64_t number = 0, parts = (uint64_t)1 << 56;
  for (size_t i = HOWDAH_TRACE_ID_CHARS - RANDOM_CHARS; i < HOWDAH_TRACE_ID_CHARS; i++)
    number = number << 4 | digit(trace->trace_id[i]);
  return trace->conf->sample && number >= parts / ALL * (ALL - trace->conf->sample);
}

static void follow(howdah_trace *trace, const u_char *trace_id, const u_char *parent_id) {
  ngx_memcpy(trace->trace_id, trace_id, HOWDAH_TRACE_ID_CHARS);
  ngx_memcpy(trace->parent_id, parent_id, HOWDAH_SPAN_ID_CHARS);
  trace->has_parent = true;
}

/* By this it is found among what else cleans up: nginx forgets modules' contexts where it redirects (as
 * ngx_http_realip_get_module_ctx()). */
static void remember(void *data) {
  (void)data;
}

static const howdah_trace *find_trace(const ngx_http_request_t *r) {
  for (const ngx_pool_cleanup_t *kept = r->pool->cleanup; kept; kept = kept->next)
    if (kept->handler == remember && ((const howdah_trace *)kept->data)->r == r) return kept->data;
  return NULL;
}

/* Of what PHP has made of this request before, or of the page that this is a part of; NULL: neither. */
static const howdah_trace *find_cause(const ngx_http_request_t *r) {
  const howdah_trace *before = find_trace(r);
  return before || r == r->main ? before : find_trace(r->main);
}

static void be_found(ngx_http_request_t *r, howdah_trace *trace) {
  ngx_pool_cleanup_t *kept = ngx_pool_cleanup_add(r->pool, 0);
  if (!kept) return; /* then what follows is another trace's */
  trace->r = r;
  kept->handler = remember;
  kept->data = trace;
}

void howdah_traceparent_begin(ngx_http_request_t *r, howdah_trace *trace) {
  unsigned flags = 0;
  const howdah_trace *cause = find_cause(r);
  const ngx_str_t *header = trace->conf->obeys ? find_header(r) : NULL;
  howdah_traceparent_new_span(trace->span_id);
  if (header && is_valid(header)) {
    follow(trace, header->data + TRACE_AT, header->data + PARENT_AT);
    flags = digit(header->data[FLAGS_AT + 1]) & (FLAG_SAMPLED | FLAG_RANDOM);
    trace->is_remote = trace->keeps_state = true;
    trace->is_sampled = flags & FLAG_SAMPLED;
  } else {
    begin_trace(r, trace);
    trace->is_sampled = chooses(trace);
  }
  if (cause) {
    follow(trace, cause->trace_id, cause->span_id);
    trace->is_remote = false;
    trace->is_sampled = cause->is_sampled;
    trace->is_part = true;
  }
  be_found(r, trace);
  flags = (flags & FLAG_RANDOM) | (trace->is_sampled ? FLAG_SAMPLED : 0);
  ngx_sprintf(trace->header, "00-%*s-%*s-%02xd", (size_t)HOWDAH_TRACE_ID_CHARS, trace->trace_id, (size_t)HOWDAH_SPAN_ID_CHARS,
              trace->span_id, flags);
}
