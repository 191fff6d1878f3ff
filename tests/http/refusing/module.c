/* A filter that refuses answers, as image_filter and ModSecurity do: with ngx_http_filter_finalize_request().
 *
 *   refuse STATUS head;       in its header filter refuse STATUS held BYTE;  in its body filter, when so many bytes have come;
 *   the head waits until then, and what comes is swallowed refuse STATUS sent BYTE;  the same, but head and bytes go on their
 *   way
 *
 * A held answer that ends before is passed on without its bytes. */
#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http.h>

enum { NEVER, HEAD, HELD, SENT };

typedef struct {
  ngx_uint_t when;
  ngx_int_t status;
  off_t byte;
} settings;

typedef struct {
  off_t seen;
  ngx_uint_t is_done, is_last;
} progress;

extern ngx_module_t ngx_http_refusing_module;

static ngx_http_output_header_filter_pt next_header_filter;
static ngx_http_output_body_filter_pt next_body_filter;

static ngx_int_t refuse(ngx_http_request_t *r, progress *made) {
  const settings *conf = ngx_http_get_module_loc_conf(r, ngx_http_refusing_module);
  made->is_done = 1; /* what comes instead passes */
  return ngx_http_filter_finalize_request(r, &ngx_http_refusing_module, conf->status);
}

static ngx_int_t header_filter(ngx_http_request_t *r) {
  const settings *conf = ngx_http_get_module_loc_conf(r, ngx_http_refusing_module);
  progress *made = ngx_http_get_module_ctx(r, ngx_http_refusing_module);
  if (conf->when == NEVER || made) return next_header_filter(r);
  made = ngx_pcalloc(r->pool, sizeof *made);
  if (!made) return NGX_ERROR;
  ngx_http_set_ctx(r, made, ngx_http_refusing_module);
  if (conf->when == HEAD) return refuse(r, made);
  r->main_filter_need_in_memory = 1;
  return conf->when == HELD ? NGX_OK : next_header_filter(r);
}

static void look(progress *made, ngx_chain_t *in, ngx_uint_t swallow) {
  for (; in; in = in->next) {
    made->seen += ngx_buf_size(in->buf);
    made->is_last |= in->buf->last_buf | in->buf->last_in_chain;
    if (swallow) in->buf->pos = in->buf->last;
  }
}

static ngx_int_t body_filter(ngx_http_request_t *r, ngx_chain_t *in) {
  const settings *conf = ngx_http_get_module_loc_conf(r, ngx_http_refusing_module);
  progress *made = ngx_http_get_module_ctx(r, ngx_http_refusing_module);
  if (!made || made->is_done) return next_body_filter(r, in);
  look(made, in, conf->when == HELD);
  if (made->seen >= conf->byte) return refuse(r, made);
  if (conf->when == SENT) return next_body_filter(r, in);
  if (!made->is_last) return NGX_OK;
  made->is_done = 1;
  ngx_http_clear_content_length(r);
  ngx_int_t rc = next_header_filter(r);
  return rc == NGX_ERROR || rc > NGX_OK || r->header_only ? rc : next_body_filter(r, in);
}

static void *create_conf(ngx_conf_t *cf) {
  return ngx_pcalloc(cf->pool, sizeof(settings));
}

static char *set(ngx_conf_t *cf, ngx_command_t *command, void *conf) {
  static const char *const names[] = {[HEAD] = "head", [HELD] = "held", [SENT] = "sent"};
  (void)command;
  settings *to = conf;
  const ngx_str_t *values = cf->args->elts;
  to->status = ngx_atoi(values[1].data, values[1].len);
  for (ngx_uint_t i = HEAD; i <= SENT; i++)
    if (ngx_strcmp(values[2].data, names[i]) == 0) to->when = i;
  to->byte = cf->args->nelts > 3 ? ngx_atoof(values[3].data, values[3].len) : 0;
  if (to->status < NGX_HTTP_SPECIAL_RESPONSE || to->when == NEVER || to->byte < 0) return "has a value that is none";
  return NGX_CONF_OK;
}

static ngx_int_t add_filters(ngx_conf_t *cf) {
  (void)cf;
  next_header_filter = ngx_http_top_header_filter;
  ngx_http_top_header_filter = header_filter;
  next_body_filter = ngx_http_top_body_filter;
  ngx_http_top_body_filter = body_filter;
  return NGX_OK;
}

static ngx_http_module_t context = {.postconfiguration = add_filters, .create_loc_conf = create_conf};

static ngx_command_t directives[] = {
    {ngx_string("refuse"), NGX_HTTP_LOC_CONF | NGX_CONF_TAKE23, set, NGX_HTTP_LOC_CONF_OFFSET, 0, NULL}, ngx_null_command};

__attribute__((visibility("default"))) ngx_module_t ngx_http_refusing_module = {
    NGX_MODULE_V1, &context, directives, NGX_HTTP_MODULE, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NGX_MODULE_V1_PADDING};
