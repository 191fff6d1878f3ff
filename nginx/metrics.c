/* What is measured: a line for each figure. Formats (prometheus.c, json.c) go by it, and docs/monitoring.md lists it. */
#include "figures.h"

#define POOL(field)   HOWDAH_OF_POOLS, HOWDAH_WORD_OF(howdah_pool_figures, field)
#define ALL(field)    HOWDAH_OF_ALL_WORKERS, HOWDAH_WORD_OF(howdah_worker_figures, field)
#define WORKER(field) HOWDAH_OF_EACH_WORKER, HOWDAH_WORD_OF(howdah_worker_figures, field)

#define REQUESTS(class, index)                                                                                                 \
  {                                                                                                                            \
    "howdah_requests_total", "Requests for PHP that have ended, by the class of their status.", "code", class, HOWDAH_COUNTER, \
        POOL(requests[index])                                                                                                  \
  }
#define TIME(name, help, field)                                                                                                \
  { name, help, NULL, NULL, HOWDAH_HISTOGRAM, POOL(field) }
#define REALMS(state, field)                                                                                                   \
  { "howdah_realms", "Realms, by what they do.", "state", state, HOWDAH_GAUGE, POOL(field) }
#define DEATHS(reason, index)                                                                                                  \
  {                                                                                                                            \
    "howdah_realm_deaths_total", "Realms that have ended, by the reason.", "reason", reason, HOWDAH_COUNTER,                   \
        POOL(deaths[index])                                                                                                    \
  }

#define SPANS(result, index)                                                                                                   \
  {                                                                                                                            \
    "howdah_trace_spans_total", "Spans of traces, by what became of them.", "result", result, HOWDAH_COUNTER,                  \
        ALL(spans[index])                                                                                                      \
  }

#define WAITS(kind, index)                                                                                                     \
  {"howdah_waits_total",   "Waits of realms that are over, by what they waited for.", "for", kind, HOWDAH_COUNTER,             \
   ALL(waits[index].count)},
#define WAIT_SECONDS(kind, index)                                                                                              \
  {"howdah_wait_seconds_total", "How long these waits were.", "for", kind, HOWDAH_SECONDS, ALL(waits[index].us)},

const howdah_metric howdah_metrics[] = {
    REQUESTS("2xx", 0),
    REQUESTS("3xx", 1),
    REQUESTS("4xx", 2),
    REQUESTS("5xx", 3),
    TIME("howdah_request_duration_seconds", "From a request's arrival at its pool to its end.", duration),
    TIME("howdah_request_queue_seconds", "How long of this it waited for a realm.", queue),
    TIME("howdah_request_wait_seconds", "How long of this its realm was parked.", wait),
    TIME("howdah_request_cpu_seconds", "CPU time that it took; only where it is measured.", cpu),
    {"howdah_requests_queued_total", "Requests that waited for a realm for a millisecond or longer.", NULL, NULL,
     HOWDAH_COUNTER, POOL(queued)},
    {"howdah_requests_slow_total", "Requests that PHP served for longer than howdah_slow.", NULL, NULL, HOWDAH_COUNTER,
     POOL(slow)},
    {"howdah_requests_cancelled_total", "Requests that ended before their time: client gone, time limit, shutdown.", NULL, NULL,
     HOWDAH_COUNTER, POOL(cancelled)},
    {"howdah_queue_length", "Requests that wait for a realm.", NULL, NULL, HOWDAH_GAUGE, POOL(queue_length)},
    {"howdah_queue_capacity", "Requests that may wait (howdah_queue).", NULL, NULL, HOWDAH_GAUGE, POOL(queue_capacity)},
    REALMS("idle", idle),
    REALMS("computing", computing),
    REALMS("waiting", waiting),
    REALMS("booting", booting),
    {"howdah_realms_max", "Realms that there may be (howdah_concurrency).", NULL, NULL, HOWDAH_GAUGE, POOL(realms_max)},
    {"howdah_concurrency_limit", "Requests that may run at once now: the adaptive limit, or howdah_realms_max.", NULL, NULL,
     HOWDAH_GAUGE, POOL(limit)},
    {"howdah_realm_births_total", "Realms that were born.", NULL, NULL, HOWDAH_COUNTER, POOL(births)},
    DEATHS("script", 0),
    DEATHS("boot", 1),
    DEATHS("requests", 2),
    DEATHS("memory", 3),
    DEATHS("outdated", 4),
    DEATHS("idle", 5),
    DEATHS("ceiling", 6),
    DEATHS("other", 7),
    {"howdah_realm_collections_total", "How often PHP looked for reference cycles in idle realms.", NULL, NULL, HOWDAH_COUNTER,
     POOL(collections)},
    {"howdah_switches_total", "How often a realm went on.", NULL, NULL, HOWDAH_COUNTER, ALL(switches)},
    {"howdah_state_loads_total", "How often another realm's state had to be copied for that.", NULL, NULL, HOWDAH_COUNTER,
     ALL(loads)},
    HOWDAH_EACH_WAIT(WAITS) HOWDAH_EACH_WAIT(WAIT_SECONDS){"howdah_cpu_seconds_total", "CPU time of all workers.", NULL, NULL,
                                                           HOWDAH_SECONDS, ALL(cpu_us)},
    SPANS("exported", HOWDAH_SPANS_EXPORTED),
    SPANS("rejected", HOWDAH_SPANS_REJECTED),
    SPANS("failed", HOWDAH_SPANS_FAILED),
    SPANS("dropped", HOWDAH_SPANS_DROPPED),
    {"howdah_worker_memory_bytes", "Resident memory that is the worker's own.", NULL, NULL, HOWDAH_GAUGE, WORKER(memory)},
    {"howdah_worker_ready", "Whether all of its pools have booted.", NULL, NULL, HOWDAH_GAUGE, WORKER(ready)},
    {"howdah_worker_failing", "Whether a worker script of it does not boot.", NULL, NULL, HOWDAH_GAUGE, WORKER(failing)},
    {"howdah_worker_leaving", "Whether it takes no more connections.", NULL, NULL, HOWDAH_GAUGE, WORKER(leaving)},
};

const size_t howdah_metrics_count = sizeof howdah_metrics / sizeof *howdah_metrics;
