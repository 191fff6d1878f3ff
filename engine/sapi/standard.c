/* php://stdout and php://stderr: an application's own lines, as they are, for who reads the server's output and its log. See
 * standard.h.
 *
 * PHP would duplicate the process's own descriptors (php_stream_url_wrap_php(), ext/standard/php_fopen_wrapper.c, 8.2), and
 * write to them what a script writes at once, which need not be a line: another request's text, or nginx's access log, comes in
 * between. Here each line leaves whole, in one write, without anything around it, as through php-fpm with
 * decorate_workers_output=no: whoever reads finds the JSON object that was written. What the stream's last line lacks is its
 * newline. */
#include "standard.h"
#include "sapi.h"
#include "../log.h"

#include <string.h>
#include <unistd.h>
#include <Zend/zend_smart_str.h>

typedef struct {
  smart_str begun; /* the part of a line that is there */
  int fd;          /* whose: STDOUT_FILENO or STDERR_FILENO */
  bool persistent;
} text;

static void say(const text *self, const char *line, size_t len) {
  const howdah_realm *realm = howdah_realm_current();
  if (self->fd == STDOUT_FILENO)
    howdah_write_whole(STDOUT_FILENO, line, len);
  else
    howdah_log_line(realm ? realm->request : NULL, line, len);
}

static void say_begun(text *self) {
  say(self, ZSTR_VAL(self->begun.s), ZSTR_LEN(self->begun.s));
  smart_str_free_ex(&self->begun, self->persistent);
}

static ssize_t write_lines(php_stream *stream, const char *data, size_t count) {
  text *self = stream->abstract;
  const char *end = data + count, *newline;
  for (const char *line = data; line < end; line = newline + 1) {
    newline = memchr(line, '\n', (size_t)(end - line));
    if (!newline || self->begun.s)
      smart_str_appendl_ex(&self->begun, line, (size_t)((newline ? newline + 1 : end) - line), self->persistent);
    if (!newline) break;
    if (self->begun.s)
      say_begun(self);
    else
      say(self, line, (size_t)(newline + 1 - line));
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
  if (self->begun.s) {
    smart_str_appendc_ex(&self->begun, '\n', self->persistent);
    say_begun(self);
  }
  pefree(self, self->persistent);
  return 0;
}

static int flush(php_stream *stream) {
  (void)stream;
  return 0;
}

/* For stream_isatty(), and programs that get it as one of theirs: the process's. */
static int cast(php_stream *stream, int as, void **to) {
  const text *self = stream->abstract;
  if (as != PHP_STREAM_AS_FD && as != PHP_STREAM_AS_FD_FOR_SELECT) return FAILURE;
  if (to) *(php_socket_t *)to = self->fd;
  return SUCCESS;
}

static int tell_status(php_stream *stream, php_stream_statbuf *status) {
  const text *self = stream->abstract;
  return fstat(self->fd, &status->sb);
}

/* flock() locks what all requests and all workers have in common, the open file: it keeps nobody out, and is granted at once,
 * as under php-fpm. That the stream blocks is the process's, and stays so. */
static int set_option(php_stream *stream, int option, int value, void *argument) {
  (void)stream, (void)value, (void)argument;
  if (option == PHP_STREAM_OPTION_LOCKING) return PHP_STREAM_OPTION_RETURN_OK;
  return option == PHP_STREAM_OPTION_BLOCKING ? 1 /* as before */ : PHP_STREAM_OPTION_RETURN_NOTIMPL;
}

static const php_stream_ops operations = {.write = write_lines,
                                          .read = read_nothing,
                                          .close = close_stream,
                                          .flush = flush,
                                          .label = "STDIO",
                                          .cast = cast,
                                          .stat = tell_status,
                                          .set_option = set_option};

static php_stream_wrapper wrapper;
static php_stream_wrapper_ops wrapper_operations;
static const php_stream_wrapper *original;

/* -1: none of the two. */
static int descriptor_of(const char *path) {
  if (strncasecmp(path, "php://", 6) == 0) path += 6;
  if (strcasecmp(path, "stdout") == 0) return STDOUT_FILENO;
  return strcasecmp(path, "stderr") == 0 ? STDERR_FILENO : -1;
}

static php_stream *open_stream(php_stream_wrapper *self, const char *path, const char *mode, int options, zend_string **opened,
                               php_stream_context *context STREAMS_DC) {
  int fd = descriptor_of(path);
  if (fd < 0 || !howdah_realm_current())
    return original->wops->stream_opener(self, path, mode, options, opened, context STREAMS_REL_CC);
  bool persistent = options & STREAM_OPEN_PERSISTENT;
  text *lines = pemalloc(sizeof(*lines), persistent);
  *lines = (text){.fd = fd, .persistent = persistent};
  php_stream *stream = php_stream_alloc_rel(&operations, lines, NULL, mode);
  if (!stream) pefree(lines, persistent);
  return stream;
}

int howdah_standard_start(void) {
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
