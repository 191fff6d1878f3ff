/* php://stderr: lines for the server's log, with the request that they are of. See stderr.h.
 *
 * PHP would duplicate the process's own standard error (php_stream_url_wrap_php(), ext/standard/php_fopen_wrapper.c, 8.2). In a worker of nginx that is the
 * file that was the error log when nginx started, without a word about the request; after a rotation it is nobody's file. */
#include "stderr.h"
#include "sapi.h"
#include "../log.h"

#include <string.h>
#include <unistd.h>

enum { LINE_BYTES = 1024 };

typedef struct {
  size_t len;
  char line[LINE_BYTES];
} text;

static void say(text *self) {
  const howdah_realm *realm = howdah_realm_current();
  if (self->len) howdah_log_raw(HOWDAH_LOG_ERROR, realm ? realm->request : NULL, self->line, self->len);
  self->len = 0;
}

static ssize_t write_lines(php_stream *stream, const char *data, size_t count) {
  text *self = stream->abstract;
  for (size_t i = 0; i < count; i++) {
    if (data[i] == '\n' || self->len == sizeof(self->line)) say(self);
    if (data[i] != '\n' && data[i] != '\r') self->line[self->len++] = data[i];
  }
  return (ssize_t)count;
}

static ssize_t read_nothing(php_stream *stream, char *buffer, size_t count) {
  (void)buffer, (void)count;
  stream->eof = 1;
  return -1;
}

static int close_stream(php_stream *stream, int close_handle) {
  text *self = stream->abstract;
  (void)close_handle;
  say(self);
  pefree(self, php_stream_is_persistent(stream));
  return 0;
}

static int flush(php_stream *stream) {
  (void)stream;
  return 0;
}

/* For stream_isatty(), and programs that get it as one of theirs: the process's. */
static int cast(php_stream *stream, int as, void **to) {
  (void)stream;
  if (as != PHP_STREAM_AS_FD && as != PHP_STREAM_AS_FD_FOR_SELECT) return FAILURE;
  if (to) *(php_socket_t *)to = STDERR_FILENO;
  return SUCCESS;
}

static const php_stream_ops operations = {
    .write = write_lines, .read = read_nothing, .close = close_stream, .flush = flush, .label = "STDIO", .cast = cast};

static php_stream_wrapper wrapper;
static php_stream_wrapper_ops wrapper_operations;
static const php_stream_wrapper *original;

static bool is_stderr(const char *path) {
  if (strncasecmp(path, "php://", 6) == 0) path += 6;
  return strcasecmp(path, "stderr") == 0;
}

static php_stream *open_stream(php_stream_wrapper *self, const char *path, const char *mode, int options, zend_string **opened,
                               php_stream_context *context STREAMS_DC) {
  if (!is_stderr(path) || !howdah_realm_current())
    return original->wops->stream_opener(self, path, mode, options, opened, context STREAMS_REL_CC);
  bool persistent = options & STREAM_OPEN_PERSISTENT;
  text *lines = pemalloc(sizeof(*lines), persistent);
  lines->len = 0;
  php_stream *stream = php_stream_alloc_rel(&operations, lines, NULL, mode);
  if (!stream) pefree(lines, persistent);
  return stream;
}

int howdah_stderr_start(void) {
  original = zend_hash_str_find_ptr(php_stream_get_url_stream_wrappers_hash_global(), "php", sizeof("php") - 1);
  if (!original) return 0;
  wrapper = *original;
  wrapper_operations = *original->wops;
  wrapper_operations.stream_opener = open_stream;
  wrapper.wops = &wrapper_operations;
  /* In its place: stream_get_wrappers() tells them in this order. */
  return zend_hash_str_update_ptr(php_stream_get_url_stream_wrappers_hash_global(), "php", sizeof("php") - 1, &wrapper) ? 0
                                                                                                                        : -1;
}
