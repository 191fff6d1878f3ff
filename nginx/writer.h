/* JSON, in memory of a fixed size. All of it is async-signal-safe. */
#ifndef HOWDAH_NGINX_WRITER_H
#define HOWDAH_NGINX_WRITER_H

#include "module.h"

typedef struct {
  u_char *text;
  size_t len, size;
  bool full; /* there was no room: what was written is of no use */
} howdah_json;

void howdah_json_put(howdah_json *json, const char *text, size_t len);
/* As ngx_sprintf(), of 256 bytes at most. */
void howdah_json_add(howdah_json *json, const char *format, ...);
/* Escaped; what is no UTF-8 is U+FFFD, for each of its bytes, and what is longer than `most` bytes is cut. */
void howdah_json_add_characters(howdah_json *json, const u_char *text, size_t len, size_t most);
/* The same, within quotation marks. */
void howdah_json_add_string(howdah_json *json, const u_char *text, size_t len, size_t most);

#endif
