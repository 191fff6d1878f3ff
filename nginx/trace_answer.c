/* What a collector has answered, as far as OTLP goes by it: its status, Retry-After, and how many spans it has not taken (opentelemetry-proto 1.10,
 * docs/specification.md, "OTLP/HTTP Response"). */
#include "trace.h"

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

bool howdah_answer_is_whole(const u_char *text, size_t len) {
  const u_char *body = find_body(text, len);
  uint64_t length;
  if (!body) return false;
  size_t head = (size_t)(body - text), has = len - head;
  if (number_after(text, head, "\r\nContent-Length:", &length)) return has >= length;
  if (find(text, head, "\r\nTransfer-Encoding:")) return has >= 5 && ngx_memcmp(text + len - 5, "0\r\n\r\n", 5) == 0;
  return false; /* the connection's end is its end */
}

void howdah_answer_read(const u_char *text, size_t len, howdah_collector_answer *answer) {
  enum { STATUS_AT = sizeof("HTTP/1.1 ") - 1, RETRY_MOST_S = 30 };
  uint64_t number;
  *answer = (howdah_collector_answer){.may_try_again = true};
  const u_char *body = find_body(text, len);
  if (!body || ngx_strncmp(text, "HTTP/1.", 7) != 0) return;
  ngx_int_t status = ngx_atoi((u_char *)text + STATUS_AT, 3);
  if (status < 100) return;
  answer->status = (unsigned)status;
  answer->may_try_again = status == 429 || status == 502 || status == 503 || status == 504;
  if (number_after(text, (size_t)(body - text), "\r\nRetry-After:", &number))
    answer->retry_after = (unsigned)ngx_min(number, (uint64_t)RETRY_MOST_S);
  if (status / 100 == 2 && number_after(body, (size_t)(text + len - body), "\"rejectedSpans\"", &number))
    answer->rejected = number;
}
