/* Messages of PHP and of the engine, on their way to the front-end's log. */
#ifndef HOWDAH_LOG_H
#define HOWDAH_LOG_H

#include "howdah.h"

/* The front-end's functions (howdah_engine_options). */
typedef struct {
  void (*log)(howdah_log_level level, const char *message, size_t len, howdah_request *request);
  void (*write_line)(const char *line, size_t len, howdah_request *request); /* NULL: to standard error */
} howdah_log_sink;

/* Before the first message. */
void howdah_log_to(const howdah_log_sink *new_sink);

/* As printf; without a newline. request is the one it concerns, or NULL. Never fails: a long message is cut. */
void howdah_log(howdah_log_level level, howdah_request *request, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* A message as it is. */
void howdah_log_raw(howdah_log_level level, howdah_request *request, const char *message, size_t len);
/* A line of an application's own, whole, its newline at its end: to the front-end, else to standard error. */
void howdah_log_line(howdah_request *request, const char *line, size_t len);

#endif
