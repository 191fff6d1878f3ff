/* The module: its directives, its variables, its place in nginx. */
#include "module.h"

static const ngx_conf_num_bounds_t concurrency_bounds = {NULL, 1, 10000};
static const ngx_conf_num_bounds_t warm_bounds = {NULL, 0, 10000};
static const ngx_conf_num_bounds_t queue_bounds = {NULL, 0, 1000000};
static const ngx_conf_num_bounds_t max_requests_bounds = {NULL, 0, 1000000000};
static const ngx_conf_enum_t client_aborts[] = {
    {ngx_string("cancel"), HOWDAH_CANCEL}, {ngx_string("continue"), HOWDAH_CONTINUE}, {ngx_null_string, 0}};
static const ngx_conf_num_bounds_t chaos_bounds = {NULL, 0, 2147483647};

enum { ANYWHERE = NGX_HTTP_MAIN_CONF | NGX_HTTP_SRV_CONF | NGX_HTTP_LOC_CONF };

#define MAIN(field)     NGX_HTTP_MAIN_CONF_OFFSET, offsetof(howdah_main_conf, field)
#define LOCATION(field) NGX_HTTP_LOC_CONF_OFFSET, offsetof(howdah_loc_conf, field)

static ngx_command_t directives[] = {
    /* howdah_ini "key=value": overrides php.ini, as php -d does; read when nginx's master starts. */
    {ngx_string("howdah_ini"), NGX_HTTP_MAIN_CONF | NGX_CONF_TAKE1, howdah_set_ini, MAIN(ini), NULL},
    /* howdah_php_ini FOLDER: its php.ini and conf.d in the place of the embed SAPI's. */
    {ngx_string("howdah_php_ini"), NGX_HTTP_MAIN_CONF | NGX_CONF_TAKE1, howdah_set_file, MAIN(php_ini), NULL},
    /* howdah_slice TIME: a realm that computes for so long lets others run; 0 for never. */
    {ngx_string("howdah_slice"), NGX_HTTP_MAIN_CONF | NGX_CONF_TAKE1, ngx_conf_set_msec_slot, MAIN(slice), NULL},
    /* howdah_chaos SEED: test mode, realms yield where they need not. */
    {ngx_string("howdah_chaos"), NGX_HTTP_MAIN_CONF | NGX_CONF_TAKE1, howdah_set_number, MAIN(chaos_seed),
     (void *)&chaos_bounds},
    /* howdah_audit FILE: test mode, tells which memory requests changed that no state block holds. */
    {ngx_string("howdah_audit"), NGX_HTTP_MAIN_CONF | NGX_CONF_TAKE1, howdah_set_file, MAIN(audit), NULL},
    /* howdah_worker_memory SIZE: above it realms end as soon as they are idle, and none is born; 0: no ceiling. */
    {ngx_string("howdah_worker_memory"), NGX_HTTP_MAIN_CONF | NGX_CONF_TAKE1, ngx_conf_set_off_slot, MAIN(worker_memory), NULL},
    /* howdah_shared_extension NAME: a PHP extension that Howdah does not know may be shared by all requests. */
    {ngx_string("howdah_shared_extension"), NGX_HTTP_MAIN_CONF | NGX_CONF_TAKE1, howdah_set_shared_extension,
     MAIN(shared_extensions), NULL},
    /* howdah_pass classic SCRIPT | worker SCRIPT */
    {ngx_string("howdah_pass"), NGX_HTTP_LOC_CONF | NGX_HTTP_LIF_CONF | NGX_CONF_TAKE2, howdah_set_pass, LOCATION(mode), NULL},
    /* howdah_pool NAME: locations that name it share its realms and its queue. */
    {ngx_string("howdah_pool"), ANYWHERE | NGX_CONF_TAKE1, howdah_set_pool, NGX_HTTP_LOC_CONF_OFFSET, 0, NULL},
    /* howdah_concurrency N [adaptive[=MIN]]: realms per worker process; how many of them serve at once may be found out. */
    {ngx_string("howdah_concurrency"), ANYWHERE | NGX_CONF_TAKE12, howdah_set_concurrency, LOCATION(concurrency),
     (void *)&concurrency_bounds},
    /* howdah_warm N: realms born when a worker process starts. */
    {ngx_string("howdah_warm"), ANYWHERE | NGX_CONF_TAKE1, howdah_set_number, LOCATION(warm), (void *)&warm_bounds},
    /* howdah_queue N: requests that may wait for a realm. */
    {ngx_string("howdah_queue"), ANYWHERE | NGX_CONF_TAKE1, howdah_set_number, LOCATION(queue), (void *)&queue_bounds},
    /* howdah_queue_timeout TIME: how long they may; 0: as long as it takes. */
    {ngx_string("howdah_queue_timeout"), ANYWHERE | NGX_CONF_TAKE1, ngx_conf_set_msec_slot, LOCATION(queue_timeout), NULL},
    /* howdah_max_requests N: a realm is replaced after so many; 0: never. */
    {ngx_string("howdah_max_requests"), ANYWHERE | NGX_CONF_TAKE1, howdah_set_number, LOCATION(max_requests),
     (void *)&max_requests_bounds},
    /* howdah_realm_memory SIZE: a realm whose heap is larger when it has served is replaced; 0: none is. */
    {ngx_string("howdah_realm_memory"), ANYWHERE | NGX_CONF_TAKE1, ngx_conf_set_off_slot, LOCATION(realm_memory), NULL},
    /* howdah_rewind on | off: worker mode: each request finds the application as it had booted. */
    {ngx_string("howdah_rewind"), ANYWHERE | NGX_CONF_FLAG, ngx_conf_set_flag_slot, LOCATION(rewind), NULL},
    /* howdah_max_form SIZE: a POST of a form that is larger is answered 413 before it is read; 0: no limit. */
    {ngx_string("howdah_max_form"), ANYWHERE | NGX_CONF_TAKE1, ngx_conf_set_off_slot, LOCATION(max_form), NULL},
    /* howdah_idle_timeout TIME: realms that are idle for so long end, but for the warm ones; 0: none does. */
    {ngx_string("howdah_idle_timeout"), ANYWHERE | NGX_CONF_TAKE1, ngx_conf_set_msec_slot, LOCATION(idle_timeout), NULL},
    /* howdah_request_timeout TIME: a request that PHP serves for longer is ended, the answer is 504; 0: no limit. */
    {ngx_string("howdah_request_timeout"), ANYWHERE | NGX_CONF_TAKE1, ngx_conf_set_msec_slot, LOCATION(request_timeout), NULL},
    /* howdah_boot_timeout TIME: a worker script that has not asked for a request after so long is ended, and has not booted. */
    {ngx_string("howdah_boot_timeout"), ANYWHERE | NGX_CONF_TAKE1, ngx_conf_set_msec_slot, LOCATION(boot_timeout), NULL},
    /* howdah_slow TIME: a request that PHP serves for longer is told of in a log, with its backtrace; 0: none is. */
    {ngx_string("howdah_slow"), ANYWHERE | NGX_CONF_TAKE1, ngx_conf_set_msec_slot, LOCATION(slow), NULL},
    /* howdah_slow_log FILE | stderr: that log. */
    {ngx_string("howdah_slow_log"), ANYWHERE | NGX_CONF_TAKE1, howdah_set_slow_log, LOCATION(slow_log), NULL},
    /* howdah_trace off | URL [sample=N] [service=NAME] [parent=on|off]: requests and their waits are spans for a collector of
     * OTLP. */
    {ngx_string("howdah_trace"), ANYWHERE | NGX_CONF_TAKE1234, howdah_set_trace, NGX_HTTP_LOC_CONF_OFFSET, 0, NULL},
    /* howdah_client_abort cancel | continue: a client that leaves ends its request; or PHP learns of it when it writes, as
     * under php-fpm. */
    {ngx_string("howdah_client_abort"), ANYWHERE | NGX_CONF_TAKE1, ngx_conf_set_enum_slot, LOCATION(client_abort),
     (void *)client_aborts},
    /* howdah_ignore_client_abort on | off: as fastcgi_ignore_client_abort. */
    {ngx_string("howdah_ignore_client_abort"), ANYWHERE | NGX_CONF_FLAG, ngx_conf_set_flag_slot, LOCATION(ignore_client_abort),
     NULL},
    /* howdah_request_buffering on | off: as fastcgi_request_buffering. */
    {ngx_string("howdah_request_buffering"), ANYWHERE | NGX_CONF_FLAG, ngx_conf_set_flag_slot, LOCATION(request_buffering),
     NULL},
    /* howdah_param NAME VALUE [if_not_empty]: as fastcgi_param; PHP_VALUE and PHP_ADMIN_VALUE are settings of PHP for the
     * request. */
    {ngx_string("howdah_param"), ANYWHERE | NGX_HTTP_LIF_CONF | NGX_CONF_TAKE23, howdah_set_param, NGX_HTTP_LOC_CONF_OFFSET, 0,
     NULL},
    /* howdah_status [prometheus | json | fpm] [cpu]: the figures of all workers. */
    {ngx_string("howdah_status"), NGX_HTTP_LOC_CONF | NGX_CONF_NOARGS | NGX_CONF_TAKE12, howdah_set_status,
     NGX_HTTP_LOC_CONF_OFFSET, 0, NULL},
    /* howdah_health [live | started | ready] [queue=N] [workers=N] [drain=FILE] [script=URI [timeout=TIME]]: 200, or 503 and
     * why. */
    {ngx_string("howdah_health"), NGX_HTTP_LOC_CONF | NGX_CONF_ANY, howdah_set_health, NGX_HTTP_LOC_CONF_OFFSET, 0, NULL},
    /* howdah_top: what each request in flight does, as JSON. */
    {ngx_string("howdah_top"), NGX_HTTP_LOC_CONF | NGX_CONF_NOARGS, howdah_set_top, NGX_HTTP_LOC_CONF_OFFSET, 0, NULL},
    /* howdah_files [htaccess] [front=URI] [scripts=@NAME] [boot=FILE]... [refused=VALUE]: files are nginx's to send, scripts
     * are run, the rest is PHP's. */
    {ngx_string("howdah_files"), NGX_HTTP_LOC_CONF | NGX_CONF_ANY, howdah_set_files, NGX_HTTP_LOC_CONF_OFFSET, 0, NULL},
    /* howdah_renew: a POST says that files of the application were saved: realms that booted before serve no request after it. */
    {ngx_string("howdah_renew"), NGX_HTTP_LOC_CONF | NGX_CONF_NOARGS, howdah_set_renew, 0, 0, NULL},
    /* howdah_renewals: an event stream for browsers that tells when. */
    {ngx_string("howdah_renewals"), NGX_HTTP_LOC_CONF | NGX_CONF_NOARGS, howdah_set_renewals, 0, 0, NULL},
    ngx_null_command};

static ngx_int_t set_number(ngx_http_request_t *r, ngx_http_variable_value_t *value, uint64_t number) {
  value->data = ngx_pnalloc(r->pool, NGX_INT64_LEN);
  if (!value->data) return NGX_ERROR;
  value->len = (unsigned)(ngx_sprintf(value->data, "%uL", number) - value->data);
  value->valid = 1;
  value->no_cacheable = 1;
  value->not_found = 0;
  return NGX_OK;
}

static ngx_int_t get_realm(ngx_http_request_t *r, ngx_http_variable_value_t *value, uintptr_t data) {
  (void)data;
  const howdah_exchange *exchange = ngx_http_get_module_ctx(r, ngx_http_howdah_module);
  value->not_found = 1;
  if (!exchange || !exchange->request.realm_id) return NGX_OK;
  return set_number(r, value, exchange->request.realm_id);
}

/* What the engine measured: a number at an offset in the request. */
static ngx_int_t get_measured(ngx_http_request_t *r, ngx_http_variable_value_t *value, uintptr_t offset, uint64_t unit) {
  const howdah_exchange *exchange = ngx_http_get_module_ctx(r, ngx_http_howdah_module);
  value->not_found = 1;
  if (!exchange || !exchange->request.realm_id) return NGX_OK;
  return set_number(r, value, *(const uint64_t *)((const char *)&exchange->request + offset) / unit);
}

static ngx_int_t get_bytes(ngx_http_request_t *r, ngx_http_variable_value_t *value, uintptr_t offset) {
  return get_measured(r, value, offset, 1);
}

static ngx_int_t get_ms(ngx_http_request_t *r, ngx_http_variable_value_t *value, uintptr_t offset) {
  return get_measured(r, value, offset, 1000);
}

/* Of the location's pool, at this moment. */
static ngx_int_t get_limit(ngx_http_request_t *r, ngx_http_variable_value_t *value, uintptr_t data) {
  (void)data;
  const howdah_loc_conf *conf = ngx_http_get_module_loc_conf(r, ngx_http_howdah_module);
  value->not_found = 1;
  if (!conf->slot || !conf->slot->pool) return NGX_OK;
  return set_number(r, value, howdah_pool_limit(conf->slot->pool));
}

static ngx_int_t get_renewals(ngx_http_request_t *r, ngx_http_variable_value_t *value, uintptr_t data) {
  (void)data;
  return set_number(r, value, howdah_engine_saves());
}

/* Of all pools of this worker process the one that is furthest from it. */
static ngx_int_t get_ready(ngx_http_request_t *r, ngx_http_variable_value_t *value, uintptr_t data) {
  static const ngx_str_t names[] = {[HOWDAH_POOL_BOOTING] = ngx_string("booting"),
                                    [HOWDAH_POOL_FAILING] = ngx_string("failing"),
                                    [HOWDAH_POOL_READY] = ngx_string("ready")};
  const howdah_main_conf *conf = ngx_http_get_module_main_conf(r, ngx_http_howdah_module);
  howdah_pool_readiness least = howdah_readiness(conf);
  (void)data;
  value->valid = 1;
  value->no_cacheable = 1;
  value->not_found = 0;
  value->len = (unsigned)names[least].len & 0xfffffff;
  value->data = names[least].data;
  return NGX_OK;
}

/* $howdah_http_NAME, as $upstream_http_NAME: a header of the answer. $sent_http_NAME would not do: nginx keeps its value for
 * the request and all of its subrequests, so that auth_request_set found what another one had sent. */
static ngx_int_t get_header(ngx_http_request_t *r, ngx_http_variable_value_t *value, uintptr_t data) {
  static const ngx_str_t type = ngx_string("howdah_http_content_type");
  ngx_str_t *name = (ngx_str_t *)data;
  const ngx_str_t *known = &r->headers_out.content_type;
  value->not_found = 1;
  if (!ngx_http_get_module_ctx(r, ngx_http_howdah_module)) return NGX_OK;
  if (name->len != type.len || ngx_strncmp(name->data, type.data, type.len) != 0)
    return howdah_header_variable(r, value, name, &r->headers_out.headers.part, sizeof("howdah_http_") - 1);
  if (!known->len) return NGX_OK; /* it is not in the list */
  value->valid = 1;
  value->no_cacheable = 1;
  value->not_found = 0;
  value->len = (unsigned)known->len & 0xfffffff;
  value->data = known->data;
  return NGX_OK;
}

static ngx_int_t add_variables(ngx_conf_t *cf) {
  static const struct {
    ngx_str_t name;
    ngx_http_get_variable_pt get;
    uintptr_t data;
    ngx_uint_t flags;
  } variables[] = {{ngx_string("howdah_realm"), get_realm, 0, 0},
                   {ngx_string("howdah_limit"), get_limit, 0, 0},
                   {ngx_string("howdah_ready"), get_ready, 0, 0},
                   {ngx_string("howdah_renewals"), get_renewals, 0, 0},
                   {ngx_string("howdah_wait_ms"), get_ms, offsetof(howdah_request, wait_us), 0},
                   {ngx_string(HOWDAH_CPU_VARIABLE), get_ms, offsetof(howdah_request, cpu_us), 0},
                   {ngx_string("howdah_memory"), get_bytes, offsetof(howdah_request, memory), 0},
                   {ngx_string("howdah_file"), howdah_get_file, 0, 0},
                   {ngx_string("howdah_forwarded_scheme"), howdah_get_forwarded_scheme, 0, 0},
                   {ngx_string("howdah_http_"), get_header, 0, NGX_HTTP_VAR_PREFIX}};

  for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
    ngx_str_t name = variables[i].name;
    ngx_http_variable_t *variable = ngx_http_add_variable(cf, &name, NGX_HTTP_VAR_NOCACHEABLE | variables[i].flags);
    if (!variable) return NGX_ERROR;
    variable->get_handler = variables[i].get;
    variable->data = variables[i].data; /* of a prefix it is nginx that sets it, to the whole name */
  }
  return howdah_find_request_id(cf);
}

static ngx_http_module_t context = {.preconfiguration = add_variables,
                                    .postconfiguration = howdah_check_reload,
                                    .create_main_conf = howdah_create_main_conf,
                                    .create_loc_conf = howdah_create_loc_conf,
                                    .merge_loc_conf = howdah_merge_loc_conf};

__attribute__((visibility("default"))) ngx_module_t ngx_http_howdah_module = {NGX_MODULE_V1,
                                                                              &context,
                                                                              directives,
                                                                              NGX_HTTP_MODULE,
                                                                              NULL,
                                                                              howdah_init_module,
                                                                              howdah_init_process,
                                                                              NULL,
                                                                              NULL,
                                                                              howdah_exit_process,
                                                                              howdah_exit_master,
                                                                              NGX_MODULE_V1_PADDING};
