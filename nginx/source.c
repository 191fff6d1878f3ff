/* PHP's source: which files are it. None is ever sent as text.
 *
 * The beginning is that of the file which nginx has opened, of whatever name it was then: a filter keeps the head until that is
 * there. So what was looked at is what is sent, also where a rename() or open_file_cache comes in between.
 *
 * A file is what it begins with, whatever its name: "<?php" in a .inc, .module or .txt. A name decides where the beginning may
 * be something else: that of a template, or of what editors and backups leave of a script (x.php~, x.php.bak, .swp, x.PHP).
 * "Cart.php.html" and "x.php.json" are files of a type that nginx knows. */
#include "module.h"

#include <fcntl.h>

enum { BEGINNING = 4096, LONGEST_TYPE = 32 };

/* Whether "php", "php8", "phtml" or the like stands there; where it ends. NULL: it does not. */
static const u_char *skip_php(u_char *at, const u_char *end) {
  static const ngx_str_t words[] = {ngx_string("phtml"), ngx_string("phar"), ngx_string("phps"), ngx_string("php")};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    size_t len = words[i].len;
    if ((size_t)(end - at) < len || ngx_strncasecmp(at, words[i].data, len) != 0) continue;
    const u_char *next = at + len;
    bool is_last = i == sizeof words / sizeof *words - 1;
    if (is_last && next < end && *next >= '0' && *next <= '9') next++; /* php5 */
    return next;
  }
  return NULL;
}

static bool is_word(u_char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c >= 0x80;
}

/* As ngx_http_set_content_type() looks for it, 1.22. */
static bool has_known_type(const ngx_http_request_t *r) {
  ngx_http_core_loc_conf_t *core = ngx_http_get_module_loc_conf(r, ngx_http_core_module);
  u_char low[LONGEST_TYPE];
  if (r->exten.len == 0 || r->exten.len > sizeof low) return false;
  ngx_uint_t hash = ngx_hash_strlow(low, r->exten.data, r->exten.len);
  return ngx_hash_find(&core->types_hash, hash, low, r->exten.len) != NULL;
}

bool howdah_is_named_as_source(const ngx_http_request_t *r) {
  u_char *end = r->uri.data + r->uri.len, *at = end;
  while (at > r->uri.data && at[-1] != '/')
    at--;
  for (; (at = ngx_strlchr(at, end, '.')); at++) {
    const u_char *next = skip_php(at + 1, end);
    if (!next) continue;
    if (next == end) return true;
    if (*next == '.' ? !has_known_type(r) : !is_word(*next)) return true;
  }
  return false;
}

static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* After a byte order mark, a line for the shell and blanks: "<?php", "<?=", or the short "<?" of old code. "<?xml" is none of
 * them. */
static bool begins_with_tag(const char *text, size_t len) {
  const char *at = text, *end = text + len;
  if (len >= 3 && ngx_memcmp(at, "\xEF\xBB\xBF", 3) == 0) at += 3;
  if (end - at >= 2 && at[0] == '#' && at[1] == '!')
    while (at < end && *at != '\n')
      at++;
  while (at < end && is_blank(*at))
    at++;
  if (end - at < 2 || at[0] != '<' || at[1] != '?') return false;
  at += 2;
  if (at == end || *at == '=' || is_blank(*at)) return true;
  if (end - at < 3 || ngx_strncasecmp((u_char *)at, (u_char *)"php", 3) != 0) return false;
  return at + 3 == end || is_blank(at[3]);
}

/* ---- On its way to the client ---- */

extern ngx_module_t ngx_http_howdah_source_module;

static ngx_http_output_header_filter_pt next_header_filter;
static ngx_http_output_body_filter_pt next_body_filter;

/* Whether nginx may send a file of a location with howdah_files: its head tells a length, and that body follows
 * (ngx_http_static_handler(), ngx_http_gzip_static_handler(), 1.22), as those of its error pages do, which are in memory. The
 * time would tell no more: a file's own may be the -1 that heads have without one. */
static bool begins_file(ngx_http_request_t *r) {
  const howdah_loc_conf *conf = ngx_http_get_module_loc_conf(r, ngx_http_howdah_module);
  return conf->files && !ngx_http_get_module_ctx(r, ngx_http_howdah_module) && !r->header_only &&
         r->headers_out.content_length_n > 0;
}

/* NGX_OK, or the status of the answer. */
static ngx_int_t look(ngx_http_request_t *r, ngx_fd_t file, const ngx_str_t *name) {
  _Alignas(BEGINNING) char beginning[BEGINNING]; /* for O_DIRECT (directio) */
  ssize_t len = pread(file, beginning, sizeof beginning, 0);
  if (len < 0) {
    howdah_say(r, NGX_LOG_CRIT, ngx_errno, "howdah: pread() of \"%V\" failed", name);
    return NGX_HTTP_INTERNAL_SERVER_ERROR;
  }
  if (!begins_with_tag(beginning, (size_t)len)) return NGX_OK;
  howdah_say(r, NGX_LOG_ERR, 0, "howdah: \"%V\" begins as PHP's source does, and is not sent", name);
  return NGX_HTTP_FORBIDDEN;
}

/* gzip_static and its like send another file, packed, in the place of the one that is named. */
static ngx_int_t look_at_named(ngx_http_request_t *r) {
  ngx_str_t path;
  size_t root;
  u_char *last = ngx_http_map_uri_to_path(r, &path, &root, 0);
  if (!last) return NGX_HTTP_INTERNAL_SERVER_ERROR;
  path.len = (size_t)(last - path.data);
  int file = open((const char *)path.data, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) {
    howdah_say(r, NGX_LOG_ERR, ngx_errno, "howdah: open() of \"%V\" failed: it is not sent packed, either", &path);
    return NGX_HTTP_FORBIDDEN;
  }
  ngx_int_t rc = look(r, file, &path);
  (void)close(file);
  return rc;
}

/* Takes out of the head what is the file's: another answer follows. */
static void take_back_head(ngx_http_request_t *r) {
  ngx_http_clear_content_length(r);
  ngx_http_clear_last_modified(r);
  ngx_http_clear_etag(r);
  if (r->headers_out.content_encoding) r->headers_out.content_encoding->hash = 0;
  r->headers_out.content_encoding = NULL;
  r->allow_ranges = 0;
}

static ngx_int_t header_filter(ngx_http_request_t *r) {
  static char kept;
  if (!begins_file(r)) return next_header_filter(r);
  ngx_http_set_ctx(r, &kept, ngx_http_howdah_source_module);
  return NGX_OK;
}

static ngx_int_t body_filter(ngx_http_request_t *r, ngx_chain_t *in) {
  if (!ngx_http_get_module_ctx(r, ngx_http_howdah_source_module)) return next_body_filter(r, in);
  ngx_http_set_ctx(r, NULL, ngx_http_howdah_source_module);
  ngx_int_t rc = NGX_OK;
  if (in && in->buf->in_file) rc = look(r, in->buf->file->fd, &in->buf->file->name);
  if (rc == NGX_OK && r->headers_out.content_encoding) rc = look_at_named(r);
  if (rc != NGX_OK) {
    take_back_head(r);
    return rc;
  }
  rc = next_header_filter(r);
  return rc == NGX_ERROR || rc > NGX_OK || r->header_only ? rc : next_body_filter(r, in);
}

static ngx_int_t add_filters(ngx_conf_t *cf) {
  (void)cf;
  next_header_filter = ngx_http_top_header_filter;
  ngx_http_top_header_filter = header_filter;
  next_body_filter = ngx_http_top_body_filter;
  ngx_http_top_body_filter = body_filter;
  return NGX_OK;
}

static ngx_http_module_t context = {.postconfiguration = add_filters};

/* A module of its own: the other one's contexts are requests that PHP serves. */
__attribute__((visibility("default"))) ngx_module_t ngx_http_howdah_source_module = {
    NGX_MODULE_V1, &context, NULL, NGX_HTTP_MODULE, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NGX_MODULE_V1_PADDING};
