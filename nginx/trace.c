/* howdah_trace: requests as traces. What the application needs for it is nothing: the engine tells of each wait. See trace.h. */
#include "trace.h"

/* ---- A request ---- */

void howdah_trace_begin(howdah_exchange *exchange, const howdah_loc_conf *conf) {
  if (!conf->trace) return;
  howdah_trace *trace = ngx_pcalloc(exchange->r->pool, sizeof *trace);
  if (!trace) return;
  trace->conf = conf->trace;
  trace->began_us = howdah_loop_now_us();
  howdah_traceparent_begin(exchange->r, trace);
  exchange->request.tells_waits = trace->is_sampled;
  exchange->trace = trace;
}

bool howdah_trace_hides(const howdah_exchange *exchange, const ngx_str_t *name) {
  static const ngx_str_t parent = ngx_string("traceparent"), state = ngx_string("tracestate");
  const howdah_trace *trace = exchange->trace;
  if (!trace) return false;
  if (name->len == parent.len && ngx_strncasecmp(name->data, parent.data, parent.len) == 0) return true;
  return !trace->keeps_state && name->len == state.len && ngx_strncasecmp(name->data, state.data, state.len) == 0;
}

howdah_str howdah_trace_parent(const howdah_exchange *exchange) {
  const howdah_trace *trace = exchange->trace;
  return trace ? (howdah_str){(const char *)trace->header, sizeof trace->header} : (howdah_str){NULL, 0};
}

/* ---- Its waits ---- */

/* What is asked for again and again is one wait, which has become longer. */
static howdah_trace_wait *find_wait(const howdah_trace *trace, const howdah_wait *wait) {
  for (unsigned i = 0; i < trace->wait_count; i++)
    if (trace->waits[i]->wait.began_us == wait->began_us && trace->waits[i]->wait.kind == wait->kind) return trace->waits[i];
  return NULL;
}

/* Where there is no room the shortest goes. NULL: this is it, or memory is short. One that was left out and is asked for again
 * counts once. */
static howdah_trace_wait *take_wait(howdah_exchange *exchange, const howdah_wait *wait) {
  howdah_trace *trace = exchange->trace;
  if (trace->wait_count < HOWDAH_TRACE_WAITS) {
    howdah_trace_wait *added = ngx_palloc(exchange->r->pool, sizeof *added);
    if (added) trace->waits[trace->wait_count++] = added;
    return added;
  }
  if (trace->left_out_us != wait->began_us) trace->waits_left_out++;
  trace->left_out_us = wait->began_us;
  howdah_trace_wait *least = trace->waits[0];
  for (unsigned i = 1; i < trace->wait_count; i++)
    if (trace->waits[i]->wait.us < least->wait.us) least = trace->waits[i];
  return least->wait.us < wait->us ? least : NULL;
}

/* Cut where there is no room, at the beginning: the end of a path tells more. */
static void copy_end(char *to, size_t size, howdah_str text) {
  size_t len = ngx_min(text.len, size - 1);
  if (len) ngx_memcpy(to, text.data + (text.len - len), len);
  to[len] = '\0';
}

static void copy_place(void *data, const howdah_spot *spot) {
  howdah_trace_wait *to = data;
  to->line = spot->line;
  ngx_snprintf((u_char *)to->function, sizeof to->function - 1, "%*s%s%*s", spot->class.len, spot->class.data,
               spot->class.len ? "::" : "", spot->function.len, spot->function.data);
  copy_end(to->file, sizeof to->file, spot->file);
}

void howdah_op_waited(howdah_request *request, const howdah_wait *wait) {
  howdah_exchange *exchange = (howdah_exchange *)request;
  if (!exchange->trace || wait->us < HOWDAH_TRACE_WAIT_US) return;
  howdah_trace_wait *to = find_wait(exchange->trace, wait);
  if (to) {
    to->wait.us = wait->us;
    return;
  }
  to = take_wait(exchange, wait);
  if (!to) return;
  ngx_memzero(to, sizeof *to);
  to->wait = *wait;
  to->has_peer = howdah_request_peer(request, &to->peer);
  howdah_request_subject(request, to->subject, sizeof to->subject);
  if (!howdah_request_place(request, copy_place, to)) to->file[0] = '\0';
}

/* ---- Its end ---- */

typedef struct {
  const howdah_exchange *exchange;
  ngx_int_t status;
  uint64_t ended_us;
} ended_request;

static unsigned write_spans(howdah_json *json, void *data) {
  const ended_request *ended = data;
  return howdah_trace_write(json, ended->exchange, ended->status, ended->ended_us);
}

void howdah_trace_end(const howdah_exchange *exchange, ngx_int_t status) {
  const howdah_trace *trace = exchange->trace;
  if (!trace || !trace->is_sampled) return;
  ended_request ended = {exchange, status, exchange->finished_us};
  howdah_export(trace->conf->collector, write_spans, &ended);
}

/* ---- The configuration ---- */

static char *refuse_url(ngx_conf_t *cf, const ngx_str_t *url, const char *why) {
  ngx_conf_log_error(NGX_LOG_EMERG, cf, 0, "\"howdah_trace %V\": %s", url, why);
  return NGX_CONF_ERROR;
}

/* A collector without an address gets nothing, and the site is served all the same. */
static char *find_addresses(ngx_conf_t *cf, howdah_collector *collector, ngx_url_t *parsed) {
  parsed->no_resolve = 0;
  if (!parsed->naddrs && ngx_inet_resolve_host(cf->pool, parsed) != NGX_OK && !parsed->err) return NGX_CONF_ERROR;
  if (!parsed->naddrs)
    ngx_conf_log_error(NGX_LOG_WARN, cf, 0,
                       "howdah: the name of \"%V\" does not resolve (%s): no spans are exported. It is looked up when the "
                       "configuration is read: reload when it is known",
                       &collector->url, parsed->err);
  collector->addresses = parsed->addrs;
  collector->address_count = parsed->naddrs;
  return NGX_CONF_OK;
}

/* It stands in the first line of a request of HTTP. */
static bool is_path(const ngx_str_t *path) {
  for (size_t i = 0; i < path->len; i++)
    if (path->data[i] <= ' ' || path->data[i] >= 0x7f || path->data[i] == '#') return false;
  return !path->len || path->data[0] == '/';
}

static char *read_url(ngx_conf_t *cf, howdah_collector *collector) {
  static ngx_str_t usual_path = ngx_string("/v1/traces");
  ngx_url_t parsed = {.uri_part = 1, .no_resolve = 1};
  if (!howdah_begins(&collector->url, "http://", &parsed.url))
    return refuse_url(
        cf, &collector->url,
        "it takes \"off\", or the URL of a collector, as in http://127.0.0.1:4318. For https:// let a collector on "
        "this machine pass spans on");
  if (ngx_parse_url(cf->pool, &parsed) != NGX_OK)
    return refuse_url(cf, &collector->url, parsed.err ? parsed.err : "memory is short");
  if (parsed.family == AF_UNIX)
    return refuse_url(cf, &collector->url, "a collector has a host and a port, as in http://127.0.0.1:4318");
  if (parsed.no_port) return refuse_url(cf, &collector->url, "it names no port: that of OTLP over HTTP is 4318");
  if (!is_path(&parsed.uri))
    return refuse_url(cf, &collector->url,
                      "behind the port it takes a path, of what a request of HTTP can have, as in /v1/traces");
  collector->path = parsed.uri.len > 1 ? parsed.uri : usual_path;
  collector->host = (ngx_str_t){parsed.url.len - parsed.uri.len, parsed.url.data};
  return find_addresses(cf, collector, &parsed);
}

/* The one that another location has made, or a new one. NULL after a message. */
static howdah_collector *find_collector(ngx_conf_t *cf, const ngx_str_t *url, const ngx_str_t *service) {
  howdah_main_conf *main_conf = ngx_http_conf_get_module_main_conf(cf, ngx_http_howdah_module);
  if (!main_conf->collectors) main_conf->collectors = ngx_array_create(cf->pool, 1, sizeof(howdah_collector *));
  if (!main_conf->collectors) return NULL;
  howdah_collector **known = main_conf->collectors->elts;
  for (ngx_uint_t i = 0; i < main_conf->collectors->nelts; i++)
    if (howdah_same(&known[i]->url, url) && howdah_same(&known[i]->service, service)) return known[i];
  howdah_collector *made = ngx_pcalloc(cf->pool, sizeof *made);
  howdah_collector **place = made ? ngx_array_push(main_conf->collectors) : NULL;
  if (!place) return NULL;
  *place = made;
  made->url = *url;
  made->service = *service;
  return read_url(cf, made) == NGX_CONF_OK ? made : NULL;
}

static bool read_option(const ngx_str_t *word, howdah_trace_conf *trace, ngx_str_t *service) {
  enum { DECIMALS = 6, ALL = 1000000 };
  ngx_str_t value;
  if (howdah_begins(word, "sample=", &value)) {
    ngx_int_t sample = ngx_atofp(value.data, value.len, DECIMALS);
    trace->sample = (ngx_uint_t)sample;
    return sample >= 0 && sample <= ALL;
  }
  if (howdah_begins(word, "parent=", &value)) {
    trace->obeys = howdah_is(&value, "on");
    return trace->obeys || howdah_is(&value, "off");
  }
  if (!howdah_begins(word, "service=", &value)) return false;
  *service = value;
  return value.len > 0;
}

/* howdah_trace off | URL [sample=N] [service=NAME] [parent=on|off] */
char *howdah_set_trace(ngx_conf_t *cf, ngx_command_t *command, void *conf) {
  (void)command;
  howdah_loc_conf *location = conf;
  const ngx_str_t *words = cf->args->elts;
  ngx_str_t service = ngx_string("unknown_service:howdah");
  if (location->trace != NGX_CONF_UNSET_PTR) return "is duplicate";
  if (howdah_is(&words[1], "off") && cf->args->nelts == 2) {
    location->trace = NULL;
    return NGX_CONF_OK;
  }
  howdah_trace_conf *trace = ngx_pcalloc(cf->pool, sizeof *trace);
  if (!trace) return NGX_CONF_ERROR;
  *trace = (howdah_trace_conf){.sample = 1000000, .obeys = true};
  for (ngx_uint_t i = 2; i < cf->args->nelts; i++) {
    if (read_option(&words[i], trace, &service)) continue;
    ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                       "\"howdah_trace\" takes \"sample=\" with a number from 0 to 1 (0.1: each tenth trace) of six decimals "
                       "at most, \"service=NAME\" and "
                       "\"parent=on\" or \"parent=off\" behind the URL, not \"%V\"",
                       &words[i]);
    return NGX_CONF_ERROR;
  }
  trace->collector = find_collector(cf, &words[1], &service);
  if (!trace->collector) return NGX_CONF_ERROR;
  location->trace = trace;
  return NGX_CONF_OK;
}
