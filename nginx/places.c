/* The memory in which workers count: a place for each of them, and what all places say together. See figures.h for the
 * invariants. */
#include "figures.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>

/* A place for each worker and for those that leave while others come; so often. */
enum { PLACES_PER_WORKER = 4, PLACES_MIN = 32, POOLS_MAX = 64, POOL_NAME_BYTES = 256 };

/* turn is odd while it is written: who reads then looks again. One whose writer was killed meanwhile stays odd until the place
 * has another owner. */
typedef struct {
  _Atomic uint32_t turn;
  howdah_row row;
} shared_row;

struct howdah_place {
  _Atomic int64_t owner;      /* its process; 0: nobody's; below 0: that takes it, and what follows is not its yet */
  howdah_figure cycle, index; /* its owner's: of the configuration, and among its workers; cycle is 0 where none ever was */
  howdah_worker_figures worker;
  _Alignas(64) howdah_pool_figures pools[POOLS_MAX];
  howdah_figure row_count;
  shared_row rows[HOWDAH_ROWS];
};

typedef struct {
  howdah_mode mode;
  size_t len;
  u_char name[POOL_NAME_BYTES];
} pool_name;

static const ngx_str_t others = ngx_string("(others)");

/* The master writes cycle, pool_count and names. */
static struct shared {
  time_t started;
  uint64_t started_us; /* howdah_loop_now_us(): the clock on the wall may be set */
  ngx_uint_t places_count;
  howdah_figure cycle, lost, ready;
  _Atomic size_t pool_count;
  pool_name names[POOLS_MAX];
  _Alignas(64) howdah_place places[];
} * shared;

/* ---- In the master ---- */

static struct shared *make_shared(ngx_cycle_t *cycle) {
  const ngx_core_conf_t *core = (const ngx_core_conf_t *)ngx_get_conf(cycle->conf_ctx, ngx_core_module);
  ngx_uint_t count = ngx_max((ngx_uint_t)core->worker_processes * PLACES_PER_WORKER, (ngx_uint_t)PLACES_MIN);
  size_t bytes = sizeof(struct shared) + count * sizeof(howdah_place);
  struct shared *made = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (made == MAP_FAILED) {
    ngx_log_error(NGX_LOG_WARN, cycle->log, ngx_errno,
                  "howdah: no memory to share %uz bytes of figures: howdah_status and howdah_health know of no worker", bytes);
    return NULL;
  }
  made->started = ngx_time();
  made->started_us = howdah_loop_now_us();
  made->places_count = count;
  return made;
}

/* Its number, or that of those for which there is none left. */
static size_t number_of(howdah_mode mode, ngx_str_t name) {
  size_t count = atomic_load_explicit(&shared->pool_count, memory_order_acquire);
  size_t len = ngx_min(name.len, (size_t)POOL_NAME_BYTES);
  for (size_t i = 0; i < count; i++)
    if (shared->names[i].mode == mode && shared->names[i].len == len && ngx_memcmp(shared->names[i].name, name.data, len) == 0)
      return i;
  return count;
}

static void name_pool(ngx_cycle_t *cycle, const howdah_slot *slot) {
  size_t number = number_of(slot->options.mode, slot->label);
  if (number < atomic_load(&shared->pool_count)) return;
  ngx_str_t name = slot->label;
  if (number >= POOLS_MAX - 2) { /* one is left for each mode */
    name = others;
    number = number_of(slot->options.mode, name);
    if (number < atomic_load(&shared->pool_count)) return;
    ngx_log_error(NGX_LOG_WARN, cycle->log, 0,
                  "howdah: there are more than %d pools: those that come now are counted together, as \"(others)\"",
                  POOLS_MAX - 2);
  }
  pool_name *entry = &shared->names[number];
  entry->mode = slot->options.mode;
  entry->len = ngx_min(name.len, (size_t)POOL_NAME_BYTES);
  ngx_memcpy(entry->name, name.data, entry->len);
  atomic_store_explicit(&shared->pool_count, number + 1, memory_order_release);
}

void howdah_figures_begin(ngx_cycle_t *cycle, howdah_main_conf *conf) {
  howdah_slot *const *slots = conf->slots.elts;
  if (!shared) shared = make_shared(cycle);
  if (!shared) return;
  conf->cycle = atomic_fetch_add(&shared->cycle, 1) + 1;
  for (ngx_uint_t i = 0; i < conf->slots.nelts; i++)
    name_pool(cycle, slots[i]);
}

/* ---- A worker's place ---- */

static bool has_gone(int64_t pid) {
  return kill((pid_t)(pid < 0 ? -pid : pid), 0) < 0 && errno == ESRCH;
}

static bool take(howdah_place *wanted, int64_t from) {
  return atomic_compare_exchange_strong(&wanted->owner, &from, -(int64_t)ngx_pid);
}

/* nginx starts one in the place of another only when that has ended: a process that has its number by now is not it. */
static howdah_place *take_over(uint64_t cycle) {
  for (ngx_uint_t i = 0; i < shared->places_count; i++) {
    howdah_place *at = &shared->places[i];
    int64_t owner = atomic_load(&at->owner);
    bool was_ours = owner > 0 && atomic_load(&at->cycle) == cycle && atomic_load(&at->index) == ngx_worker;
    if (was_ours && take(at, owner)) {
      atomic_fetch_add(&shared->lost, 1);
      return at;
    }
  }
  return NULL;
}

static howdah_place *take_free_one(void) {
  for (ngx_uint_t i = 0; i < shared->places_count; i++)
    if (take(&shared->places[i], 0)) return &shared->places[i];
  return NULL;
}

/* Of an older configuration: nobody else came for it. */
static howdah_place *take_lost_one(void) {
  for (ngx_uint_t i = 0; i < shared->places_count; i++) {
    howdah_place *at = &shared->places[i];
    int64_t owner = atomic_load(&at->owner);
    if (owner && has_gone(owner) && take(at, owner)) {
      atomic_fetch_add(&shared->lost, 1);
      return at;
    }
  }
  return NULL;
}

/* Those of who had it before. */
static void clear_gauges(howdah_place *mine) {
  atomic_store(&mine->row_count, 0);
  howdah_figure *words = (howdah_figure *)&mine->worker;
  for (size_t i = HOWDAH_WORD_OF(howdah_worker_figures, memory); i < HOWDAH_WORDS(howdah_worker_figures); i++)
    atomic_store(&words[i], 0);
  for (size_t pool = 0; pool < atomic_load(&shared->pool_count); pool++) {
    words = (howdah_figure *)&mine->pools[pool];
    for (size_t i = HOWDAH_WORD_OF(howdah_pool_figures, idle); i < HOWDAH_WORDS(howdah_pool_figures); i++)
      atomic_store(&words[i], 0);
  }
}

howdah_place *howdah_place_take(const howdah_main_conf *conf, ngx_log_t *log) {
  if (!shared) return NULL;
  howdah_place *mine = take_over(conf->cycle);
  if (!mine) mine = take_lost_one();
  if (!mine) mine = take_free_one();
  if (!mine) {
    ngx_log_error(NGX_LOG_WARN, log, 0,
                  "howdah: there is no place for the figures of this worker: it counts nothing. There are %ui, four for each "
                  "worker that nginx had when it started: restart nginx after worker_processes was raised",
                  shared->places_count);
    return NULL;
  }
  clear_gauges(mine);
  atomic_store(&mine->cycle, conf->cycle);
  atomic_store(&mine->index, ngx_worker);
  atomic_store(&mine->owner, (int64_t)ngx_pid);
  return mine;
}

void howdah_place_leave(howdah_place *mine) {
  atomic_store(&mine->owner, 0);
}

howdah_worker_figures *howdah_place_worker(howdah_place *mine) {
  return &mine->worker;
}

howdah_pool_figures *howdah_place_pool(howdah_place *mine, const howdah_slot *slot) {
  size_t number = number_of(slot->options.mode, slot->label);
  if (number >= atomic_load(&shared->pool_count)) number = number_of(slot->options.mode, others);
  return &mine->pools[number];
}

void howdah_place_row(howdah_place *mine, size_t number, const howdah_row *row) {
  shared_row *to = &mine->rows[number];
  uint32_t turn = atomic_load_explicit(&to->turn, memory_order_relaxed) | 1;
  atomic_store_explicit(&to->turn, turn, memory_order_relaxed);
  atomic_thread_fence(memory_order_release);
  to->row = *row;
  atomic_store_explicit(&to->turn, turn + 1, memory_order_release);
}

void howdah_place_rows(howdah_place *mine, size_t count) {
  atomic_store_explicit(&mine->row_count, count, memory_order_release);
}

void howdah_place_is_ready(void) {
  atomic_store_explicit(&shared->ready, 1, memory_order_relaxed);
}

/* ---- Reading ---- */

/* Gauges count where their owner lives. */
static void sum(uint64_t *to, const howdah_figure *from, size_t words, size_t gauges, bool lives) {
  for (size_t i = 0; i < (lives ? words : gauges); i++)
    to[i] += atomic_load_explicit(&from[i], memory_order_relaxed);
}

/* Beside sum(), for what is not to be added. */
static void keep_most(uint64_t *words, const howdah_pool_figures *from, uint64_t before) {
  uint64_t its = atomic_load_explicit(&from->most_memory, memory_order_relaxed);
  words[HOWDAH_WORD_OF(howdah_pool_figures, most_memory)] = ngx_max(before, its);
}

static void report_pools(howdah_report *report) {
  for (size_t i = 0; i < report->pool_count; i++) {
    report->pools[i].mode = shared->names[i].mode;
    report->pools[i].name = (ngx_str_t){shared->names[i].len, shared->names[i].name};
  }
}

static void add_place(howdah_report *report, ngx_uint_t number) {
  const howdah_place *at = &shared->places[number];
  if (!atomic_load(&at->cycle)) return;
  int64_t owner = atomic_load(&at->owner);
  bool lives = owner > 0 && !has_gone(owner);
  const howdah_figure *worker = (const howdah_figure *)&at->worker;
  for (size_t i = 0; i < report->pool_count; i++) {
    uint64_t most = report->pools[i].words[HOWDAH_WORD_OF(howdah_pool_figures, most_memory)];
    sum(report->pools[i].words, (const howdah_figure *)&at->pools[i], HOWDAH_WORDS(howdah_pool_figures),
        HOWDAH_WORD_OF(howdah_pool_figures, idle), lives);
    keep_most(report->pools[i].words, &at->pools[i], most);
  }
  sum(report->total, worker, HOWDAH_WORDS(howdah_worker_figures), HOWDAH_WORD_OF(howdah_worker_figures, memory), lives);
  if (!lives) return;
  howdah_worker_report *of = &report->workers[report->worker_count++];
  of->place = number;
  of->pid = (ngx_pid_t)owner;
  sum(of->words, worker, HOWDAH_WORDS(howdah_worker_figures), 0, true);
}

ngx_int_t howdah_report_make(ngx_pool_t *pool, howdah_report *report) {
  ngx_memzero(report, sizeof *report);
  report->started = ngx_time();
  if (!shared) return NGX_OK;
  howdah_figures_tell();
  report->started = shared->started;
  report->runs_s = (howdah_loop_now_us() - shared->started_us) / 1000000;
  report->has_been_ready = atomic_load(&shared->ready) != 0;
  report->lost = atomic_load(&shared->lost);
  report->pool_count = atomic_load_explicit(&shared->pool_count, memory_order_acquire);
  report->pools = ngx_pcalloc(pool, report->pool_count * sizeof *report->pools);
  report->workers = ngx_pcalloc(pool, shared->places_count * sizeof *report->workers);
  if (!report->pools || !report->workers) return NGX_ERROR;
  report_pools(report);
  for (ngx_uint_t i = 0; i < shared->places_count; i++)
    add_place(report, i);
  return NGX_OK;
}

static bool read_row(const shared_row *from, howdah_row *to) {
  enum { TRIES = 100 };
  for (int i = 0; i < TRIES; i++) {
    uint32_t turn = atomic_load_explicit(&from->turn, memory_order_acquire);
    if (turn & 1) continue;
    *to = from->row;
    atomic_thread_fence(memory_order_acquire);
    if (atomic_load_explicit(&from->turn, memory_order_relaxed) == turn) return true;
  }
  return false;
}

howdah_row *howdah_report_rows(ngx_pool_t *pool, size_t *count) {
  size_t most = 0;
  *count = 0;
  for (ngx_uint_t i = 0; shared && i < shared->places_count; i++)
    if (atomic_load(&shared->places[i].owner) > 0) most += HOWDAH_ROWS;
  howdah_row *rows = ngx_palloc(pool, (most + 1) * sizeof *rows);
  for (ngx_uint_t i = 0; rows && shared && i < shared->places_count; i++) {
    const howdah_place *at = &shared->places[i];
    int64_t owner = atomic_load(&at->owner);
    if (owner <= 0 || has_gone(owner)) continue;
    size_t its = atomic_load_explicit(&at->row_count, memory_order_acquire);
    for (size_t row = 0; row < its && *count < most; row++) {
      if (!read_row(&at->rows[row], &rows[*count])) continue;
      rows[(*count)++].pid = (ngx_pid_t)owner;
    }
  }
  return rows;
}
