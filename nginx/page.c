/* Text that grows. See page.h. */
#include "page.h"

enum { BUFFER_BYTES = 8192 };

void howdah_page_begin(howdah_page *page, ngx_http_request_t *r) {
  ngx_memzero(page, sizeof *page);
  page->r = r;
  page->last = &page->first;
}

/* Room for a piece; NULL when memory is short. */
static ngx_buf_t *room(howdah_page *page) {
  if (page->failed) return NULL;
  if (page->buf && page->buf->end - page->buf->last >= HOWDAH_PIECE_BYTES) return page->buf;
  ngx_chain_t *link = ngx_alloc_chain_link(page->r->pool);
  page->buf = ngx_create_temp_buf(page->r->pool, BUFFER_BYTES);
  if (!link || !page->buf) {
    page->failed = true;
    return NULL;
  }
  *link = (ngx_chain_t){.buf = page->buf, .next = NULL};
  *page->last = link;
  page->last = &link->next;
  return page->buf;
}

void howdah_page_add(howdah_page *page, const char *format, ...) {
  ngx_buf_t *buf = room(page);
  va_list arguments;
  if (!buf) return;
  va_start(arguments, format);
  u_char *end = ngx_vslprintf(buf->last, buf->last + HOWDAH_PIECE_BYTES, format, arguments);
  va_end(arguments);
  page->bytes += end - buf->last;
  buf->last = end;
}

void howdah_page_add_whole(howdah_page *page, const ngx_str_t *text) {
  for (size_t at = 0; at < text->len; at += HOWDAH_PIECE_BYTES)
    howdah_page_add(page, "%*s", ngx_min(text->len - at, (size_t)HOWDAH_PIECE_BYTES), text->data + at);
}

/* What stands for no character that one sees is written as \xNN, so that names that differ stay different. */
static void add_escaped(howdah_page *page, const u_char *at, size_t bytes) {
  for (size_t i = 0; i < bytes; i++)
    howdah_page_add(page, "\\\\x%02Xd", (ngx_uint_t)at[i]);
}

void howdah_page_add_quoted(howdah_page *page, const ngx_str_t *text) {
  const u_char *at = text->data, *end = text->data + text->len;
  howdah_page_add(page, "\"");
  while (at < end) {
    bool is_visible;
    size_t bytes = howdah_look_at_character(at, end, &is_visible);
    if (*at == '"' || *at == '\\')
      howdah_page_add(page, "\\%c", *at);
    else if (is_visible)
      howdah_page_add(page, "%*s", bytes, at);
    else
      add_escaped(page, at, bytes);
    at += bytes;
  }
  howdah_page_add(page, "\"");
}

void howdah_page_add_seconds(howdah_page *page, uint64_t us) {
  howdah_page_add(page, "%uL.%06uL", us / 1000000, us % 1000000);
}

bool howdah_path_ends(const ngx_http_request_t *r, const char *word) {
  size_t len = ngx_strlen(word);
  const u_char *end = r->uri.data + r->uri.len;
  if (r->uri.len <= len || ngx_strncasecmp((u_char *)end - len, (u_char *)word, len) != 0) return false;
  return end[-(ssize_t)len - 1] == '/' || end[-(ssize_t)len - 1] == '.';
}

static ngx_int_t set_header(ngx_http_request_t *r, const char *name, const char *value) {
  ngx_table_elt_t *header = ngx_list_push(&r->headers_out.headers);
  if (!header) return NGX_ERROR;
  ngx_memzero(header, sizeof *header);
  header->hash = 1;
  header->key = (ngx_str_t){ngx_strlen(name), (u_char *)name};
  header->value = (ngx_str_t){ngx_strlen(value), (u_char *)value};
  return NGX_OK;
}

ngx_int_t howdah_page_send(howdah_page *page, ngx_uint_t status, const char *type) {
  ngx_http_request_t *r = page->r;
  if (page->failed || !page->buf) return NGX_HTTP_INTERNAL_SERVER_ERROR;
  /* As php-fpm's page has them. */
  if (set_header(r, "Expires", "Thu, 01 Jan 1970 00:00:00 GMT") != NGX_OK ||
      set_header(r, "Cache-Control", "no-cache, no-store, must-revalidate, max-age=0") != NGX_OK)
    return NGX_HTTP_INTERNAL_SERVER_ERROR;
  page->buf->last_buf = r == r->main;
  page->buf->last_in_chain = 1;
  r->headers_out.status = status;
  r->headers_out.content_length_n = page->bytes;
  r->headers_out.content_type = (ngx_str_t){ngx_strlen(type), (u_char *)type};
  r->headers_out.content_type_len = r->headers_out.content_type.len;
  r->headers_out.content_type_lowcase = NULL;
  ngx_int_t rc = ngx_http_send_header(r);
  return rc == NGX_ERROR || rc > NGX_OK || r->header_only ? rc : ngx_http_output_filter(r, page->first);
}
