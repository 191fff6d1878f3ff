/* nginx, and all that differs between the versions that Howdah is built for: 1.22 (Debian 12) to 1.26 (Debian 13). */
#ifndef HOWDAH_NGINX_COMPAT_H
#define HOWDAH_NGINX_COMPAT_H

#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_event.h>
#include <ngx_http.h>

#include <stdbool.h>
#include <stdint.h>

/* Since 1.25.0 a connection may be a stream of QUIC's. */
static inline bool howdah_is_quic(const ngx_connection_t *c) {
#if (NGX_HTTP_V3)
  return c->quic != NULL;
#else
  (void)c;
  return false;
#endif
}

#if (nginx_version < 1018000)
#error "howdah: nginx is older than 1.18; build against the packaged sources of a newer one"
#endif

/* Since 1.23.0 headers of one name are a linked list; before, some of them were an array of pointers. */
#if (nginx_version >= 1023000)

static inline ngx_table_elt_t *howdah_cookie_first(ngx_http_request_t *r) {
  return r->headers_in.cookie;
}

static inline ngx_table_elt_t *howdah_cookie_next(ngx_http_request_t *r, ngx_table_elt_t *cookie, ngx_uint_t index) {
  (void)r, (void)index;
  return cookie->next;
}

/* Links the request's headers of one name, once in a request, as the fastcgi module has it done. */
static inline bool howdah_link_headers(ngx_http_request_t *r) {
  return ngx_http_link_multi_headers(r) == NGX_OK;
}

/* ngx_http_variable_unknown_header(): a variable, of a header in a list. */
static inline ngx_int_t howdah_header_variable(ngx_http_request_t *r, ngx_http_variable_value_t *value, ngx_str_t *name,
                                               ngx_list_part_t *headers, size_t prefix) {
  return ngx_http_variable_unknown_header(r, value, name, headers, prefix);
}

/* The next of the same name, after howdah_link_headers(). */
static inline const ngx_table_elt_t *howdah_header_next(const ngx_table_elt_t *header) {
  return header->next;
}

static inline ngx_int_t howdah_add_cache_control(ngx_http_request_t *r, ngx_table_elt_t *header) {
  ngx_table_elt_t **last = &r->headers_out.cache_control;
  while (*last)
    last = &(*last)->next;
  *last = header;
  return NGX_OK;
}

#else

static inline ngx_table_elt_t *howdah_cookie_next(ngx_http_request_t *r, ngx_table_elt_t *cookie, ngx_uint_t index) {
  (void)cookie;
  ngx_table_elt_t **cookies = r->headers_in.cookies.elts;
  return index < r->headers_in.cookies.nelts ? cookies[index] : NULL;
}

static inline ngx_table_elt_t *howdah_cookie_first(ngx_http_request_t *r) {
  return howdah_cookie_next(r, NULL, 0);
}

static inline bool howdah_link_headers(ngx_http_request_t *r) {
  (void)r;
  return true;
}

static inline ngx_int_t howdah_header_variable(ngx_http_request_t *r, ngx_http_variable_value_t *value, ngx_str_t *name,
                                               ngx_list_part_t *headers, size_t prefix) {
  (void)r;
  return ngx_http_variable_unknown_header(value, name, headers, prefix);
}

static inline const ngx_table_elt_t *howdah_header_next(const ngx_table_elt_t *header) {
  (void)header;
  return NULL;
}

static inline ngx_int_t howdah_add_cache_control(ngx_http_request_t *r, ngx_table_elt_t *header) {
  ngx_array_t *all = &r->headers_out.cache_control;
  if (!all->elts && ngx_array_init(all, r->pool, 1, sizeof(ngx_table_elt_t *)) != NGX_OK) return NGX_ERROR;
  ngx_table_elt_t **place = ngx_array_push(all);
  if (!place) return NGX_ERROR;
  *place = header;
  return NGX_OK;
}

#endif

/* Whether something restricts who may ask in the location that is merged. The structures are private to their modules: each
 * begins with what it restricts by, and is zero where it does not (ngx_http_access_module.c, ngx_http_auth_basic_module.c,
 * ngx_http_auth_request_module.c, 1.22 to 1.26). nginx may be without these modules. */
extern ngx_module_t ngx_http_access_module __attribute__((weak));
extern ngx_module_t ngx_http_auth_basic_module __attribute__((weak));
extern ngx_module_t ngx_http_auth_request_module __attribute__((weak));

static inline bool howdah_is_restricted(ngx_conf_t *cf) {
  enum { KINDS_OF_RULES = 3 }; /* for IPv4, IPv6 and Unix sockets */
  if (&ngx_http_access_module) {
    const ngx_array_t *const *rules = ngx_http_conf_get_module_loc_conf(cf, ngx_http_access_module);
    for (int i = 0; i < KINDS_OF_RULES; i++)
      if (rules[i]) return true;
  }
  if (&ngx_http_auth_basic_module) {
    static const ngx_str_t off = ngx_string("off");
    const ngx_http_complex_value_t *const *realm = ngx_http_conf_get_module_loc_conf(cf, ngx_http_auth_basic_module);
    bool is_off = !*realm || ((*realm)->value.len == off.len && ngx_strncmp((*realm)->value.data, off.data, off.len) == 0);
    if (!is_off) return true;
  }
  if (&ngx_http_auth_request_module) {
    const ngx_str_t *uri = ngx_http_conf_get_module_loc_conf(cf, ngx_http_auth_request_module);
    if (uri->len) return true;
  }
  return false;
}

#endif
