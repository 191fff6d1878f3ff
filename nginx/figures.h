/* What Howdah counts and measures, in memory that nginx's master and all its workers share: it outlives a worker's death and a
 * reload, and ends with the master.
 *
 * Invariants:
 *  1. Each worker has a place and is the only one to write there: plain stores of 8 bytes, no locks. Whoever is killed while it
 *     writes leaves a figure that was right a moment before.
 *  2. Who takes the place of one that has gone goes on counting from its figures. So the sum over all places never goes back.
 *  3. Counters stand before gauges. Gauges of those that have gone do not count.
 *  4. Requests are counted as they end; what pools and realms do is told once in TELL_MS (figures.c). */
#ifndef HOWDAH_NGINX_FIGURES_H
#define HOWDAH_NGINX_FIGURES_H

#include "module.h"

#include <stdatomic.h>

typedef _Atomic uint64_t howdah_figure;

/* Of times: how many took up to howdah_bounds_us[i], and more than the one before. */
enum { HOWDAH_BOUNDS = 14 };
extern const uint64_t howdah_bounds_us[HOWDAH_BOUNDS];
typedef struct {
  howdah_figure counts[HOWDAH_BOUNDS + 1], sum_us;
} howdah_histogram;

enum { HOWDAH_CLASSES = 4, HOWDAH_REASONS = 8 }; /* 2xx to 5xx; those of howdah_pool_deaths, and others */

/* Of one pool, by one worker. */
typedef struct howdah_pool_figures {
  howdah_figure requests[HOWDAH_CLASSES];
  howdah_histogram duration, queue, wait, cpu;
  howdah_figure queued; /* requests that waited for a realm for a millisecond, or longer */
  howdah_figure slow;   /* for the log of slow requests */
  howdah_figure cancelled, births, deaths[HOWDAH_REASONS], collections;
  howdah_figure most_busy, most_queued; /* they only grow */
  howdah_figure most_memory;            /* bytes, of a request; in a report the most of all workers */
  /* Gauges. From idle on. */
  howdah_figure idle, computing, waiting, booting;
  howdah_figure queue_length, queue_capacity, limit, realms_max;
} howdah_pool_figures;

/* Of one worker. */
typedef struct {
  howdah_figure cpu_us, switches, loads;
  struct {
    howdah_figure count, us;
  } waits[HOWDAH_WAIT_KINDS];
  howdah_figure spans[HOWDAH_SPAN_RESULTS]; /* of traces */
  /* Gauges. From memory on. */
  howdah_figure memory;  /* bytes */
  howdah_figure ready;   /* all of its pools have booted */
  howdah_figure failing; /* a worker script does not boot */
  howdah_figure leaving;
} howdah_worker_figures;

#define HOWDAH_WORDS(type)          (sizeof(type) / sizeof(howdah_figure))
#define HOWDAH_WORD_OF(type, field) (offsetof(type, field) / sizeof(howdah_figure))

/* ---- What is measured: one table, for all formats ---- */

/* SECONDS: a counter of microseconds. */
typedef enum { HOWDAH_COUNTER, HOWDAH_SECONDS, HOWDAH_GAUGE, HOWDAH_HISTOGRAM } howdah_metric_type;
typedef enum { HOWDAH_OF_POOLS, HOWDAH_OF_ALL_WORKERS, HOWDAH_OF_EACH_WORKER } howdah_metric_scope;

typedef struct {
  const char *name; /* Prometheus'; without "howdah_" it is JSON's key */
  const char *help;
  const char *label, *value; /* NULL: none. Those of one name stand together */
  howdah_metric_type type;
  howdah_metric_scope scope;
  unsigned word; /* its place in howdah_pool_figures or howdah_worker_figures */
} howdah_metric;

extern const howdah_metric howdah_metrics[];
extern const size_t howdah_metrics_count;

/* ---- Realms, as php-fpm's page lists its children ---- */

enum { HOWDAH_ROWS = 128 }; /* of one worker; more are not listed */

/* Texts end with a zero, and are cut. */
typedef struct {
  ngx_pid_t pid; /* its worker's */
  bool busy;
  uint64_t born_us, served;
  uint64_t began_us; /* its request, if it is busy; 0: it boots, say */
  uint64_t last_us, last_cpu_us, last_memory, content_length;
  char method[16], uri[128], user[32], script[128];
} howdah_row;

/* Those of all workers, as each has told them last; of a request's memory. NULL when memory is short. */
howdah_row *howdah_report_rows(ngx_pool_t *pool, size_t *count);

/* ---- The figures of all workers, as they are now; of a request's memory ---- */

typedef struct {
  howdah_mode mode;
  ngx_str_t name;
  uint64_t words[HOWDAH_WORDS(howdah_pool_figures)];
} howdah_pool_report;

typedef struct {
  ngx_uint_t place;
  ngx_pid_t pid;
  uint64_t words[HOWDAH_WORDS(howdah_worker_figures)];
} howdah_worker_report;

typedef struct {
  time_t started;                  /* when nginx's master was */
  uint64_t runs_s;                 /* since then, however the clock was set meanwhile */
  bool has_been_ready;             /* a worker was */
  uint64_t lost;                   /* workers that have ended without leaving */
  size_t pool_count, worker_count; /* workers: those that live */
  howdah_pool_report *pools;
  howdah_worker_report *workers;
  uint64_t total[HOWDAH_WORDS(howdah_worker_figures)];
} howdah_report;

/* NGX_ERROR when memory is short. Where nothing is counted (places.c has said why) all is 0. */
ngx_int_t howdah_report_make(ngx_pool_t *pool, howdah_report *report);

/* ---- Places (places.c) ---- */

typedef struct howdah_place howdah_place;

/* In a worker. NULL: there is none, and the log says why. */
howdah_place *howdah_place_take(const howdah_main_conf *conf, ngx_log_t *log);
/* Its figures stay. */
void howdah_place_leave(howdah_place *mine);
howdah_worker_figures *howdah_place_worker(howdah_place *mine);
howdah_pool_figures *howdah_place_pool(howdah_place *mine, const howdah_slot *slot);
/* Writes a row; and how many there are. */
void howdah_place_row(howdah_place *mine, size_t number, const howdah_row *row);
void howdah_place_rows(howdah_place *mine, size_t count);
/* A worker has booted all of its pools: the server has started. */
void howdah_place_is_ready(void);

#endif
