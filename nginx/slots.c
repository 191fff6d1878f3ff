/* Which locations share a pool.
 *
 * Those of one application that agree in all directives of the pool. What an application is: in worker mode its script; in
 * classic mode the folder that its scripts are in, which is the root where they are named by it or lie below it. So a site that
 * hangs has the realms of its own pool, and those of the next site serve. Where that is not wanted, or not enough, howdah_pool
 * names a pool: then the name alone counts. */
#include "module.h"

static bool same_text(const char *a, const char *b) {
  return a == b || (a && b && ngx_strcmp(a, b) == 0);
}

static bool same_options(const howdah_pool_options *a, const howdah_pool_options *b) {
  return a->mode == b->mode && a->realms_max == b->realms_max && a->realms_warm == b->realms_warm &&
         a->adaptive_least == b->adaptive_least && a->queue_max == b->queue_max && a->queue_timeout_ms == b->queue_timeout_ms &&
         a->requests_max == b->requests_max && a->request_timeout_ms == b->request_timeout_ms &&
         a->idle_timeout_ms == b->idle_timeout_ms && a->boot_timeout_ms == b->boot_timeout_ms &&
         a->realm_memory == b->realm_memory && a->rewinds == b->rewinds && same_text(a->script, b->script) &&
         same_text(a->document_root, b->document_root);
}

static ngx_str_t without_slashes(ngx_str_t folder) {
  while (folder.len > 1 && folder.data[folder.len - 1] == '/')
    folder.len--;
  return folder;
}

/* Of classic mode. Variables are compared as they are written. */
static ngx_str_t folder_of_scripts(const howdah_loc_conf *conf, const ngx_http_core_loc_conf_t *core) {
  static const ngx_str_t by_root[] = {ngx_string("$document_root"), ngx_string("${document_root}"),
                                      ngx_string("$realpath_root"), ngx_string("${realpath_root}")};
  ngx_str_t script = conf->script.value, root = without_slashes(core->root);
  for (size_t i = 0; i < sizeof by_root / sizeof *by_root; i++)
    if (script.len >= by_root[i].len && ngx_strncmp(script.data, by_root[i].data, by_root[i].len) == 0) return root;
  bool is_below = script.len > root.len && script.data[root.len] == '/' && ngx_strncmp(script.data, root.data, root.len) == 0;
  if (is_below) return root;
  while (script.len > 1 && script.data[script.len - 1] != '/')
    script.len--;
  return without_slashes(script);
}

static bool fits(const howdah_slot *slot, const howdah_slot *wanted) {
  if (slot->name.len || wanted->name.len) return howdah_same(&slot->name, &wanted->name);
  return howdah_same(&slot->folder, &wanted->folder) && same_options(&slot->options, &wanted->options);
}

howdah_slot *howdah_find_slot(ngx_conf_t *cf, const howdah_loc_conf *conf, const howdah_pool_options *options) {
  howdah_main_conf *main_conf = ngx_http_conf_get_module_main_conf(cf, ngx_http_howdah_module);
  const ngx_http_core_loc_conf_t *core = ngx_http_conf_get_module_loc_conf(cf, ngx_http_core_module);
  const ngx_http_core_srv_conf_t *server = ngx_http_conf_get_module_srv_conf(cf, ngx_http_core_module);
  static const ngx_str_t nameless = ngx_string("default");
  howdah_slot **slots = main_conf->slots.elts, wanted = {.options = *options, .name = conf->pool_name};
  if (options->mode == HOWDAH_CLASSIC) wanted.folder = folder_of_scripts(conf, core);
  for (ngx_uint_t i = 0; i < main_conf->slots.nelts; i++) {
    if (!fits(slots[i], &wanted)) continue;
    if (same_options(&slots[i]->options, options)) return slots[i];
    ngx_conf_log_error(
        NGX_LOG_EMERG, cf, 0,
        "the pool \"%V\" (howdah_pool) has other directives in location \"%V\" than where it was named first: mode, worker "
        "script and root, howdah_concurrency, howdah_warm, howdah_queue, howdah_queue_timeout, howdah_max_requests, "
        "howdah_request_timeout, howdah_idle_timeout, howdah_boot_timeout, howdah_realm_memory and howdah_rewind must agree; "
        "make them so, or give it another name",
        &conf->pool_name, &core->name);
    return NULL;
  }

  howdah_slot *slot = ngx_pcalloc(cf->pool, sizeof *slot);
  howdah_slot **place = ngx_array_push(&main_conf->slots);
  if (!slot || !place) return NULL;
  *slot = wanted;
  slot->label = slot->name.len ? slot->name : server->server_name.len ? server->server_name : nameless;
  *place = slot;
  return slot;
}
