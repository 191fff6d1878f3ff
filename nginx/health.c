/* howdah_health: whether the server lives, has started, and is ready for requests, for those who send them (load balancers,
 * probes of Kubernetes). It is the server that is judged, by the figures of all workers, not the worker that answers. */
#include "checkup.h"
#include "page.h"

typedef enum { BY_PATH, LIVE, STARTED, READY } check;

struct howdah_health_conf {
  check check;
  ngx_uint_t queue;   /* so many requests that wait are too many; 0: as many as may wait */
  ngx_uint_t workers; /* so many have to be ready */
  ngx_str_t drain;    /* while this file is there the server is not ready; empty: none */
  ngx_str_t script;   /* a URI that answers 2xx if the application is ready, too; empty: none */
  ngx_msec_t timeout; /* within this time; 0: not said */
  howdah_checkup *checkup;
};

enum { SCRIPT_TIMEOUT_MS = 1000 };

/* ---- The checks ---- */

static uint64_t sum_of_pools(const howdah_report *report, size_t word) {
  uint64_t sum = 0;
  for (size_t i = 0; i < report->pool_count; i++)
    sum += report->pools[i].words[word];
  return sum;
}

static ngx_uint_t workers_that(const howdah_report *report, size_t word) {
  ngx_uint_t count = 0;
  for (size_t i = 0; i < report->worker_count; i++)
    if (report->workers[i].words[word]) count++;
  return count;
}

static ngx_uint_t ready_workers(const howdah_report *report) {
  ngx_uint_t count = 0;
  for (size_t i = 0; i < report->worker_count; i++) {
    const uint64_t *words = report->workers[i].words;
    if (words[HOWDAH_WORD_OF(howdah_worker_figures, ready)] && !words[HOWDAH_WORD_OF(howdah_worker_figures, leaving)]) count++;
  }
  return count;
}

/* Writes why it is not. */
static bool is_ready(const struct howdah_health_conf *conf, const howdah_report *report, howdah_page *page) {
  uint64_t waiting = sum_of_pools(report, HOWDAH_WORD_OF(howdah_pool_figures, queue_length));
  uint64_t most = conf->queue ? conf->queue : sum_of_pools(report, HOWDAH_WORD_OF(howdah_pool_figures, queue_capacity));
  ngx_uint_t ready = ready_workers(report);
  if (conf->drain.len && access((char *)conf->drain.data, F_OK) == 0) {
    howdah_page_add(page, "not ready: \"%V\" is there\n", &conf->drain);
  } else if (ready < conf->workers) {
    bool fails = workers_that(report, HOWDAH_WORD_OF(howdah_worker_figures, failing)) > 0;
    ngx_uint_t leaving = workers_that(report, HOWDAH_WORD_OF(howdah_worker_figures, leaving));
    howdah_page_add(page, "not ready: %ui of %ui workers have booted and take requests", ready, conf->workers);
    if (leaving) howdah_page_add(page, ", %ui leave", leaving);
    howdah_page_add(page, fails ? ", a worker script does not boot: see the error log\n" : "\n");
  } else if (most && waiting >= most) {
    howdah_page_add(page, "not ready: %uL requests wait for a realm, %uL are too many\n", waiting, most);
  } else {
    return true;
  }
  return false;
}

static check choose(const ngx_http_request_t *r, const struct howdah_health_conf *conf) {
  if (conf->check != BY_PATH) return conf->check;
  if (howdah_path_ends(r, "live") || howdah_path_ends(r, "livez")) return LIVE;
  if (howdah_path_ends(r, "started") || howdah_path_ends(r, "startupz")) return STARTED;
  return READY;
}

static ngx_int_t serve(ngx_http_request_t *r) {
  const howdah_loc_conf *location = ngx_http_get_module_loc_conf(r, ngx_http_howdah_module);
  const struct howdah_health_conf *conf = location->health;
  howdah_report report;
  howdah_page page;
  bool good = true;
  if (!(r->method & (NGX_HTTP_GET | NGX_HTTP_HEAD))) return NGX_HTTP_NOT_ALLOWED;
  ngx_int_t rc = ngx_http_discard_request_body(r);
  if (rc != NGX_OK) return rc;
  howdah_page_begin(&page, r);
  check what = choose(r, conf);
  if (what == LIVE) {
    howdah_page_add(&page, "live\n");
  } else if (howdah_report_make(r->pool, &report) != NGX_OK) {
    return NGX_HTTP_INTERNAL_SERVER_ERROR;
  } else if (what == STARTED) {
    good = report.has_been_ready;
    howdah_page_add(&page, good ? "started\n" : "not started: no worker has booted yet\n");
  } else {
    good = is_ready(conf, &report, &page);
    if (good && conf->checkup) return howdah_checkup_serve(conf->checkup, r);
    if (good) howdah_page_add(&page, "ready\n");
  }
  return howdah_page_send(&page, good ? NGX_HTTP_OK : NGX_HTTP_SERVICE_UNAVAILABLE, "text/plain");
}

/* ---- The configuration ---- */

static bool set_count(const ngx_str_t *text, ngx_uint_t *field) {
  ngx_int_t value = ngx_atoi(text->data, text->len);
  if (value == NGX_ERROR || value < 1) return false;
  *field = (ngx_uint_t)value;
  return true;
}

static bool set_script(const ngx_str_t *uri, ngx_str_t *field) {
  *field = *uri;
  return uri->data[0] == '/';
}

static bool set_time(ngx_str_t *text, ngx_msec_t *field) {
  ngx_int_t value = ngx_parse_time(text, 0);
  if (value == NGX_ERROR || value < 1) return false;
  *field = (ngx_msec_t)value;
  return true;
}

static bool set_word(ngx_conf_t *cf, struct howdah_health_conf *conf, const ngx_str_t *word) {
  static const struct {
    ngx_str_t name;
    check check;
  } checks[] = {{ngx_string("live"), LIVE}, {ngx_string("started"), STARTED}, {ngx_string("ready"), READY}};
  ngx_str_t rest;
  for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
    if (word->len != checks[i].name.len || ngx_strncmp(word->data, checks[i].name.data, word->len) != 0) continue;
    conf->check = checks[i].check;
    return true;
  }
  if (howdah_begins(word, "queue=", &rest)) return set_count(&rest, &conf->queue);
  if (howdah_begins(word, "workers=", &rest)) return set_count(&rest, &conf->workers);
  if (howdah_begins(word, "script=", &rest)) return set_script(&rest, &conf->script);
  if (howdah_begins(word, "timeout=", &rest)) return set_time(&rest, &conf->timeout);
  if (!howdah_begins(word, "drain=", &rest)) return false;
  conf->drain = rest;
  return ngx_conf_full_name(cf->cycle, &conf->drain, 0) == NGX_OK;
}

/* What lives is not killed for what the script says. */
static char *set_checkup(ngx_conf_t *cf, struct howdah_health_conf *conf) {
  if (!conf->script.len && !conf->timeout) return NGX_CONF_OK;
  if (!conf->script.len) return "has a \"timeout=\", which is a script's, but no \"script=URI\"";
  if (conf->check == LIVE || conf->check == STARTED) return "asks a script only whether the server is ready: say \"ready\"";
  conf->checkup = howdah_checkup_make(cf, &conf->script, conf->timeout ? conf->timeout : SCRIPT_TIMEOUT_MS);
  return conf->checkup ? NGX_CONF_OK : NGX_CONF_ERROR;
}

char *howdah_set_health(ngx_conf_t *cf, ngx_command_t *command, void *conf) {
  (void)command;
  howdah_loc_conf *location = conf;
  howdah_main_conf *main_conf = ngx_http_conf_get_module_main_conf(cf, ngx_http_howdah_module);
  ngx_http_core_loc_conf_t *core = ngx_http_conf_get_module_loc_conf(cf, ngx_http_core_module);
  const ngx_str_t *words = cf->args->elts;
  if (location->health) return "is duplicate";
  if (core->handler) return "cannot stand beside what answers in this location already: give it a location of its own";
  location->health = ngx_pcalloc(cf->pool, sizeof *location->health);
  if (!location->health) return NGX_CONF_ERROR;
  location->health->workers = 1;
  for (ngx_uint_t i = 1; i < cf->args->nelts; i++) {
    if (set_word(cf, location->health, &words[i])) continue;
    ngx_conf_log_error(
        NGX_LOG_EMERG, cf, 0,
        "\"howdah_health\" takes \"live\", \"started\" or \"ready\", and \"queue=N\", \"workers=N\" (1 or more), "
        "\"drain=FILE\", \"script=/URI\" and \"timeout=TIME\", not \"%V\"",
        &words[i]);
    return NGX_CONF_ERROR;
  }
  main_conf->measures = true;
  core->handler = serve;
  return set_checkup(cf, location->health);
}

/* As howdah_merge_status(). */
void howdah_merge_health(ngx_conf_t *cf, const howdah_loc_conf *above, howdah_loc_conf *conf) {
  ngx_http_core_loc_conf_t *core = ngx_http_conf_get_module_loc_conf(cf, ngx_http_core_module);
  if (conf->health || !core->noname || !above->health || core->handler) return;
  conf->health = above->health;
  core->handler = serve;
}
