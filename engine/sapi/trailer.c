/* Howdah\trailer(): what may follow a body, and what not. */
#include "trailer.h"
#include "sapi.h"

#include <ctype.h>
#include <string.h>

/* RFC 9110, 6.5.1: fields that frame the message, route it, change the request, authenticate, control the response or tell the
 * content's format. A recipient that joins them to the header section would take the message for another one: that is how
 * requests are smuggled. Fields that their definitions allow here are not among them: ETag, Accept-Ranges, Authentication-Info,
 * Content-Digest, Server-Timing. */
static const char *const before_body[] = {
    /* framing, and the connection's own */
    "Content-Length", "Transfer-Encoding", "TE", "Trailer", "Connection", "Keep-Alive", "Proxy-Connection", "Upgrade",
    "HTTP2-Settings",
    /* routing */
    "Host", "Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "Alt-Svc",
    /* of requests */
    "Cache-Control", "Expect", "Max-Forwards", "Pragma", "Range", "If-Match", "If-None-Match", "If-Modified-Since",
    "If-Unmodified-Since", "If-Range",
    /* who it is */
    "Authorization", "Proxy-Authorization", "WWW-Authenticate", "Proxy-Authenticate", "Cookie", "Set-Cookie",
    /* of responses; Status is CGI's */
    "Age", "Date", "Expires", "Location", "Retry-After", "Vary", "Warning", "Status", "Refresh",
    /* the content */
    "Content-Encoding", "Content-Type", "Content-Range", "Content-Language", "Content-Location", "Content-Disposition"};

static bool is_token(const zend_string *name) {
  static const char others[] = "!#$%&'*+-.^_`|~";
  for (size_t i = 0; i < ZSTR_LEN(name); i++)
    if (!isalnum((unsigned char)ZSTR_VAL(name)[i]) && (!ZSTR_VAL(name)[i] || !strchr(others, ZSTR_VAL(name)[i]))) return false;
  return ZSTR_LEN(name) > 0;
}

static bool is_field_value(const zend_string *value) {
  for (size_t i = 0; i < ZSTR_LEN(value); i++) {
    unsigned char c = (unsigned char)ZSTR_VAL(value)[i];
    if ((c < ' ' && c != '\t') || c == 0x7f) return false;
  }
  return true;
}

static bool belongs_before_body(const zend_string *name) {
  for (size_t i = 0; i < sizeof(before_body) / sizeof(*before_body); i++)
    if (strcasecmp(ZSTR_VAL(name), before_body[i]) == 0) return true;
  return false;
}

/* Howdah\trailer(string $name, string $value): bool A field after the body: for what is known only then (Server-Timing, a
 * digest). False when this client cannot be sent one, or the head has left and did not announce any. */
ZEND_FUNCTION(trailer) {
  zend_string *name, *value;
  ZEND_PARSE_PARAMETERS_START(2, 2)
  Z_PARAM_STR(name)
  Z_PARAM_STR(value)
  ZEND_PARSE_PARAMETERS_END();
  if (!is_token(name)) {
    zend_argument_value_error(1, "must be the name of a header");
    RETURN_THROWS();
  }
  if (belongs_before_body(name)) {
    zend_argument_value_error(1, "must not be %s, which is understood only before the body (RFC 9110, 6.5.1)", ZSTR_VAL(name));
    RETURN_THROWS();
  }
  if (!is_field_value(value)) {
    zend_argument_value_error(2, "must not contain control characters");
    RETURN_THROWS();
  }
  howdah_realm *realm = howdah_realm_current();
  howdah_header trailer = {{ZSTR_VAL(name), ZSTR_LEN(name)}, {ZSTR_VAL(value), ZSTR_LEN(value)}};
  RETURN_BOOL(realm && howdah_sapi_add_trailer(realm, &trailer));
}
