/* Counting: what a worker writes in its place (places.c). See figures.h for the invariants. */
#include "figures.h"

#include <sys/resource.h>

enum { TELL_MS = 200, TELL_US = TELL_MS * 1000, QUEUED_US = 1000 };

const uint64_t howdah_bounds_us[HOWDAH_BOUNDS] = {1000,   2500,   5000,    10000,   25000,   50000,    100000,
                                                  250000, 500000, 1000000, 2500000, 5000000, 10000000, 30000000};

/* A worker's. */
static struct {
  howdah_place *place; /* NULL: it counts nothing */
  howdah_main_conf *conf;
  howdah_pool_stats *told; /* of each slot, when it was told last */
  uint64_t switches, loads, cpu_us;
  howdah_waits waits[HOWDAH_WAIT_KINDS];
  uint64_t spans[HOWDAH_SPAN_RESULTS];
  uint64_t told_us;
  ngx_event_t timer;
} self;

/* ---- Writing ---- */

static inline void add(howdah_figure *to, uint64_t more) {
  atomic_store_explicit(to, atomic_load_explicit(to, memory_order_relaxed) + more, memory_order_relaxed);
}

static inline void set(howdah_figure *to, uint64_t value) {
  atomic_store_explicit(to, value, memory_order_relaxed);
}

static void raise_to(howdah_figure *to, uint64_t value) {
  if (value > atomic_load_explicit(to, memory_order_relaxed)) set(to, value);
}

/* What has come since it was told last. */
static void add_since(howdah_figure *to, uint64_t now, uint64_t *before) {
  add(to, now - *before);
  *before = now;
}

static void observe(howdah_histogram *histogram, uint64_t us) {
  unsigned i = 0;
  while (i < HOWDAH_BOUNDS && us > howdah_bounds_us[i])
    i++;
  add(&histogram->counts[i], 1);
  add(&histogram->sum_us, us);
}

void howdah_figures_count(const howdah_exchange *exchange, ngx_int_t status) {
  howdah_pool_figures *of = exchange->slot->figures;
  const howdah_request *request = &exchange->request;
  if (!of) return;
  ngx_int_t class = status / 100 - 2;
  add(&of->requests[class >= 0 && class < HOWDAH_CLASSES ? class : HOWDAH_CLASSES - 1], 1);
  if (!request->received_us) return; /* the pool has not seen it */
  observe(&of->duration, exchange->finished_us - request->received_us);
  observe(&of->queue, request->queue_us);
  if (request->queue_us >= QUEUED_US) add(&of->queued, 1);
  if (!request->realm_id) return;
  observe(&of->wait, request->wait_us);
  raise_to(&of->most_memory, request->memory);
  if (self.conf->measures_cpu) observe(&of->cpu, request->cpu_us);
}

void howdah_figures_slow(const howdah_exchange *exchange) {
  if (exchange->slot->figures) add(&exchange->slot->figures->slow, 1);
}

/* A realm whose worker leaves ends for none of these reasons. */
static void add_deaths(howdah_pool_figures *to, const howdah_pool_stats *now, const howdah_pool_stats *before) {
  const howdah_pool_deaths *why = &now->why, *then = &before->why;
  const uint64_t more[] = {why->script - then->script,  why->boot - then->boot,         why->requests - then->requests,
                           why->memory - then->memory,  why->outdated - then->outdated, why->idle - then->idle,
                           why->ceiling - then->ceiling};
  enum { REASONS = sizeof more / sizeof *more };
  _Static_assert(REASONS + 1 == HOWDAH_REASONS, "a reason has no figure");
  uint64_t others = now->deaths - before->deaths;
  for (unsigned i = 0; i < REASONS; i++) {
    add(&to->deaths[i], more[i]);
    others -= more[i];
  }
  add(&to->deaths[REASONS], others);
}

static void tell_counters(howdah_pool_figures *to, const howdah_pool_stats *now, const howdah_pool_stats *before) {
  add(&to->cancelled, now->cancelled - before->cancelled);
  add(&to->births, now->births - before->births);
  add(&to->collections, now->collections - before->collections);
  add_deaths(to, now, before);
}

/* Pools that share a name add up: each adds by how much it has changed, which may be less than nothing. */
static void add_change(howdah_figure *to, unsigned now, unsigned before) {
  add(to, (uint64_t)now - before);
}

static void tell_gauges(howdah_pool_figures *to, const howdah_pool_stats *now, const howdah_pool_stats *before) {
  add_change(&to->idle, now->realms - now->busy, before->realms - before->busy);
  add_change(&to->computing, now->computing, before->computing);
  add_change(&to->waiting, now->busy - now->booting - now->computing, before->busy - before->booting - before->computing);
  add_change(&to->booting, now->booting, before->booting);
  add_change(&to->queue_length, now->queued, before->queued);
  add_change(&to->limit, now->limit, before->limit);
}

static void tell_of_pool(const howdah_slot *slot, howdah_pool_stats *before) {
  howdah_pool_stats now;
  howdah_pool_get_stats(slot->pool, &now);
  tell_counters(slot->figures, &now, before);
  tell_gauges(slot->figures, &now, before);
  *before = now;
}

/* When all pools have told. */
static void tell_most(howdah_pool_figures *to) {
  raise_to(&to->most_busy, to->computing + to->waiting);
  raise_to(&to->most_queued, to->queue_length);
}

/* ---- Rows ---- */

/* A client may have chosen it. */
static void copy_text(char *to, size_t size, const ngx_str_t *from) {
  size_t len = ngx_min(from->len, size - 1);
  for (size_t i = 0; i < len; i++)
    to[i] = (char)(from->data[i] < 0x20 || from->data[i] >= 0x7f ? '?' : from->data[i]);
  to[len] = '\0';
}

static void tell_of_realm(void *to, const howdah_realm_info *realm) {
  size_t *number = to;
  const howdah_exchange *exchange = (const howdah_exchange *)realm->request;
  if (*number == HOWDAH_ROWS) return;
  howdah_row row = {.busy = realm->busy,
                    .born_us = realm->born_us,
                    .served = realm->served,
                    .last_us = realm->last_us,
                    .last_cpu_us = realm->last_cpu_us,
                    .last_memory = realm->last_memory};
  if (exchange) {
    const ngx_http_request_t *r = exchange->r;
    row.began_us = exchange->request.received_us + exchange->request.queue_us;
    row.content_length = r->headers_in.content_length_n > 0 ? (uint64_t)r->headers_in.content_length_n : 0;
    copy_text(row.method, sizeof row.method, &r->method_name);
    copy_text(row.uri, sizeof row.uri, &r->unparsed_uri);
    copy_text(row.user, sizeof row.user, &r->headers_in.user);
    copy_text(row.script, sizeof row.script, &exchange->script_filename);
  }
  howdah_place_row(self.place, (*number)++, &row);
}

static void tell_rows(void) {
  howdah_slot *const *slots = self.conf->slots.elts;
  size_t count = 0;
  for (ngx_uint_t i = 0; i < self.conf->slots.nelts; i++)
    if (slots[i]->pool) howdah_pool_each_realm(slots[i]->pool, tell_of_realm, &count);
  howdah_place_rows(self.place, count);
}

static uint64_t cpu_us(void) {
  struct rusage used;
  if (getrusage(RUSAGE_SELF, &used) < 0) return self.cpu_us;
  return (uint64_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000 +
         (uint64_t)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

static void tell_waits(howdah_worker_figures *to) {
  howdah_waits waits[HOWDAH_WAIT_KINDS];
  howdah_engine_get_waits(waits);
  for (unsigned i = 0; i < HOWDAH_WAIT_KINDS; i++) {
    add_since(&to->waits[i].count, waits[i].count, &self.waits[i].count);
    add_since(&to->waits[i].us, waits[i].us, &self.waits[i].us);
  }
}

static void tell_spans(howdah_worker_figures *to) {
  uint64_t spans[HOWDAH_SPAN_RESULTS];
  howdah_trace_count(spans);
  for (unsigned i = 0; i < HOWDAH_SPAN_RESULTS; i++)
    add_since(&to->spans[i], spans[i], &self.spans[i]);
}

static void tell_of_worker(howdah_worker_figures *to) {
  tell_waits(to);
  tell_spans(to);
  add_since(&to->cpu_us, cpu_us(), &self.cpu_us);
  if (self.conf->slots.nelts) { /* of the process: each pool says the same */
    add_since(&to->switches, self.told[0].switches, &self.switches);
    add_since(&to->loads, self.told[0].loads, &self.loads);
  }
  howdah_pool_readiness readiness = howdah_readiness(self.conf);
  set(&to->memory, howdah_engine_memory());
  set(&to->ready, readiness == HOWDAH_POOL_READY);
  set(&to->failing, readiness == HOWDAH_POOL_FAILING);
  set(&to->leaving, howdah_is_leaving());
  if (readiness == HOWDAH_POOL_READY) howdah_place_is_ready();
}

void howdah_figures_tell(void) {
  if (!self.place) return;
  howdah_slot *const *slots = self.conf->slots.elts;
  if (self.timer.timer_set) ngx_del_timer(&self.timer);
  for (ngx_uint_t i = 0; i < self.conf->slots.nelts; i++)
    if (slots[i]->pool) tell_of_pool(slots[i], &self.told[i]);
  for (ngx_uint_t i = 0; i < self.conf->slots.nelts; i++)
    tell_most(slots[i]->figures);
  tell_of_worker(howdah_place_worker(self.place));
  if (self.conf->lists_realms) tell_rows();
  self.told_us = howdah_loop_now_us();
}

void howdah_figures_look(uint64_t now_us) {
  if (!self.place) return;
  if (now_us - self.told_us >= TELL_US)
    howdah_figures_tell();
  else if (!self.timer.timer_set)
    ngx_add_timer(&self.timer, TELL_MS);
}

/* ---- A worker's start ---- */

static void on_time(ngx_event_t *event) {
  (void)event;
  howdah_figures_tell();
}

ngx_int_t howdah_figures_start(ngx_cycle_t *cycle, howdah_main_conf *conf) {
  static ngx_connection_t nobody = {.fd = (ngx_socket_t)-1}; /* nginx logs the descriptor of a timer's connection */
  if (!conf->measures) return NGX_OK;
  howdah_slot **slots = conf->slots.elts;
  self.told = ngx_pcalloc(cycle->pool, conf->slots.nelts * sizeof *self.told);
  if (!self.told) return NGX_ERROR;
  self.place = howdah_place_take(conf, cycle->log);
  if (!self.place) return NGX_OK;
  for (ngx_uint_t i = 0; i < conf->slots.nelts; i++) {
    slots[i]->figures = howdah_place_pool(self.place, slots[i]);
    add(&slots[i]->figures->queue_capacity, slots[i]->options.queue_max);
    add(&slots[i]->figures->realms_max, slots[i]->options.realms_max);
  }
  self.conf = conf;
  self.timer = (ngx_event_t){.handler = on_time, .data = &nobody, .log = cycle->log, .cancelable = 1};
  howdah_figures_tell();
  return NGX_OK;
}

void howdah_figures_stop(void) {
  if (!self.place) return;
  howdah_slot **slots = self.conf->slots.elts;
  howdah_figures_tell();
  for (ngx_uint_t i = 0; i < self.conf->slots.nelts; i++)
    slots[i]->figures = NULL;
  if (self.timer.timer_set) ngx_del_timer(&self.timer);
  howdah_place_leave(self.place);
  self.place = NULL;
}
