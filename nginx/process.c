/* The life of nginx's processes: PHP starts once in the master, each worker gets a loop and its pools, and leaves in order.
 *
 * A worker that is asked to leave (QUIT, or a reload) goes as soon as nginx has no timer left that is not cancelable. A request
 * that PHP serves has none, so the timer `hold` stands in for all of them. Leaving: realms that boot for nobody end at once;
 * requests that run, and those that arrive on connections still open, are served; when none is left and nginx itself would go,
 * the pools drain; then the hold is let go. Where worker_shutdown_timeout has passed, or the stop is not graceful (TERM),
 * requests are cancelled and have a second to end. */
#include "module.h"
#include "loop.h"

#include <signal.h>
#include <stdlib.h>

enum { DEFAULT_SLICE_MS = 10, HOLD_MS = 1000, LEAVING_CHECK_MS = 20, LAST_CHANCE_MS = 1000 };

/* The master's, inherited by workers and kept over reloads: PHP starts once in a process. */
static struct {
  bool tried, running;
  char *ini;
  ngx_uint_t chaos_seed;
  ngx_msec_t slice;
  char *audit;   /* the report's file; NULL: no audit */
  char *php_ini; /* a folder; NULL: the embed SAPI's */
  char *shared_extensions;
} php;

/* A worker's. */
static struct {
  howdah_loop *loop;
  howdah_main_conf *conf;
  ngx_event_t hold;
  ngx_uint_t active; /* requests that PHP has */
  ngx_uint_t draining_pools;
  bool leaving, draining, drained;
  uint64_t cancelled_us; /* when requests were told to end; 0: they were not */
} worker;

/* ---- PHP in the master ---- */

/* One a line; the caller frees them. */
static char *join(const ngx_array_t *lines) {
  const ngx_str_t *entries = lines->elts;
  size_t bytes = 1;
  for (ngx_uint_t i = 0; i < lines->nelts; i++)
    bytes += entries[i].len + 1;
  char *joined = malloc(bytes), *at = joined;
  if (!joined) return NULL;
  for (ngx_uint_t i = 0; i < lines->nelts; i++) {
    at = (char *)ngx_cpymem(at, entries[i].data, entries[i].len);
    *at++ = '\n';
  }
  *at = 0;
  return joined;
}

static ngx_uint_t chaos_seed(const howdah_main_conf *conf) {
  return conf->chaos_seed == NGX_CONF_UNSET_UINT ? 0 : conf->chaos_seed;
}

static ngx_msec_t slice(const howdah_main_conf *conf) {
  return conf->slice == NGX_CONF_UNSET_MSEC ? DEFAULT_SLICE_MS : conf->slice;
}

/* Workers write the report, and may be another user's: the file is theirs, and where they may not make files beside it, they
 * write into it. */
static void give_report_to_workers(ngx_cycle_t *cycle) {
  const ngx_core_conf_t *core = (const ngx_core_conf_t *)ngx_get_conf(cycle->conf_ctx, ngx_core_module);
  if (!php.audit || geteuid() != 0 || core->user == (ngx_uid_t)NGX_CONF_UNSET_UINT) return;
  if (chown(php.audit, core->user, (gid_t)-1) < 0)
    ngx_log_error(NGX_LOG_WARN, cycle->log, ngx_errno,
                  "howdah: chown() \"%s\" failed: workers may be unable to write the audit's report", php.audit);
}

/* Requests that a worker may have in flight, as far as that matters: one, or more. */
static unsigned at_once(const howdah_main_conf *conf) {
  howdah_slot *const *slots = conf->slots.elts;
  unsigned most = 0;
  for (ngx_uint_t i = 0; i < conf->slots.nelts; i++)
    if (slots[i]->options.realms_max > most) most = slots[i]->options.realms_max;
  return most;
}

static ngx_int_t start_php(ngx_cycle_t *cycle, howdah_main_conf *conf) {
  char error[NGX_MAX_ERROR_STR] = "";
  php.ini = join(&conf->ini);
  php.chaos_seed = chaos_seed(conf);
  php.slice = slice(conf);
  php.shared_extensions = join(&conf->shared_extensions);
  if (!php.ini || !php.shared_extensions) return NGX_ERROR;
  if (conf->audit.len && !(php.audit = strndup((const char *)conf->audit.data, conf->audit.len))) return NGX_ERROR;
  if (conf->php_ini.len && !(php.php_ini = strndup((const char *)conf->php_ini.data, conf->php_ini.len))) return NGX_ERROR;
  howdah_engine_options options = {.php_ini = php.php_ini,
                                   .ini_entries = php.ini,
                                   .log = howdah_log_to_nginx,
                                   .write_line = howdah_line_to_nginx,
                                   .slice_ms = php.slice,
                                   .chaos_seed = php.chaos_seed,
                                   .audit_report = php.audit,
                                   .at_once = at_once(conf),
                                   .shared_extensions = php.shared_extensions};
  if (howdah_engine_start(&options, error, sizeof error) < 0) {
    ngx_log_error(NGX_LOG_EMERG, cycle->log, 0, "%s", error);
    return NGX_ERROR;
  }
  php.running = true;
  give_report_to_workers(cycle);
  return NGX_OK;
}

static bool same_path(const ngx_str_t *now, const char *before) {
  size_t len = before ? strlen(before) : 0;
  return now->len == len && (len == 0 || ngx_memcmp(now->data, before, len) == 0);
}

static bool same_lines(const ngx_array_t *lines, const char *before) {
  char *now = join(lines);
  bool same = now && before && ngx_strcmp(now, before) == 0;
  free(now);
  return same;
}

static void compare_settings(ngx_cycle_t *cycle, const howdah_main_conf *conf) {
  if (same_lines(&conf->ini, php.ini) && same_lines(&conf->shared_extensions, php.shared_extensions) &&
      chaos_seed(conf) == php.chaos_seed && slice(conf) == php.slice && same_path(&conf->audit, php.audit) &&
      same_path(&conf->php_ini, php.php_ini))
    return;
  ngx_log_error(NGX_LOG_WARN, cycle->log, 0,
                "howdah: howdah_ini, howdah_php_ini, howdah_shared_extension, howdah_slice, howdah_chaos or howdah_audit has "
                "changed, and PHP reads "
                "its settings only once: the old ones stay until nginx is stopped and started");
}

howdah_pool_readiness howdah_readiness(const howdah_main_conf *conf) {
  howdah_slot *const *slots = conf->slots.elts;
  howdah_pool_readiness least = HOWDAH_POOL_READY;
  for (ngx_uint_t i = 0; i < conf->slots.nelts; i++) {
    howdah_pool_readiness readiness = slots[i]->pool            ? howdah_pool_get_readiness(slots[i]->pool)
                                      : howdah_relapse_fails(i) ? HOWDAH_POOL_FAILING
                                                                : HOWDAH_POOL_BOOTING;
    if (readiness < least) least = readiness;
  }
  return least;
}

bool howdah_is_leaving(void) {
  return worker.leaving || howdah_succession_leaves();
}

/* Only where PHP runs already is it a reload: at a start nothing is there that could be kept. */
ngx_int_t howdah_check_reload(ngx_conf_t *cf) {
  howdah_succession_filter();
  return php.running ? howdah_try_scripts(cf) : NGX_OK;
}

/* Runs again at each reload, and then must not fail: nginx's master would exit. */
ngx_int_t howdah_init_module(ngx_cycle_t *cycle) {
  howdah_main_conf *conf = ngx_http_cycle_get_module_main_conf(cycle, ngx_http_howdah_module);
  bool reload = php.tried || ngx_process == NGX_PROCESS_MASTER;
  if (!conf || conf->slots.nelts == 0) return NGX_OK;
  if (conf->measures) howdah_figures_begin(cycle, conf);
  howdah_top_begin(cycle);
  conf->board = howdah_board_new(cycle);
  conf->relapses = howdah_relapses_new(cycle, conf);
  howdah_succession_begin(cycle);
  if (php.running) {
    compare_settings(cycle, conf);
    howdah_engine_renew_code();
    return NGX_OK;
  }
  php.tried = true;
  ngx_int_t rc = start_php(cycle, conf);
  return reload ? NGX_OK : rc;
}

void howdah_exit_master(ngx_cycle_t *cycle) {
  (void)cycle;
  if (!php.running) return;
  php.running = false;
  howdah_engine_stop();
  free(php.ini);
  free(php.audit);
  free(php.php_ini);
  free(php.shared_extensions);
  php.ini = php.audit = php.php_ini = php.shared_extensions = NULL;
}

/* ---- Leaving ---- */

static void hold_for(ngx_msec_t ms) {
  if (worker.hold.timer_set) ngx_del_timer(&worker.hold);
  ngx_add_timer(&worker.hold, ms);
}

static void pool_drained(void *data) {
  (void)data;
  if (--worker.draining_pools > 0) return;
  worker.drained = true;
  if (worker.hold.timer_set) ngx_del_timer(&worker.hold);
}

static void drain(void) {
  howdah_slot **slots = worker.conf->slots.elts;
  worker.draining = true;
  worker.draining_pools = 1;
  for (ngx_uint_t i = 0; i < worker.conf->slots.nelts; i++) {
    if (!slots[i]->pool) continue;
    worker.draining_pools++;
    howdah_pool_drain(slots[i]->pool, pool_drained, NULL);
  }
  pool_drained(NULL);
}

static void cancel_requests(void) {
  howdah_slot **slots = worker.conf->slots.elts;
  worker.cancelled_us = howdah_loop_now_us();
  for (ngx_uint_t i = 0; i < worker.conf->slots.nelts; i++)
    if (slots[i]->pool) howdah_pool_cancel(slots[i]->pool);
}

static void on_hold(ngx_event_t *event) {
  (void)event;
  if (worker.cancelled_us && howdah_loop_now_us() > worker.cancelled_us + LAST_CHANCE_MS * 1000) return;
  if (!worker.leaving) {
    if (worker.active) hold_for(HOLD_MS);
    return;
  }
  /* Our own timer is not set while it fires, so what is left are nginx's: connections on which a request may still arrive. */
  if (!worker.draining && worker.active == 0 && ngx_event_no_timers_left() == NGX_OK) drain();
  if (!worker.drained) hold_for(LEAVING_CHECK_MS);
}

static void close_pools(void) {
  howdah_slot **slots = worker.conf->slots.elts;
  for (ngx_uint_t i = 0; i < worker.conf->slots.nelts; i++)
    if (slots[i]->pool) howdah_pool_close(slots[i]->pool);
}

/* nginx comes to our connection before those of clients, which were made later. */
static void on_closing(bool now) {
  worker.leaving = true;
  howdah_succession_stop();
  howdah_trace_leave();
  howdah_figures_tell();
  howdah_balance_stop();
  close_pools();
  if (now && !worker.cancelled_us) {
    ngx_log_error(NGX_LOG_WARN, ngx_cycle->log, 0, "howdah: worker_shutdown_timeout has passed: %ui requests are ended",
                  worker.active);
    cancel_requests();
  }
  hold_for(1);
  if (!now) howdah_succession_hear();
}

static const howdah_nginx_loop_listener listener = {
    .closing = on_closing, .begins = howdah_departures_open, .called = howdah_departures_look, .ends = howdah_departures_close};

void howdah_request_begins(howdah_slot *slot) {
  worker.active++;
  howdah_balance_begins(slot);
  if (!worker.hold.timer_set && !worker.cancelled_us) ngx_add_timer(&worker.hold, HOLD_MS);
}

void howdah_request_ends(howdah_slot *slot) {
  worker.active--;
  howdah_balance_ends(slot);
}

/* ---- A worker's start and end ---- */

/* nginx reaps whatever child has ended (ngx_signal_handler() calls ngx_process_get_status(), os/unix/ngx_process.c, 1.22), and
 * proc_close() and pclose() then find nobody to ask for the exit status. A worker has no children but PHP's. */
static void leave_children_to_php(void) {
  signal(SIGCHLD, SIG_DFL);
}

/* Whether the configuration uses the variable: in a log's format, a header, a condition... */
static bool uses_variable(ngx_cycle_t *cycle, const char *name) {
  const ngx_http_core_main_conf_t *core = ngx_http_cycle_get_module_main_conf(cycle, ngx_http_core_module);
  const ngx_http_variable_t *variables = core->variables.elts;
  for (ngx_uint_t i = 0; i < core->variables.nelts; i++)
    if (variables[i].name.len == ngx_strlen(name) && ngx_strncmp(variables[i].name.data, name, variables[i].name.len) == 0)
      return true;
  return false;
}

ngx_int_t howdah_init_process(ngx_cycle_t *cycle) {
  static ngx_connection_t nobody = {.fd = (ngx_socket_t)-1}; /* nginx logs the descriptor of a timer's connection */
  char error[1024] = "";
  howdah_main_conf *conf = ngx_http_cycle_get_module_main_conf(cycle, ngx_http_howdah_module);
  howdah_top_hide();
  /* Cache managers and loaders come here too. */
  if (!php.running || !conf || (ngx_process != NGX_PROCESS_WORKER && ngx_process != NGX_PROCESS_SINGLE)) return NGX_OK;

  leave_children_to_php();
  /* nginx's word to the next binary (QUIC), for which it asks the master's environment: none of a script's. */
  if (unsetenv("NGINX_BPF_MAPS") < 0) return NGX_ERROR;
  worker.conf = conf;
  worker.hold.handler = on_hold;
  worker.hold.data = &nobody;
  worker.hold.log = cycle->log;
  worker.loop = howdah_nginx_loop_new(cycle, &listener);
  if (!worker.loop) return NGX_ERROR;
  howdah_closing_start();
  if (howdah_engine_attach(worker.loop, error, sizeof error) < 0) {
    ngx_log_error(NGX_LOG_EMERG, cycle->log, 0, "%s", error);
    return NGX_ERROR;
  }
  if (howdah_engine_reserve_descriptors((unsigned)cycle->connection_n, error, sizeof error) < 0) {
    ngx_log_error(NGX_LOG_WARN, cycle->log, 0, "%s", error);
  }
  if (uses_variable(cycle, HOWDAH_CPU_VARIABLE)) conf->measures_cpu = true;
  howdah_engine_measure_cpu(conf->measures_cpu);
  if (conf->worker_memory != NGX_CONF_UNSET) howdah_pools_limit_memory((uint64_t)conf->worker_memory);
  if (howdah_relapse_make_pools(cycle, conf) != NGX_OK || howdah_figures_start(cycle, conf) != NGX_OK) return NGX_ERROR;
  howdah_top_start(cycle, conf);
  if (howdah_trace_start(cycle, conf) != NGX_OK) return NGX_ERROR;
  return howdah_succession_start(cycle, conf);
}

/* A stop that is not graceful, or nginx without a master: requests are cancelled, and realms may still end in order, for a
 * moment. */
static void drain_quickly(void) {
  uint64_t limit_us = howdah_loop_now_us() + LAST_CHANCE_MS * 1000;
  if (!worker.cancelled_us) cancel_requests(); /* where there is none, what realms do without one */
  if (!worker.draining) drain();
  while (!worker.drained && howdah_loop_now_us() < limit_us)
    if (howdah_nginx_loop_turn(worker.loop) < 0) return;
}

void howdah_exit_process(ngx_cycle_t *cycle) {
  if (!worker.loop) return;
  howdah_relapse_stop();
  howdah_balance_stop();
  if (!worker.drained) drain_quickly();
  howdah_trace_stop();
  howdah_figures_stop();
  howdah_top_stop();
  if (!worker.drained) {
    /* Realms that run cannot be ended; the kernel takes their memory, as it would php-fpm's. */
    ngx_log_error(NGX_LOG_NOTICE, cycle->log, 0, "howdah: %ui requests were running when the worker had to stop",
                  worker.active);
    howdah_engine_save_audit();
    howdah_nginx_loop_forget(worker.loop);
    return;
  }
  howdah_slot **slots = worker.conf->slots.elts;
  for (ngx_uint_t i = 0; i < worker.conf->slots.nelts; i++) {
    if (slots[i]->pool) howdah_pool_free(slots[i]->pool);
    slots[i]->pool = NULL;
  }
  howdah_exit_master(cycle);
  howdah_nginx_loop_free(worker.loop);
  worker.loop = NULL;
}
