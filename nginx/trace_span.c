/* Spans as OTLP's JSON (opentelemetry-proto 1.11: trace/v1/trace.proto, and docs/specification.md, "JSON Protobuf Encoding":
 * ids in hexadecimal digits, numbers of 64 bits as strings, enums as numbers). Attributes are named by OpenTelemetry's semantic
 * conventions 1.37 (http, code, network, db); what those have no name for begins with "howdah.". */
#include "trace.h"

enum { KIND_INTERNAL = 1, KIND_SERVER = 2, KIND_CLIENT = 3, STATUS_ERROR = 2 };
enum { FLAG_SAMPLED = 1, FLAG_KNOWS_REMOTE = 0x100, FLAG_REMOTE = 0x200 };
enum { NAME_MOST = 256, TEXT_MOST = 1024, PORT_MOST = 65535 };

/* ---- Attributes ---- */

static void add_key(howdah_json *json, const char *key) {
  bool is_first = json->len && json->text[json->len - 1] == '[';
  howdah_json_add(json, "%s{\"key\":\"%s\",\"value\":", is_first ? "" : ",", key);
}

static void add_text(howdah_json *json, const char *key, const u_char *text, size_t len) {
  add_key(json, key);
  howdah_json_add(json, "{\"stringValue\":");
  howdah_json_add_string(json, text, len, TEXT_MOST);
  howdah_json_add(json, "}}");
}

static void add_str(howdah_json *json, const char *key, const ngx_str_t *text) {
  if (text->len) add_text(json, key, text->data, text->len);
}

static void add_word(howdah_json *json, const char *key, const char *word) {
  if (word[0]) add_text(json, key, (const u_char *)word, ngx_strlen(word));
}

static void add_number(howdah_json *json, const char *key, uint64_t number) {
  add_key(json, key);
  howdah_json_add(json, "{\"intValue\":\"%uL\"}}", number);
}

/* ---- Spans ---- */

typedef struct {
  howdah_json *json;
  const howdah_exchange *exchange;
  const howdah_trace *trace;
  uint64_t
      wall_us; /* what is to be added to howdah_loop_now_us(): one for all spans of a request, whoever sets the clock meanwhile */
  unsigned count;
} writer;

static uint64_t find_wall(void) {
  struct timeval now;
  ngx_gettimeofday(&now);
  return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_usec - howdah_loop_now_us();
}

static void add_span_id(writer *to, const u_char *id, const u_char *parent, bool is_remote) {
  howdah_json_add(to->json, "%s{\"traceId\":\"%*s\",\"spanId\":\"%*s\"", to->count++ ? "," : "", (size_t)HOWDAH_TRACE_ID_CHARS,
                  to->trace->trace_id, (size_t)HOWDAH_SPAN_ID_CHARS, id);
  if (parent) howdah_json_add(to->json, ",\"parentSpanId\":\"%*s\"", (size_t)HOWDAH_SPAN_ID_CHARS, parent);
  howdah_json_add(to->json, ",\"flags\":%ud", FLAG_SAMPLED | FLAG_KNOWS_REMOTE | (is_remote ? FLAG_REMOTE : 0));
}

/* The attributes follow. */
static void add_times(writer *to, unsigned kind, uint64_t began_us, uint64_t ended_us) {
  howdah_json_add(to->json, ",\"kind\":%ud,\"startTimeUnixNano\":\"%uL000\",\"endTimeUnixNano\":\"%uL000\",\"attributes\":[",
                  kind, to->wall_us + began_us, to->wall_us + ngx_max(ended_us, began_us));
}

/* ---- The request ---- */

static const ngx_str_t *known_method(const ngx_http_request_t *r) {
  static const ngx_str_t other = ngx_string("_OTHER");
  enum {
    KNOWN = NGX_HTTP_GET | NGX_HTTP_HEAD | NGX_HTTP_POST | NGX_HTTP_PUT | NGX_HTTP_DELETE | NGX_HTTP_OPTIONS | NGX_HTTP_PATCH |
            NGX_HTTP_TRACE
  };
  return r->method & KNOWN ? &r->method_name : &other;
}

/* As it was sent, without the query, which may hold secrets; a part of a page, and where it was led, has its own. */
static ngx_str_t path_of(const ngx_http_request_t *r, const howdah_trace *trace) {
  if (r != r->main || trace->is_part) return r->uri;
  const u_char *begin = r->unparsed_uri.data, *end = begin + r->unparsed_uri.len;
  const u_char *query = ngx_strlchr((u_char *)begin, (u_char *)end, '?');
  return (ngx_str_t){(size_t)((query ? query : end) - begin), (u_char *)begin};
}

/* Of a list so many bytes that no entry is cut. */
static size_t whole_entries(const ngx_str_t *list, size_t most) {
  if (list->len <= most) return list->len;
  size_t len = most;
  while (len && list->data[len] != ',')
    len--;
  return len;
}

/* The lines of the caller's tracestate; the last part of the list may be left out (3.3.1.1). What a client sends may not fill
 * the queue. */
static void add_state(writer *to) {
  static const ngx_str_t name = ngx_string("tracestate");
  bool is_first = true;
  size_t room = TEXT_MOST;
  if (!to->trace->keeps_state) return;
  for (const ngx_list_part_t *part = &to->exchange->r->headers_in.headers.part; part; part = part->next) {
    const ngx_table_elt_t *headers = part->elts;
    for (ngx_uint_t i = 0; i < part->nelts; i++) {
      const ngx_str_t *key = &headers[i].key;
      if (!headers[i].hash || key->len != name.len || ngx_strncasecmp(key->data, name.data, name.len) != 0) continue;
      const ngx_str_t *value = &headers[i].value;
      size_t len = whole_entries(value, room);
      if (!len) continue;
      howdah_json_add(to->json, is_first ? ",\"traceState\":\"" : ",");
      howdah_json_add_characters(to->json, value->data, len, len);
      room = len == value->len ? room - len : 0;
      is_first = false;
    }
  }
  if (!is_first) howdah_json_add(to->json, "\"");
}

static void add_name(writer *to, const ngx_str_t *path) {
  const ngx_http_request_t *r = to->exchange->r;
  const ngx_str_t *method = known_method(r);
  howdah_json_add(to->json, ",\"name\":\"");
  if (method == &r->method_name)
    howdah_json_add_characters(to->json, method->data, method->len, NAME_MOST);
  else
    howdah_json_add(to->json, "HTTP");
  howdah_json_add(to->json, " ");
  howdah_json_add_characters(to->json, path->data, path->len, NAME_MOST);
  howdah_json_add(to->json, "\"");
}

static void add_host(writer *to) {
  const ngx_http_request_t *r = to->exchange->r;
  const ngx_http_core_srv_conf_t *server = ngx_http_get_module_srv_conf(r, ngx_http_core_module);
  add_str(to->json, "server.address", r->headers_in.server.len ? &r->headers_in.server : &server->server_name);
  if (!r->headers_in.host) return;
  const ngx_str_t *host = &r->headers_in.host->value;
  ngx_int_t port = host->len > r->headers_in.server.len
                       ? ngx_atoi(host->data + r->headers_in.server.len + 1, host->len - r->headers_in.server.len - 1)
                       : NGX_ERROR;
  if (host->len > r->headers_in.server.len && host->data[r->headers_in.server.len] == ':' && port > 0 && port <= PORT_MOST)
    add_number(to->json, "server.port", (uint64_t)port);
}

static void add_request(writer *to, ngx_int_t status, uint64_t ended_us) {
  const ngx_http_request_t *r = to->exchange->r;
  const howdah_trace *trace = to->trace;
  const ngx_str_t *method = known_method(r), path = path_of(r, trace);
  howdah_json *json = to->json;
  add_span_id(to, trace->span_id, trace->has_parent ? trace->parent_id : NULL, trace->is_remote);
  add_state(to);
  add_name(to, &path);
  add_times(to, r == r->main && !trace->is_part ? KIND_SERVER : KIND_INTERNAL, trace->began_us, ended_us);
  add_str(json, "http.request.method", method);
  if (method != &r->method_name) add_str(json, "http.request.method_original", &r->method_name);
  add_str(json, "url.path", &path);
  add_word(json, "url.scheme", howdah_is_encrypted(r) ? "https" : "http");
  add_host(to);
  add_str(json, "client.address", &r->connection->addr_text);
  if (r->headers_in.user_agent) add_str(json, "user_agent.original", &r->headers_in.user_agent->value);
  add_number(json, "http.response.status_code", (uint64_t)status);
  if (status >= NGX_HTTP_INTERNAL_SERVER_ERROR) {
    char type[NGX_INT_T_LEN + 1];
    ngx_sprintf((u_char *)type, "%i%Z", status);
    add_word(json, "error.type", type);
  }
  if (trace->waits_left_out) add_number(json, "howdah.waits_left_out", trace->waits_left_out);
  howdah_json_add(json, "]");
  if (status >= NGX_HTTP_INTERNAL_SERVER_ERROR) howdah_json_add(json, ",\"status\":{\"code\":%ud}", STATUS_ERROR);
  howdah_json_add(json, "}");
}

/* ---- Its waits ---- */

static const char *database_of(const char *service) {
  static const struct {
    const char *service, *name;
  } databases[] = {{"PostgreSQL", "postgresql"},      {"MySQL", "mysql"},     {"Redis", "redis"},
                   {"memcached", "memcached"},        {"MongoDB", "mongodb"}, {"SQL Server", "microsoft.sql_server"},
                   {"Elasticsearch", "elasticsearch"}};
  for (size_t i = 0; i < sizeof databases / sizeof *databases; i++)
    if (ngx_strcmp(databases[i].service, service) == 0) return databases[i].name;
  return "";
}

#define NAME(name, kind) [(kind)] = (name),
static const char *const kinds[HOWDAH_WAIT_KINDS] = {HOWDAH_EACH_WAIT(NAME)};

static void add_wait_name(writer *to, const howdah_trace_wait *wait) {
  static const char *const words[HOWDAH_WAIT_KINDS] = {
      [HOWDAH_WAIT_DESCRIPTOR] = "",         [HOWDAH_WAIT_SLEEP] = "sleep",        [HOWDAH_WAIT_LOCK] = "lock",
      [HOWDAH_WAIT_CHILD] = "child process", [HOWDAH_WAIT_THREAD] = "look-up of ", [HOWDAH_WAIT_CLIENT] = "client"};
  howdah_wait_kind kind = wait->wait.kind;
  bool names_subject = kind == HOWDAH_WAIT_DESCRIPTOR || kind == HOWDAH_WAIT_THREAD;
  const char *subject = wait->subject[0] ? wait->subject : kind == HOWDAH_WAIT_THREAD ? "a thread" : "a connection";
  howdah_json_add(to->json, ",\"name\":\"%s", kind == HOWDAH_WAIT_THREAD && !wait->subject[0] ? "" : words[kind]);
  if (names_subject) howdah_json_add_characters(to->json, (const u_char *)subject, ngx_strlen(subject), NAME_MOST);
  howdah_json_add(to->json, "\"");
}

static void add_peer(howdah_json *json, const howdah_peer *peer) {
  add_word(json, "server.address", peer->address);
  if (peer->port) add_number(json, "server.port", peer->port);
  add_word(json, "network.peer.address", peer->address);
  if (peer->port) add_number(json, "network.peer.port", peer->port);
  add_word(json, "network.transport", peer->port ? "" : "unix");
  add_word(json, "db.system.name", database_of(peer->service));
}

static void add_wait(writer *to, const howdah_trace_wait *wait) {
  u_char id[HOWDAH_SPAN_ID_CHARS];
  howdah_json *json = to->json;
  howdah_traceparent_new_span(id);
  add_span_id(to, id, to->trace->span_id, false);
  add_wait_name(to, wait);
  add_times(to, wait->has_peer ? KIND_CLIENT : KIND_INTERNAL, wait->wait.began_us, wait->wait.began_us + wait->wait.us);
  add_word(json, "howdah.wait.for", kinds[wait->wait.kind]);
  if (wait->has_peer) add_peer(json, &wait->peer);
  if (!wait->has_peer) add_word(json, "howdah.wait.subject", wait->subject);
  add_word(json, "code.function.name", wait->function);
  add_word(json, "code.file.path", wait->file);
  if (wait->file[0]) add_number(json, "code.line.number", wait->line);
  howdah_json_add(json, "]}");
}

static void add_queue(writer *to) {
  const howdah_request *request = &to->exchange->request;
  u_char id[HOWDAH_SPAN_ID_CHARS];
  howdah_traceparent_new_span(id);
  add_span_id(to, id, to->trace->span_id, false);
  howdah_json_add(to->json, ",\"name\":\"queue\"");
  add_times(to, KIND_INTERNAL, request->received_us, request->received_us + request->queue_us);
  add_word(to->json, "howdah.wait.for", "realm");
  howdah_json_add(to->json, "]}");
}

unsigned howdah_trace_write(howdah_json *json, const howdah_exchange *exchange, ngx_int_t status, uint64_t ended_us) {
  const howdah_trace *trace = exchange->trace;
  writer to = {.json = json, .exchange = exchange, .trace = trace, .wall_us = find_wall()};
  add_request(&to, status, ended_us);
  if (exchange->request.queue_us >= HOWDAH_TRACE_WAIT_US) add_queue(&to);
  for (unsigned i = 0; i < trace->wait_count; i++)
    add_wait(&to, trace->waits[i]);
  return to.count;
}
