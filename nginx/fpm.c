/* The page of php-fpm's pm.status_path, for the exporters and dashboards that read it: its names, order and types
 * (sapi/fpm/fpm/fpm_status.c, 8.2.36; memory peak since 8.4). All pools are one here, and a process is a realm. */
#include "page.h"

#include <stdlib.h>
#include <time.h>

typedef struct {
  const char *name;        /* in text, JSON and HTML; with hyphens in XML */
  const char *metric;      /* OpenMetrics' name behind "phpfpm_"; NULL: it has none */
  const char *type, *help; /* OpenMetrics' */
  howdah_str text;         /* its value; data is NULL for a number: */
  uint64_t number;
  bool is_hundredths; /* the number is written as 1.23 */
} field;

enum { FIELDS_MAX = 16 };

typedef struct {
  field fields[FIELDS_MAX];
  size_t count;
  char start[64];
} fields;

/* ---- The values ---- */

/* No copy. */
static howdah_str text_of(const char *zero_terminated) {
  return (howdah_str){zero_terminated, ngx_strlen(zero_terminated)};
}

static uint64_t sum(const howdah_report *report, size_t word) {
  uint64_t all = 0;
  for (size_t i = 0; i < report->pool_count; i++)
    all += report->pools[i].words[word];
  return all;
}
#define SUM(report, member) sum(report, HOWDAH_WORD_OF(howdah_pool_figures, member))

static uint64_t requests(const howdah_report *report) {
  uint64_t all = 0;
  for (size_t class = 0; class < HOWDAH_CLASSES; class ++)
    all += sum(report, HOWDAH_WORD_OF(howdah_pool_figures, requests) + class);
  return all;
}

static uint64_t memory_peak(const howdah_report *report) {
  uint64_t most = 0;
  for (size_t i = 0; i < report->pool_count; i++)
    most = ngx_max(most, report->pools[i].words[HOWDAH_WORD_OF(howdah_pool_figures, most_memory)]);
  return most;
}

/* The name of the pools where they have one. */
static howdah_str pool_name(const howdah_report *report) {
  for (size_t i = 0; i < report->pool_count; i++) {
    const ngx_str_t *name = &report->pools[i].name, *first = &report->pools[0].name;
    if (name->len != first->len || ngx_memcmp(name->data, first->data, name->len) != 0) return text_of("howdah");
  }
  return report->pool_count ? howdah_str_of(&report->pools[0].name) : text_of("howdah");
}

static bool has_memory_peak(void) {
  enum { SINCE_MAJOR = 8, SINCE_MINOR = 4 };
  char *end;
  long major = strtol(howdah_engine_php_version(), &end, 10), minor = *end == '.' ? strtol(end + 1, NULL, 10) : 0;
  return major > SINCE_MAJOR || (major == SINCE_MAJOR && minor >= SINCE_MINOR);
}

static void add_text(fields *to, const char *name, howdah_str text) {
  to->fields[to->count++] = (field){.name = name, .text = text};
}

static void add(fields *to, const char *name, const char *metric, const char *type, const char *help, uint64_t number) {
  to->fields[to->count++] = (field){.name = name, .metric = metric, .type = type, .help = help, .number = number};
}

/* epoch: the format's time is a number of seconds. */
static void add_start(fields *to, time_t start, bool epoch) {
  static const char name[] = "start time";
  struct tm local;
  if (epoch || !localtime_r(&start, &local) || strftime(to->start, sizeof to->start, "%d/%b/%Y:%H:%M:%S %z", &local) == 0)
    add(to, name, NULL, NULL, NULL, (uint64_t)start);
  else
    add_text(to, name, text_of(to->start));
}

static void fill(fields *to, const howdah_report *report, bool epoch) {
  uint64_t idle = SUM(report, idle), active = SUM(report, computing) + SUM(report, waiting) + SUM(report, booting);
  to->count = 0;
  add_text(to, "pool", pool_name(report));
  add_text(to, "process manager", text_of("dynamic"));
  add_start(to, report->started, epoch);
  add(to, "start since", "start_since", "counter", "The number of seconds since FPM has started.", report->runs_s);
  add(to, "accepted conn", "accepted_connections", "counter", "The number of requests accepted by the pool.", requests(report));
  add(to, "listen queue", "listen_queue", "gauge", "The number of requests in the queue of pending connections.",
      SUM(report, queue_length));
  add(to, "max listen queue", "max_listen_queue", "counter",
      "The maximum number of requests in the queue of pending connections since FPM has started.", SUM(report, most_queued));
  add(to, "listen queue len", "listen_queue_length", "gauge", "The size of the socket queue of pending connections.",
      SUM(report, queue_capacity));
  add(to, "idle processes", "idle_processes", "gauge", "The number of idle processes.", idle);
  add(to, "active processes", "active_processes", "gauge", "The number of active processes.", active);
  add(to, "total processes", "total_processes", "gauge", "The number of idle + active processes.", idle + active);
  add(to, "max active processes", "max_active_processes", "counter",
      "The maximum number of active processes since FPM has started.", SUM(report, most_busy));
  add(to, "max children reached", "max_children_reached", "counter",
      "The number of times, the process limit has been reached: requests that waited for a realm.", SUM(report, queued));
  add(to, "slow requests", "slow_requests", "counter",
      "The number of requests that exceeded your 'request_slowlog_timeout' value.", SUM(report, slow));
  if (has_memory_peak())
    add(to, "memory peak", "memory_peak", "gauge", "The memory usage peak since FPM has started.", memory_peak(report));
}

/* ---- A realm ---- */

static void add_decimal(fields *to, const char *name, uint64_t hundredths) {
  to->fields[to->count++] = (field){.name = name, .number = hundredths, .is_hundredths = true};
}

/* The share of a processor that the last request had; only where CPU time is measured. */
static uint64_t cpu_hundredths(const howdah_row *row) {
  enum { PERCENT = 100, HUNDREDTHS = 100 };
  return row->busy || !row->last_us ? 0 : row->last_cpu_us * PERCENT * HUNDREDTHS / row->last_us;
}

static howdah_str or_dash(const char *text) {
  return text_of(*text ? text : "-");
}

static void fill_process(fields *to, const howdah_row *row, bool epoch) {
  enum { US = 1000000 };
  uint64_t now_us = howdah_loop_now_us(), age = (now_us - row->born_us) / US;
  to->count = 0;
  add(to, "pid", NULL, NULL, NULL, (uint64_t)row->pid);
  add_text(to, "state", text_of(row->busy ? "Running" : "Idle"));
  add_start(to, ngx_time() - (time_t)age, epoch);
  add(to, "start since", NULL, NULL, NULL, age);
  add(to, "requests", NULL, NULL, NULL, row->served);
  add(to, "request duration", NULL, NULL, NULL, row->began_us ? now_us - row->began_us : row->last_us);
  add_text(to, "request method", or_dash(row->method));
  add_text(to, "request uri", or_dash(row->uri));
  add(to, "content length", NULL, NULL, NULL, row->content_length);
  add_text(to, "user", or_dash(row->user));
  add_text(to, "script", or_dash(row->script));
  add_decimal(to, "last request cpu", cpu_hundredths(row));
  add(to, "last request memory", NULL, NULL, NULL, row->busy ? 0 : row->last_memory);
}

/* ---- The formats ---- */

typedef struct {
  fields server;
  bool full, epoch;
  const howdah_row *rows;
  size_t row_count;
} view;

static void add_number(howdah_page *page, const field *of) {
  enum { HUNDRED = 100 };
  if (of->is_hundredths)
    howdah_page_add(page, "%uL.%02uL", of->number / HUNDRED, of->number % HUNDRED);
  else
    howdah_page_add(page, "%uL", of->number);
}

/* For XML and HTML; a name may be cut within a character. */
static void add_encoded(howdah_page *page, howdah_str text) {
  for (size_t i = 0; i < text.len; i++) {
    unsigned char c = (unsigned char)text.data[i];
    switch (c) {
    case '<':
      howdah_page_add(page, "&lt;");
      break;
    case '>':
      howdah_page_add(page, "&gt;");
      break;
    case '&':
      howdah_page_add(page, "&amp;");
      break;
    default:
      howdah_page_add(page, "%c", c < 0x20 || c >= 0x7f ? '?' : c);
    }
  }
}

static void add_value(howdah_page *page, const field *of) {
  if (of->text.data)
    add_encoded(page, of->text);
  else
    add_number(page, of);
}

static void add_lines(howdah_page *page, const fields *all) {
  enum { COLUMN = 22 };
  for (const field *at = all->fields; at < all->fields + all->count; at++) {
    howdah_page_add(page, "%s:", ngx_strcmp(at->name, "request uri") == 0 ? "request URI" : at->name);
    for (size_t width = ngx_strlen(at->name) + 1; width < COLUMN; width++)
      howdah_page_add(page, " ");
    if (at->text.data)
      howdah_page_add(page, "%*s", at->text.len, at->text.data);
    else
      add_number(page, at);
    howdah_page_add(page, "\n");
  }
}

static void print_text(howdah_page *page, const view *view) {
  fields process;
  add_lines(page, &view->server);
  for (size_t i = 0; i < view->row_count; i++) {
    fill_process(&process, &view->rows[i], view->epoch);
    howdah_page_add(page, "\n************************\n");
    add_lines(page, &process);
  }
}

/* Without the brace at the end. */
static void add_members(howdah_page *page, const fields *all) {
  for (const field *at = all->fields; at < all->fields + all->count; at++) {
    howdah_page_add(page, "%s\"%s\":", at == all->fields ? "{" : ",", at->name);
    if (at->text.data)
      howdah_page_add_quoted(page, &(ngx_str_t){at->text.len, (u_char *)at->text.data});
    else
      add_number(page, at);
  }
}

static void print_json(howdah_page *page, const view *view) {
  fields process;
  add_members(page, &view->server);
  if (view->full) howdah_page_add(page, ", \"processes\":[");
  for (size_t i = 0; i < view->row_count; i++) {
    fill_process(&process, &view->rows[i], view->epoch);
    if (i) howdah_page_add(page, ",");
    add_members(page, &process);
    howdah_page_add(page, "}");
  }
  howdah_page_add(page, view->full ? "]}" : "}");
}

static void add_tag(howdah_page *page, const char *begin, const char *name) {
  howdah_page_add(page, "%s", begin);
  for (; *name; name++)
    howdah_page_add(page, "%c", *name == ' ' ? '-' : *name);
  howdah_page_add(page, ">");
}

static void add_elements(howdah_page *page, const fields *all, const char *after) {
  for (const field *at = all->fields; at < all->fields + all->count; at++) {
    add_tag(page, "<", at->name);
    add_value(page, at);
    add_tag(page, "</", at->name);
    howdah_page_add(page, "%s", after);
  }
}

static void print_xml(howdah_page *page, const view *view) {
  fields process;
  howdah_page_add(page, "<?xml version=\"1.0\" ?>\n<status>\n");
  add_elements(page, &view->server, "\n");
  if (view->full) howdah_page_add(page, "<processes>\n");
  for (size_t i = 0; i < view->row_count; i++) {
    fill_process(&process, &view->rows[i], view->epoch);
    howdah_page_add(page, "<process>");
    add_elements(page, &process, "");
    howdah_page_add(page, "</process>\n");
  }
  howdah_page_add(page, view->full ? "</processes>\n</status>" : "</status>");
}

static void add_table(howdah_page *page, const view *view) {
  fields process;
  static const howdah_row nobody;
  fill_process(&process, &nobody, true);
  howdah_page_add(page, "<table border=\"1\">\n<tr>");
  for (const field *at = process.fields; at < process.fields + process.count; at++)
    howdah_page_add(page, "<th>%s</th>", at->name);
  howdah_page_add(page, "</tr>\n");
  for (size_t i = 0; i < view->row_count; i++) {
    fill_process(&process, &view->rows[i], view->epoch);
    howdah_page_add(page, "<tr>");
    for (const field *at = process.fields; at < process.fields + process.count; at++) {
      howdah_page_add(page, "<td>");
      add_value(page, at);
      howdah_page_add(page, "</td>");
    }
    howdah_page_add(page, "</tr>\n");
  }
  howdah_page_add(page, "</table>");
}

static void print_html(howdah_page *page, const view *view) {
  const fields *all = &view->server;
  howdah_page_add(page,
                  "<!DOCTYPE html>\n<html lang=\"en\">\n<head><title>PHP-FPM Status Page</title></head>\n<body>\n<table>\n");
  for (const field *at = all->fields; at < all->fields + all->count; at++) {
    howdah_page_add(page, "<tr><th>%s</th><td>", at->name);
    add_value(page, at);
    howdah_page_add(page, "</td></tr>\n");
  }
  howdah_page_add(page, "</table>\n");
  if (view->full) add_table(page, view);
  howdah_page_add(page, "</body></html>");
}

static void print_openmetrics(howdah_page *page, const view *view) {
  const fields *all = &view->server;
  howdah_page_add(page, "# HELP phpfpm_up Could pool ");
  add_encoded(page, all->fields[0].text);
  howdah_page_add(page, " using a dynamic PM on PHP-FPM be reached?\n# TYPE phpfpm_up gauge\nphpfpm_up 1\n");
  for (const field *at = all->fields; at < all->fields + all->count; at++) {
    if (!at->metric) continue;
    howdah_page_add(page, "# HELP phpfpm_%s %s\n# TYPE phpfpm_%s %s\n", at->metric, at->help, at->metric, at->type);
    howdah_page_add(page, "phpfpm_%s %uL\n", at->metric, at->number);
  }
  howdah_page_add(page, "# EOF\n");
}

/* ---- Which ---- */

typedef struct {
  const char *key; /* in the query; php-fpm looks for them in this order */
  const char *type;
  bool epoch;
  void (*print)(howdah_page *page, const view *view);
} format;

static const format formats[] = {
    {"html", "text/html;charset=UTF-8", false, print_html},
    {"xml", "text/xml;charset=UTF-8", true, print_xml},
    {"json", "application/json", true, print_json},
    {"openmetrics", "application/openmetrics-text; version=1.0.0; charset=utf-8", true, print_openmetrics},
    {"full", "text/plain;charset=UTF-8", false, print_text},
};
enum { FORMATS = sizeof formats / sizeof *formats, PLAIN = FORMATS - 1 };

/* As PHP would find it in $_GET, for names that need no decoding. */
static bool query_has(const ngx_http_request_t *r, const char *key) {
  size_t len = ngx_strlen(key);
  const u_char *at = r->args.data, *end = r->args.data + r->args.len;
  while (at < end) {
    const u_char *next = ngx_strlchr((u_char *)at, (u_char *)end, '&');
    if (!next) next = end;
    const u_char *equals = ngx_strlchr((u_char *)at, (u_char *)next, '=');
    size_t name = (size_t)((equals ? equals : next) - at);
    if (name == len && ngx_strncmp(at, key, len) == 0) return true;
    at = next + 1;
  }
  return false;
}

static const format *asked_for(const ngx_http_request_t *r) {
  for (size_t i = 0; i < FORMATS; i++)
    if (query_has(r, formats[i].key)) return &formats[i];
  return NULL;
}

bool howdah_fpm_is_asked(const ngx_http_request_t *r) {
  return asked_for(r) != NULL;
}

const char *howdah_print_fpm(howdah_page *page, const howdah_status_page *status) {
  const format *format = asked_for(page->r);
  view view = {.full = query_has(page->r, "full")};
  if (!format) format = &formats[PLAIN];
  view.epoch = format->epoch;
  fill(&view.server, &status->report, view.epoch);
  if (view.full) {
    view.rows = howdah_report_rows(page->r->pool, &view.row_count);
    page->failed = page->failed || !view.rows;
  }
  format->print(page, &view);
  return format->type;
}
