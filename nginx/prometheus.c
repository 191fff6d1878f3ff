/* Figures in Prometheus' text format, version 0.0.4: a name's HELP and TYPE, then its samples, none of another name between
 * (https://prometheus.io/docs/instrumenting/exposition_formats/). */
#include "page.h"

static const char *const modes[] = {[HOWDAH_CLASSIC] = "classic", [HOWDAH_WORKER] = "worker"};

/* Of one sample: the words that it is made of, and the labels that all of its scope have. */
typedef struct {
  const uint64_t *words;
  const howdah_pool_report *pool;
  const howdah_worker_report *worker;
} source;

static void add_labels(howdah_page *page, const howdah_metric *metric, const source *of, const char *bound) {
  const char *before = "{";
  if (of->pool) {
    howdah_page_add(page, "{pool=");
    howdah_page_add_quoted(page, &of->pool->name);
    howdah_page_add(page, ",mode=\"%s\"", modes[of->pool->mode]);
    before = ",";
  } else if (of->worker) {
    howdah_page_add(page, "{worker=\"%ui\"", of->worker->place);
    before = ",";
  }
  if (metric->label) {
    howdah_page_add(page, "%s%s=\"%s\"", before, metric->label, metric->value);
    before = ",";
  }
  if (bound) {
    howdah_page_add(page, "%sle=\"%s\"", before, bound);
    before = ",";
  }
  howdah_page_add(page, before[0] == ',' ? "} " : " ");
}

/* "0.0025", "10": as short as it goes. */
static const char *bound_text(u_char *text, size_t size, uint64_t us) {
  u_char *end = ngx_snprintf(text, size - 1, "%uL.%06uL", us / 1000000, us % 1000000);
  while (end[-1] == '0')
    end--;
  if (end[-1] == '.') end--;
  *end = '\0';
  return (const char *)text;
}

/* Buckets are cumulative here, and the count is their sum: they agree also where a worker was killed between two stores. */
static void add_histogram(howdah_page *page, const howdah_metric *metric, const source *of) {
  const uint64_t *counts = of->words + metric->word;
  uint64_t count = 0;
  u_char text[NGX_INT64_LEN + 8];
  for (unsigned i = 0; i <= HOWDAH_BOUNDS; i++) {
    count += counts[i];
    howdah_page_add(page, "%s_bucket", metric->name);
    add_labels(page, metric, of, i < HOWDAH_BOUNDS ? bound_text(text, sizeof text, howdah_bounds_us[i]) : "+Inf");
    howdah_page_add(page, "%uL\n", count);
  }
  howdah_page_add(page, "%s_sum", metric->name);
  add_labels(page, metric, of, NULL);
  howdah_page_add_seconds(page, counts[HOWDAH_BOUNDS + 1]);
  howdah_page_add(page, "\n%s_count", metric->name);
  add_labels(page, metric, of, NULL);
  howdah_page_add(page, "%uL\n", count);
}

static void add_sample(howdah_page *page, const howdah_metric *metric, const source *of) {
  if (metric->type == HOWDAH_HISTOGRAM) {
    add_histogram(page, metric, of);
    return;
  }
  howdah_page_add(page, "%s", metric->name);
  add_labels(page, metric, of, NULL);
  if (metric->type == HOWDAH_SECONDS)
    howdah_page_add_seconds(page, of->words[metric->word]);
  else
    howdah_page_add(page, "%uL", of->words[metric->word]);
  howdah_page_add(page, "\n");
}

static void add_samples(howdah_page *page, const howdah_metric *metric, const howdah_status_page *status) {
  const howdah_report *report = &status->report;
  if (metric->scope == HOWDAH_OF_ALL_WORKERS) add_sample(page, metric, &(source){.words = report->total});
  for (size_t i = 0; metric->scope == HOWDAH_OF_POOLS && i < report->pool_count; i++)
    add_sample(page, metric, &(source){.words = report->pools[i].words, .pool = &report->pools[i]});
  for (size_t i = 0; metric->scope == HOWDAH_OF_EACH_WORKER && i < report->worker_count; i++)
    add_sample(page, metric, &(source){.words = report->workers[i].words, .worker = &report->workers[i]});
}

static void add_single(howdah_page *page, const char *name, const char *type, const char *help, uint64_t value) {
  howdah_page_add(page, "# HELP %s %s\n# TYPE %s %s\n%s %uL\n", name, help, name, type, name, value);
}

void howdah_print_prometheus(howdah_page *page, const howdah_status_page *status) {
  static const char *const types[] = {
      [HOWDAH_COUNTER] = "counter", [HOWDAH_SECONDS] = "counter", [HOWDAH_GAUGE] = "gauge", [HOWDAH_HISTOGRAM] = "histogram"};
  const howdah_report *report = &status->report;
  if (status->open)
    howdah_page_add(page, "# This page is open to everybody who can reach it: put allow and deny, or auth_basic, into its "
                          "location.\n");
  howdah_page_add(page,
                  "# HELP howdah_build_info Versions; its value is 1.\n# TYPE howdah_build_info gauge\n"
                  "howdah_build_info{version=\"" HOWDAH_VERSION "\",php=\"%s\",nginx=\"" NGINX_VERSION "\"} 1\n",
                  howdah_engine_php_version());
  add_single(page, "howdah_start_time_seconds", "gauge", "When nginx's master began to count, in seconds since 1970.",
             (uint64_t)report->started);
  add_single(page, "howdah_workers", "gauge", "Worker processes that live.", report->worker_count);
  add_single(page, "howdah_workers_lost_total", "counter", "Worker processes that have ended without leaving in order.",
             report->lost);
  for (size_t i = 0; i < howdah_metrics_count; i++) {
    const howdah_metric *metric = &howdah_metrics[i], *next = metric + 1;
    size_t same = 1;
    while (i + same < howdah_metrics_count && ngx_strcmp(next->name, metric->name) == 0) {
      next++;
      same++;
    }
    howdah_page_add(page, "# HELP %s %s\n# TYPE %s %s\n", metric->name, metric->help, metric->name, types[metric->type]);
    for (; metric < next; metric++)
      add_samples(page, metric, status);
    i += same - 1;
  }
}
