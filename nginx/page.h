/* Text that grows, for an answer of nginx's own. */
#ifndef HOWDAH_NGINX_PAGE_H
#define HOWDAH_NGINX_PAGE_H

#include "figures.h"

typedef struct {
  ngx_http_request_t *r;
  ngx_chain_t *first, **last;
  ngx_buf_t *buf;
  off_t bytes;
  bool failed; /* memory was short: the rest is left out, and howdah_page_send() says so */
} howdah_page;

void howdah_page_begin(howdah_page *page, ngx_http_request_t *r);
/* As ngx_sprintf(); at most HOWDAH_PIECE_BYTES at once. */
enum { HOWDAH_PIECE_BYTES = 1024 };
void howdah_page_add(howdah_page *page, const char *format, ...);
/* A text of any length, as it is. */
void howdah_page_add_whole(howdah_page *page, const ngx_str_t *text);
/* Within quotation marks, for JSON and for Prometheus' labels (their escapes are the same for what names hold). */
void howdah_page_add_quoted(howdah_page *page, const ngx_str_t *text);
/* Microseconds as seconds. */
void howdah_page_add_seconds(howdah_page *page, uint64_t us);
/* The status and the type; no cache may keep it. */
ngx_int_t howdah_page_send(howdah_page *page, ngx_uint_t status, const char *type);

/* Whether the last part of the path is this word, or ends in it behind a dot. */
bool howdah_path_ends(const ngx_http_request_t *r, const char *word);

/* ---- Formats ---- */

typedef struct {
  howdah_report report;
  bool open; /* nothing restricts who may ask */
} howdah_status_page;

void howdah_print_prometheus(howdah_page *page, const howdah_status_page *status);
void howdah_print_json(howdah_page *page, const howdah_status_page *status);
/* fpm.c: whether the query asks for a format of php-fpm's. */
bool howdah_fpm_is_asked(const ngx_http_request_t *r);
/* In that, or as plain text; its type. */
const char *howdah_print_fpm(howdah_page *page, const howdah_status_page *status);

#endif
