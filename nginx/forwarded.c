/* $howdah_forwarded_scheme: what the nearest proxy says in X-Forwarded-Proto, "http" or "https".
 *
 * A proxy that appends writes behind what came, also on a line of its own: the last word is its own, those before it a client
 * may have chosen. $http_x_forwarded_proto would not do: before nginx 1.23 it is the first line. Whether the proxy is to be
 * believed is the configuration's to say. */
#include "module.h"

/* In small letters; NULL: it is none. */
static const ngx_str_t *scheme_of(const ngx_str_t *word) {
  static const ngx_str_t schemes[] = {ngx_string("http"), ngx_string("https")};
  for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
    if (word->len == schemes[i].len && ngx_strncasecmp(word->data, schemes[i].data, word->len) == 0) return &schemes[i];
  return NULL;
}

static bool is_blank(u_char c) {
  return c == ' ' || c == '\t';
}

static ngx_str_t last_word(const ngx_str_t *list) {
  u_char *begin = list->data, *end = begin + list->len;
  while (end > begin && is_blank(end[-1]))
    end--;
  u_char *at = end;
  while (at > begin && at[-1] != ',')
    at--;
  while (at < end && is_blank(*at))
    at++;
  return (ngx_str_t){(size_t)(end - at), at};
}

ngx_int_t howdah_get_forwarded_scheme(ngx_http_request_t *r, ngx_http_variable_value_t *value, uintptr_t data) {
  static const ngx_str_t name = ngx_string("X-Forwarded-Proto");
  ngx_str_t word = ngx_null_string;
  (void)data;
  for (const ngx_list_part_t *part = &r->headers_in.headers.part; part; part = part->next) {
    const ngx_table_elt_t *headers = part->elts;
    for (ngx_uint_t i = 0; i < part->nelts; i++)
      if (headers[i].key.len == name.len && ngx_strncasecmp(headers[i].key.data, name.data, name.len) == 0)
        word = last_word(&headers[i].value);
  }
  const ngx_str_t *scheme = scheme_of(&word);
  value->not_found = !scheme;
  value->no_cacheable = 1;
  if (!scheme) return NGX_OK;
  value->valid = 1;
  value->len = (unsigned)scheme->len & 0xfffffff;
  value->data = scheme->data;
  return NGX_OK;
}
