/* The request's body: nginx has read it, into memory or into a temporary file. */
#include "module.h"

ssize_t howdah_op_read_body(howdah_request *request, char *buffer, size_t size) {
  howdah_exchange *exchange = (howdah_exchange *)request;
  while (exchange->body) {
    ngx_buf_t *buf = exchange->body->buf;
    off_t left = ngx_buf_size(buf) - exchange->body_offset;
    if (left <= 0) {
      exchange->body = exchange->body->next;
      exchange->body_offset = 0;
      continue;
    }
    size_t part = left < (off_t)size ? (size_t)left : size;
    if (ngx_buf_in_memory(buf)) {
      ngx_memcpy(buffer, buf->pos + exchange->body_offset, part);
    } else {
      ssize_t got = ngx_read_file(buf->file, (u_char *)buffer, part, buf->file_pos + exchange->body_offset);
      if (got <= 0) return -1; /* nginx has logged it */
      part = (size_t)got;
    }
    exchange->body_offset += (off_t)part;
    return (ssize_t)part;
  }
  return 0;
}
