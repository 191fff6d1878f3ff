/* PHP's source: which files are it. None is ever sent as text.
 *
 * A file is what it begins with, whatever its name: "<?php" in a .inc, .module or .txt. A name decides where the beginning may be something else: that of a
 * template, or of what editors and backups leave of a script (x.php~, x.php.bak, .swp, x.PHP). "Cart.php.html" and "x.php.json" are files of a type that
 * nginx knows. */
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

/* After a byte order mark, a line for the shell and blanks: "<?php", "<?=", or the short "<?" of old code. "<?xml" is none of them. */
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

bool howdah_begins_as_source(const char *path) {
  char beginning[BEGINNING];
  int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return false; /* nginx says why it cannot be sent */
  ssize_t len = pread(file, beginning, sizeof beginning, 0);
  (void)close(file);
  return len > 0 && begins_with_tag(beginning, (size_t)len);
}
