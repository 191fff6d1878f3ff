/* A response on its way out: head, body, its end. */
#include "sapi.h"
#include "../coroutine/chaos.h"
#include "../log.h"
#include "../realm/front.h"

#include <main/http_status_codes.h>
#include <stdlib.h>
#include <string.h>

enum { HEADERS_ON_STACK = 32 };

/* Shutdown functions may wait when this ends the script. */
static void client_gone(howdah_realm *realm) {
  realm->aborted = true;
  if (!PG(ignore_user_abort)) howdah_sapi_begin_unwinding(realm);
  php_handle_aborted_connection();
}

size_t howdah_sapi_write(const char *data, size_t len) {
  howdah_realm *realm = howdah_realm_current();
  if (!realm || !realm->request) {
    size_t line = len;
    while (line > 0 && (data[line - 1] == '\n' || data[line - 1] == '\r'))
      line--;
    if (line > 0) howdah_log_raw(HOWDAH_LOG_NOTICE, NULL, data, line);
    return len;
  }
  howdah_chaos_yield(HOWDAH_CHAOS_OFTEN);
  howdah_coroutine_yield_when_due(); /* readfile() to a client that reads as fast never waits */
  /* After fastcgi_finish_request() output goes nowhere, as under php-fpm. */
  if (realm->response_ended) return len;
  if (realm->aborted || howdah_front_write(realm, data, len) < 0) {
    if (realm->response_ended) return len; /* meanwhile: the request is to end, and will at the next instruction */
    client_gone(realm);
    return 0;
  }
  return len;
}

void howdah_sapi_flush(void *context) {
  howdah_realm *realm = howdah_realm_current();
  (void)context;
  if (!realm || !realm->request || realm->response_ended) return;
  if ((realm->aborted || howdah_front_flush(realm) < 0) && !realm->response_ended) client_gone(realm);
}

howdah_header howdah_sapi_split_header(const char *line, size_t len) {
  const char *colon = memchr(line, ':', len);
  if (!colon) return (howdah_header){{line, len}, {"", 0}};
  const char *value = colon + 1, *end = line + len;
  while (value < end && (*value == ' ' || *value == '\t'))
    value++;
  return (howdah_header){{line, (size_t)(colon - line)}, {value, (size_t)(end - value)}};
}

/* What the script gave with header("HTTP/1.1 404 words"), from the blank on. It counts more than http_response_code(), but for
 * a 200, with which php-fpm does not look at the line (sapi_cgi_send_headers(), sapi/fpm/fpm/fpm_main.c, 8.2). NULL: none. */
static const char *given_status(const sapi_headers_struct *sapi_headers) {
  const char *line = sapi_headers->http_status_line;
  bool counts = line && sapi_headers->http_response_code != 200 && strncasecmp(line, "HTTP/", 5) == 0;
  return counts ? strchr(line, ' ') : NULL;
}

static int status_of(const sapi_headers_struct *sapi_headers) {
  const char *given = given_status(sapi_headers);
  return given ? atoi(given) : sapi_headers->http_response_code;
}

/* The words that the script gave, else PHP's own table. */
static howdah_str reason_of(const sapi_headers_struct *sapi_headers, int status) {
  const char *words = given_status(sapi_headers);
  if (words) {
    words += strspn(words, " ");
    words += strspn(words, "0123456789");
    words += strspn(words, " ");
    return (howdah_str){words, strlen(words)};
  }
  for (const http_response_status_code_pair *known = http_status_map; known->code && status != 200; known++)
    if (known->code == status) return (howdah_str){known->str, strlen(known->str)};
  return (howdah_str){NULL, 0};
}

typedef struct {
  howdah_header on_stack[HEADERS_ON_STACK], *all;
  size_t count;
} header_list;

static bool has_name(howdah_str line, const char *name) {
  size_t len = strlen(name);
  return line.len > len && line.data[len] == ':' && strncasecmp(line.data, name, len) == 0;
}

static const howdah_header *find_header(const header_list *list, const char *name) {
  size_t len = strlen(name);
  for (size_t i = 0; i < list->count; i++)
    if (list->all[i].name.len == len && strncasecmp(list->all[i].name.data, name, len) == 0) return &list->all[i];
  return NULL;
}

/* As sapi_cgi_send_headers() (8.2): an answer without a body has no type of it, whatever the script says; of several Status
 * headers the first counts, and none beside a status line. */
static bool is_dropped(const header_list *list, const sapi_headers_struct *sapi_headers, howdah_str line) {
  if (has_name(line, "Content-Type")) return status_of(sapi_headers) == 304;
  return has_name(line, "Status") && (given_status(sapi_headers) || find_header(list, "Status"));
}

/* A field's name has no blanks, and a colon behind it (RFC 9110, 5.1). PHP takes header("no name at all") and header(":
 * value"). nginx refuses the whole response of a php-fpm that sends them (502), or makes fields of them; clients of HTTP/2
 * would drop the connection. */
static bool is_field(howdah_str line) {
  size_t len = 0;
  while (len < line.len && line.data[len] != ':') {
    unsigned char c = (unsigned char)line.data[len++];
    if (c <= ' ' || c >= 0x7f) return false;
  }
  return len > 0 && len < line.len;
}

static void tell_no_field(const howdah_realm *realm, howdah_str line) {
  const char *cause = memchr(line.data, ':', line.len) ? "whose name is none" : "which has no colon";
  howdah_log(HOWDAH_LOG_WARNING, realm->request, "howdah: PHP sent the header \"%.*s\", %s: left out", (int)line.len, line.data,
             cause);
}

/* The lines that the script has given; there is room for one more. False when memory is short. free_list() afterwards. */
static bool list_headers(header_list *list, sapi_headers_struct *sapi_headers, const howdah_realm *realm) {
  size_t most = zend_llist_count(&sapi_headers->headers) + 1;
  list->all = list->on_stack;
  list->count = 0;
  if (most > HEADERS_ON_STACK && !(list->all = malloc(most * sizeof(*list->all)))) return false;
  zend_llist_position position;
  for (sapi_header_struct *header = zend_llist_get_first_ex(&sapi_headers->headers, &position); header;
       header = zend_llist_get_next_ex(&sapi_headers->headers, &position)) {
    howdah_str line = {header->header, header->header_len};
    if (!line.len || is_dropped(list, sapi_headers, line)) continue;
    if (is_field(line))
      list->all[list->count++] = howdah_sapi_split_header(line.data, line.len);
    else
      tell_no_field(realm, line);
  }
  return true;
}

static void free_list(header_list *list) {
  if (list->all != list->on_stack) free(list->all);
}

/* A final response is never a 1xx: clients would wait for another one (RFC 9110, 15.2). Above 599 there is none, but nginx
 * sends php-fpm's. Of header("HTTP/1.1 words") PHP makes a 0, which nginx refuses as well. */
static int refuse_status(const howdah_realm *realm, int status) {
  howdah_log(HOWDAH_LOG_WARNING, realm->request, "howdah: PHP's status is %d, which ends no request: answered 500", status);
  return 500;
}

int howdah_sapi_send_headers(sapi_headers_struct *sapi_headers) {
  howdah_realm *realm = howdah_realm_current();
  header_list list;
  /* Sent already: what header_register_callback() calls has printed something. */
  if (!realm || !realm->request || realm->response_ended || realm->head_sent) return SAPI_HEADER_SENT_SUCCESSFULLY;
  if (!list_headers(&list, sapi_headers, realm)) return SAPI_HEADER_SEND_FAILED;
  char *type = NULL;
  int status = status_of(sapi_headers);
  if (sapi_headers->send_default_content_type && status != 304) {
    sapi_header_struct header;
    sapi_get_default_content_type_header(&header);
    type = header.header;
    list.all[list.count++] = howdah_sapi_split_header(header.header, header.header_len);
  }
  /* The script has asked for 200 after its Location: without a Status it is a redirect all the same (RFC 3875, 6.3.2). */
  if (status == 200 && find_header(&list, "Location") && !find_header(&list, "Status")) status = 302;
  bool is_final = status >= 200 && status <= 999;
  if (!is_final) status = refuse_status(realm, status);
  realm->head_sent = true;
  realm->request->status = status;
  if (is_final) realm->request->reason = reason_of(sapi_headers, status);
  int sent = realm->aborted ? -1 : howdah_front_send_head(realm, status, list.all, list.count);
  realm->request->reason = (howdah_str){NULL, 0};
  if (type) efree(type);
  free_list(&list);
  if (sent < 0) realm->aborted = true;
  return SAPI_HEADER_SENT_SUCCESSFULLY;
}

bool howdah_sapi_send_interim(howdah_realm *realm, int status) {
  header_list list;
  if (!realm->request || realm->aborted || realm->head_sent || realm->response_ended) return false;
  if (!list_headers(&list, &SG(sapi_headers), realm)) return false;
  bool sent = howdah_front_send_interim(realm, status, list.all, list.count) == 0;
  free_list(&list);
  return sent;
}

bool howdah_sapi_add_trailer(howdah_realm *realm, const howdah_header *trailer) {
  if (!realm->request || realm->aborted || realm->response_ended) return false;
  return howdah_front_add_trailer(realm, trailer) == 0;
}

bool howdah_sapi_end_response(howdah_realm *realm) {
  if (!realm->request || realm->response_ended) return false;
  php_output_end_all();
  php_header();
  howdah_front_end_response(realm);
  return true;
}

void howdah_sapi_fail(howdah_realm *realm) {
  static const howdah_header type = {{"Content-Type", 12}, {"text/plain; charset=utf-8", 25}};
  static const char text[] = "Internal Server Error\n";
  howdah_request *request = realm->request;
  if (realm->head_sent || realm->response_ended) return;
  realm->head_sent = true;
  request->status = 500;
  if (howdah_front_send_head(realm, 500, &type, 1) == 0) howdah_front_write(realm, text, sizeof(text) - 1);
}
