/* Figures as JSON: the names of Prometheus' metrics without "howdah_"; those with a label are objects, a member for each of its
 * values. */
#include "page.h"

static const char *const modes[] = {[HOWDAH_CLASSIC] = "classic", [HOWDAH_WORKER] = "worker"};

static const char *key_of(const howdah_metric *metric) {
  return metric->name + sizeof("howdah_") - 1;
}

static bool same_name(const howdah_metric *a, const howdah_metric *b) {
  return ngx_strcmp(a->name, b->name) == 0;
}

static void add_histogram(howdah_page *page, const uint64_t *counts) {
  uint64_t count = 0;
  for (unsigned i = 0; i <= HOWDAH_BOUNDS; i++)
    count += counts[i];
  howdah_page_add(page, "{\"count\":%uL,\"sum\":", count);
  howdah_page_add_seconds(page, counts[HOWDAH_BOUNDS + 1]);
  howdah_page_add(page, ",\"buckets\":[");
  count = 0;
  for (unsigned i = 0; i < HOWDAH_BOUNDS; i++) {
    count += counts[i];
    howdah_page_add(page, "%s{\"le\":", i ? "," : "");
    howdah_page_add_seconds(page, howdah_bounds_us[i]);
    howdah_page_add(page, ",\"count\":%uL}", count);
  }
  howdah_page_add(page, "]}");
}

static void add_value(howdah_page *page, const howdah_metric *metric, const uint64_t *words) {
  if (metric->type == HOWDAH_HISTOGRAM)
    add_histogram(page, words + metric->word);
  else if (metric->type == HOWDAH_SECONDS)
    howdah_page_add_seconds(page, words[metric->word]);
  else
    howdah_page_add(page, "%uL", words[metric->word]);
}

/* The members of an object; a comma before each. */
static void add_members(howdah_page *page, howdah_metric_scope scope, const uint64_t *words) {
  const howdah_metric *end = howdah_metrics + howdah_metrics_count;
  for (const howdah_metric *metric = howdah_metrics; metric < end; metric++) {
    if (metric->scope != scope) continue;
    bool begins = metric == howdah_metrics || !same_name(metric, metric - 1);
    bool ends = metric + 1 == end || !same_name(metric, metric + 1);
    if (begins) howdah_page_add(page, ",\"%s\":", key_of(metric));
    if (metric->label) howdah_page_add(page, "%s\"%s\":", begins ? "{" : ",", metric->value);
    add_value(page, metric, words);
    if (metric->label && ends) howdah_page_add(page, "}");
  }
}

void howdah_print_json(howdah_page *page, const howdah_status_page *status) {
  const howdah_report *report = &status->report;
  howdah_page_add(page, "{\"version\":\"" HOWDAH_VERSION "\",\"php\":\"%s\",\"nginx\":\"" NGINX_VERSION "\"",
                  howdah_engine_php_version());
  howdah_page_add(page, ",\"open_to_everybody\":%s,\"start_time\":%T,\"workers_lost\":%uL", status->open ? "true" : "false",
                  report->started, report->lost);
  add_members(page, HOWDAH_OF_ALL_WORKERS, report->total);
  howdah_page_add(page, ",\"workers\":[");
  for (size_t i = 0; i < report->worker_count; i++) {
    const howdah_worker_report *worker = &report->workers[i];
    howdah_page_add(page, "%s{\"worker\":%ui,\"pid\":%P", i ? "," : "", worker->place, worker->pid);
    add_members(page, HOWDAH_OF_EACH_WORKER, worker->words);
    howdah_page_add(page, "}");
  }
  howdah_page_add(page, "],\"pools\":[");
  for (size_t i = 0; i < report->pool_count; i++) {
    const howdah_pool_report *pool = &report->pools[i];
    howdah_page_add(page, "%s{\"pool\":", i ? "," : "");
    howdah_page_add_quoted(page, &pool->name);
    howdah_page_add(page, ",\"mode\":\"%s\"", modes[pool->mode]);
    add_members(page, HOWDAH_OF_POOLS, pool->words);
    howdah_page_add(page, "}");
  }
  howdah_page_add(page, "]}\n");
}
