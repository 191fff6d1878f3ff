/* A request on its way in: SG(request_info), as init_request_info() of php-fpm fills it (sapi/fpm/fpm/fpm_main.c, 8.2). */
#include "sapi.h"
#include "../realm/front.h"
#include "../realm/pool.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  char *at;
} scratch;

/* PHP wants zero-terminated strings; one buffer per realm holds them for the length of a request. */
static char *keep(scratch *to, howdah_str text) {
  char *copy = to->at;
  if (text.len) memcpy(copy, text.data, text.len);
  copy[text.len] = 0;
  to->at += text.len + 1;
  return copy;
}

static howdah_str script_of(const howdah_realm *realm) {
  if (realm->pool->mode == HOWDAH_CLASSIC) return realm->request->script_filename;
  return (howdah_str){realm->pool->script, strlen(realm->pool->script)};
}

static int protocol_number(howdah_str protocol) {
  if (protocol.len < 6 || memcmp(protocol.data, "HTTP/", 5) != 0) return 1000;
  int major = protocol.data[5] - '0', minor = protocol.len >= 8 ? protocol.data[7] - '0' : 0;
  return major * 1000 + minor;
}

bool howdah_sapi_request_begin(howdah_realm *realm) {
  howdah_request *request = realm->request;
  howdah_str script = script_of(realm);
  size_t needed = request->method.len + request->request_uri.len + request->query_string.len + request->content_type.len +
                  request->cookie.len + request->authorization.len + script.len + 7;
  if (needed > realm->scratch_bytes) {
    char *larger = realloc(realm->scratch, needed * 2);
    if (!larger) return false;
    realm->scratch = larger;
    realm->scratch_bytes = needed * 2;
  }
  scratch to = {realm->scratch};
  memset(&SG(request_info), 0, sizeof(SG(request_info)));
  SG(server_context) = request;
  SG(request_info).request_method = keep(&to, request->method);
  SG(request_info).request_uri = keep(&to, request->request_uri);
  SG(request_info).query_string = keep(&to, request->query_string);
  SG(request_info).path_translated = keep(&to, script);
  if (request->content_type.len) SG(request_info).content_type = keep(&to, request->content_type);
  if (request->cookie.len) SG(request_info).cookie_data = keep(&to, request->cookie);
  SG(request_info).content_length = request->content_length > 0 ? (zend_long)request->content_length : 0;
  SG(request_info).proto_num = protocol_number(request->protocol);
  SG(sapi_headers).http_response_code = 200;
  php_handle_auth_data(request->authorization.len ? keep(&to, request->authorization) : NULL);
  return true;
}

void howdah_sapi_request_end(void) {
  SG(server_context) = NULL;
  /* sapi_deactivate() has freed what was PHP's. */
  memset(&SG(request_info), 0, sizeof(SG(request_info)));
}

size_t howdah_sapi_read_body(char *buffer, size_t size) {
  howdah_realm *realm = howdah_realm_current();
  if (!SG(server_context) || !realm) return 0;
  size_t got = 0;
  /* An upload of a gigabyte is seconds of rfc1867_post_handler() (main/rfc1867.c, 8.2): others run meanwhile, and it stops
   * where the request has to end. */
  howdah_coroutine_yield_when_due();
  if (realm->cancelled && !realm->unwinding) return 0;
  while (got < size) {
    ssize_t part = howdah_front_read_body(realm, buffer + got, size - got);
    if (part <= 0) break;
    got += (size_t)part;
  }
  return got;
}
