/* What a collector has answered, as far as OTLP goes by it: its status, Retry-After, and how many spans it has not taken
 * (opentelemetry-proto 1.10, docs/specification.md, "OTLP/HTTP Response"). */
#include "trace.h"

#include <ctype.h>

/* Where it is in the text; NULL: it is not. */
static const u_char *find(const u_char *text, size_t len, const char *wanted) {
  size_t wanted_len = ngx_strlen(wanted);
  for (; len >= wanted_len; text++, len--)
    if (ngx_strncasecmp((u_char *)text, (u_char *)wanted, wanted_len) == 0) return text;
  return NULL;
}

/* What follows the head; NULL: it is not whole. */
static const u_char *find_body(const u_char *text, size_t len) {
  const u_char *end = find(text, len, "\r\n\r\n");
  return end ? end + 4 : NULL;
}

/* 0: it is no answer of HTTP's. */
static unsigned status_of(const u_char *text, size_t len) {
  enum { STATUS_AT = sizeof("HTTP/1.1 ") - 1, DIGITS = 3 };
  if (len < STATUS_AT + DIGITS || ngx_strncmp(text, "HTTP/1.", 7) != 0) return 0;
  ngx_int_t status = ngx_atoi((u_char *)text + STATUS_AT, DIGITS);
  return status < 100 ? 0 : (unsigned)status;
}

/* Leaves out interim answers, which another one follows (RFC 9110, 15.2). */
static void skip_interim(const u_char **text, size_t *len) {
  for (const u_char *next; status_of(*text, *len) / 100 == 1 && (next = find_body(*text, *len)); *text = next)
    *len -= (size_t)(next - *text);
}

/* The digits behind this text, within the next few bytes; false: there are none. */
static bool number_after(const u_char *text, size_t len, const char *name, uint64_t *number) {
  enum { DIGITS_MOST = 18 };
  const u_char *at = find(text, len, name), *end = text + len;
  if (!at) return false;
  at += ngx_strlen(name);
  while (at < end && (*at == ' ' || *at == '"' || *at == ':'))
    at++;
  const u_char *digits = at;
  *number = 0;
  for (; at < end && *at >= '0' && *at <= '9' && at - digits < DIGITS_MOST; at++)
    *number = *number * 10 + (uint64_t)(*at - '0');
  return at > digits;
}

/* Of a chunked body (RFC 9112, 7.1): whether its end has come, with what may follow the last chunk. */
static bool chunks_end(const u_char *at, const u_char *end) {
  enum { DIGITS_MOST = 8 };
  for (;;) {
    size_t bytes = 0;
    const u_char *digits = at;
    for (; at < end && at - digits < DIGITS_MOST && isxdigit(*at); at++)
      bytes = bytes * 16 + (size_t)(*at <= '9' ? *at - '0' : (*at | 0x20) - 'a' + 10);
    const u_char *line_end = find(at, (size_t)(end - at), "\r\n");
    if (!line_end) return false;
    if (!bytes) return find_body(line_end, (size_t)(end - line_end)) != NULL;
    if ((size_t)(end - line_end) < bytes + 4) return false;
    at = line_end + 2 + bytes + 2;
  }
}

bool howdah_answer_is_whole(const u_char *text, size_t len) {
  enum { NO_CONTENT = 204 };
  uint64_t length;
  skip_interim(&text, &len);
  const u_char *body = find_body(text, len);
  if (!body) return false;
  size_t head = (size_t)(body - text), has = len - head;
  unsigned status = status_of(text, len);
  if (status / 100 == 1) return false;
  if (status == NO_CONTENT) return true;
  if (find(text, head, "\r\nTransfer-Encoding:")) return chunks_end(body, text + len);
  if (number_after(text, head, "\r\nContent-Length:", &length)) return has >= length;
  return false; /* the connection's end is its end */
}

void howdah_answer_read(const u_char *text, size_t len, howdah_collector_answer *answer) {
  enum { RETRY_MOST_S = 30 };
  uint64_t number;
  *answer = (howdah_collector_answer){.may_try_again = true};
  skip_interim(&text, &len);
  const u_char *body = find_body(text, len);
  unsigned status = status_of(text, len);
  if (!body || status < 200) return;
  answer->status = status;
  answer->may_try_again = status == 429 || status == 502 || status == 503 || status == 504;
  if (number_after(text, (size_t)(body - text), "\r\nRetry-After:", &number))
    answer->retry_after = (unsigned)ngx_min(number, (uint64_t)RETRY_MOST_S);
  if (status / 100 == 2 && number_after(body, (size_t)(text + len - body), "\"rejectedSpans\"", &number))
    answer->rejected = number;
}
