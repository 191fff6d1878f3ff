/* Formats messages and hands them to the front-end. */
#include "log.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

enum { MESSAGE_MAX = 2048 };

static howdah_log_sink sink;

void howdah_log_to(const howdah_log_sink *new_sink) {
  sink = *new_sink;
}

void howdah_log_raw(howdah_log_level level, howdah_request *request, const char *message, size_t len) {
  sink.log(level, message, len, request);
}

void howdah_log_line(howdah_request *request, const char *line, size_t len) {
  if (sink.write_line)
    sink.write_line(line, len, request);
  else
    howdah_write_whole(STDERR_FILENO, line, len);
}

void howdah_write_whole(int fd, const char *data, size_t len) {
  enum { PATIENCE_MS = 1000 };
  while (len > 0) {
    ssize_t written = write(fd, data, len);
    if (written > 0) {
      data += written;
      len -= (size_t)written;
    } else if (written < 0 && errno == EAGAIN) {
      struct pollfd writable = {.fd = fd, .events = POLLOUT};
      if (poll(&writable, 1, PATIENCE_MS) == 0) return;
    } else if (written == 0 || errno != EINTR) {
      return; /* there is nowhere to say it */
    }
  }
}

void howdah_log(howdah_log_level level, howdah_request *request, const char *format, ...) {
  char message[MESSAGE_MAX];
  va_list arguments;
  va_start(arguments, format);
  int len = vsnprintf(message, sizeof(message), format, arguments);
  va_end(arguments);
  if (len < 0) return;
  howdah_log_raw(level, request, message, (size_t)len < sizeof(message) ? (size_t)len : sizeof(message) - 1);
}
