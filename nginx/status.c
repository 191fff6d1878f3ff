/* howdah_status: the figures of all workers, answered by nginx's side of the worker that is asked, without a realm. */
#include "page.h"

typedef enum { BY_DEFAULT, PROMETHEUS, JSON, FPM } format;

struct howdah_status_conf {
  format format; /* where the request does not choose */
  bool cpu;
  bool open; /* nothing restricts who may ask */
};

/* ---- Which format ---- */

static const ngx_str_t *find_header(const ngx_http_request_t *r, const char *name) {
  size_t len = ngx_strlen(name);
  for (const ngx_list_part_t *part = &r->headers_in.headers.part; part; part = part->next) {
    const ngx_table_elt_t *headers = part->elts;
    for (ngx_uint_t i = 0; i < part->nelts; i++)
      if (headers[i].key.len == len && ngx_strncasecmp(headers[i].key.data, (u_char *)name, len) == 0) return &headers[i].value;
  }
  return NULL;
}

static bool names(const ngx_str_t *accept, const char *type) {
  return accept && ngx_strlcasestrn(accept->data, accept->data + accept->len, (u_char *)type, ngx_strlen(type) - 1);
}

static format choose(const ngx_http_request_t *r, const struct howdah_status_conf *conf) {
  const ngx_str_t *accept = find_header(r, "Accept");
  if (howdah_path_ends(r, "metrics") || howdah_path_ends(r, "prom")) return PROMETHEUS;
  if (howdah_path_ends(r, "json")) return JSON;
  if (howdah_fpm_is_asked(r)) return FPM;
  /* As Prometheus asks. */
  if (names(accept, "application/openmetrics-text") || names(accept, "version=0.0.4")) return PROMETHEUS;
  if (names(accept, "application/json")) return JSON;
  return conf->format == BY_DEFAULT ? PROMETHEUS : conf->format;
}

static ngx_int_t serve(ngx_http_request_t *r) {
  const howdah_loc_conf *location = ngx_http_get_module_loc_conf(r, ngx_http_howdah_module);
  const struct howdah_status_conf *conf = location->status;
  howdah_status_page status = {.open = conf->open};
  howdah_page page;
  if (!(r->method & (NGX_HTTP_GET | NGX_HTTP_HEAD))) return NGX_HTTP_NOT_ALLOWED;
  ngx_int_t rc = ngx_http_discard_request_body(r);
  if (rc != NGX_OK) return rc;
  if (howdah_report_make(r->pool, &status.report) != NGX_OK) return NGX_HTTP_INTERNAL_SERVER_ERROR;
  howdah_page_begin(&page, r);
  const char *type = "text/plain; version=0.0.4; charset=utf-8";
  switch (choose(r, conf)) {
  case JSON:
    howdah_print_json(&page, &status);
    type = "application/json";
    break;
  case FPM:
    type = howdah_print_fpm(&page, &status);
    break;
  default:
    howdah_print_prometheus(&page, &status);
  }
  return howdah_page_send(&page, NGX_HTTP_OK, type);
}

/* ---- Who may ask ---- */

static bool is_of_this_machine(const struct sockaddr *address) {
  if (address->sa_family == AF_UNIX) return true;
  if (address->sa_family == AF_INET) return (ntohl(((const struct sockaddr_in *)address)->sin_addr.s_addr) >> 24) == 127;
#if (NGX_HAVE_INET6)
  if (address->sa_family == AF_INET6) return IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)address)->sin6_addr);
#endif
  return false;
}

/* Only subrequests and redirects of nginx's own get there; the locations within inherit it. */
static bool is_nginx_own(const ngx_http_core_loc_conf_t *core) {
  return core->internal || core->named;
}

/* On an address that other machines can reach. */
static bool is_heard_outside(ngx_conf_t *cf) {
  const ngx_http_core_main_conf_t *main_conf = ngx_http_conf_get_module_main_conf(cf, ngx_http_core_module);
  const ngx_http_core_srv_conf_t *server = ngx_http_conf_get_module_srv_conf(cf, ngx_http_core_module);
  const ngx_http_conf_port_t *ports = main_conf->ports ? main_conf->ports->elts : NULL;
  for (ngx_uint_t p = 0; ports && p < main_conf->ports->nelts; p++) {
    const ngx_http_conf_addr_t *addresses = ports[p].addrs.elts;
    for (ngx_uint_t a = 0; a < ports[p].addrs.nelts; a++) {
      ngx_http_core_srv_conf_t *const *servers = addresses[a].servers.elts;
      for (ngx_uint_t s = 0; s < addresses[a].servers.nelts; s++)
        if (servers[s] == server && !is_of_this_machine(addresses[a].opt.sockaddr)) return true;
    }
  }
  return false;
}

bool howdah_is_open(ngx_conf_t *cf) {
  const ngx_http_core_loc_conf_t *core = ngx_http_conf_get_module_loc_conf(cf, ngx_http_core_module);
  return !is_nginx_own(core) && !howdah_is_restricted(cf) && is_heard_outside(cf);
}

/* ---- The configuration ---- */

char *howdah_set_status(ngx_conf_t *cf, ngx_command_t *command, void *conf) {
  (void)command;
  howdah_loc_conf *location = conf;
  howdah_main_conf *main_conf = ngx_http_conf_get_module_main_conf(cf, ngx_http_howdah_module);
  ngx_http_core_loc_conf_t *core = ngx_http_conf_get_module_loc_conf(cf, ngx_http_core_module);
  const ngx_str_t *words = cf->args->elts;
  if (location->status) return "is duplicate";
  if (core->handler) return "cannot stand beside what answers in this location already: give it a location of its own";
  location->status = ngx_pcalloc(cf->pool, sizeof *location->status);
  if (!location->status) return NGX_CONF_ERROR;
  for (ngx_uint_t i = 1; i < cf->args->nelts; i++) {
    if (howdah_is(&words[i], "prometheus")) {
      location->status->format = PROMETHEUS;
    } else if (howdah_is(&words[i], "json")) {
      location->status->format = JSON;
    } else if (howdah_is(&words[i], "fpm")) {
      location->status->format = FPM;
    } else if (howdah_is(&words[i], "cpu")) {
      main_conf->measures_cpu = true;
    } else {
      ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                         "\"howdah_status\" takes a format, \"prometheus\", \"json\" or \"fpm\", and \"cpu\", not \"%V\"",
                         &words[i]);
      return NGX_CONF_ERROR;
    }
  }
  main_conf->measures = main_conf->lists_realms = true;
  core->handler = serve;
  return NGX_CONF_OK;
}

/* After nginx's own modules have merged theirs: those come before. */
char *howdah_merge_status(ngx_conf_t *cf, const howdah_loc_conf *above, howdah_loc_conf *conf) {
  ngx_http_core_loc_conf_t *core = ngx_http_conf_get_module_loc_conf(cf, ngx_http_core_module);
  if (!conf->status && core->noname && above->status && !core->handler) { /* limit_except */
    conf->status = above->status;
    core->handler = serve;
    return NGX_CONF_OK;
  }
  if (!conf->status) return NGX_CONF_OK;
  conf->status->open = howdah_is_open(cf);
  if (conf->status->open)
    ngx_conf_log_error(NGX_LOG_WARN, cf, 0,
                       "\"howdah_status\" in location \"%V\" is open to everybody who can reach it: put allow and deny, "
                       "auth_basic or auth_request into it",
                       &core->name);
  return NGX_CONF_OK;
}
