/* A worker script that ends its whole process while it boots: C code that crashes, or calls _exit(). nginx starts another
 * worker at once, and without end.
 *
 * So the next one does not boot that script before a pause is over, which doubles each time, or the script's file has changed,
 * or any file that `howdah serve --watch` looks at. Until then, and while it tries again, the script's requests are answered
 * 503: they would be lost with the process. All else that this worker serves goes on, and new connections go to other workers
 * first.
 *
 * Of scripts that boot together nobody knows which one ended the process. So each of them boots alone the next time: no other
 * one begins meanwhile.
 *
 * What was tried is kept in memory that the master shares with its workers, for each worker's place and each pool. A reload
 * forgets it. */
#include "module.h"

#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/stat.h>

enum { LOOK_MS = 100, PAUSE_S = 1, DOUBLINGS_MAX = 5, ALONE_S = PAUSE_S << DOUBLINGS_MAX };

/* Of a file: what changes with it. And how often files of the application were saved (renew.c): it may be any that the script
 * includes. */
typedef struct {
  uint64_t device, number, bytes, seconds, nanoseconds;
  uint32_t saves;
} stamp;

/* Only the worker of the place writes; the one before it has died. */
typedef struct {
  _Atomic uint32_t boots; /* it does, and nobody has seen its end */
  uint32_t failures;
  bool hung; /* the last one until its time limit: engine/realm/overdue.c */
  uint64_t again_us;
  uint64_t tried_us;
  stamp tried;
} record;

struct howdah_relapses {
  record *records;
  size_t bytes;
};

/* A worker's. */
static struct {
  record *records; /* of its place; NULL: nothing is watched */
  howdah_main_conf *conf;
  ngx_event_t look;
} self;

static void forget(void *data) {
  const howdah_relapses *relapses = data;
  munmap(relapses->records, relapses->bytes);
}

howdah_relapses *howdah_relapses_new(ngx_cycle_t *cycle, const howdah_main_conf *conf) {
  const ngx_core_conf_t *core = (const ngx_core_conf_t *)ngx_get_conf(cycle->conf_ctx, ngx_core_module);
  if (!core->master) return NULL;
  howdah_relapses *relapses = ngx_pcalloc(cycle->pool, sizeof *relapses);
  ngx_pool_cleanup_t *cleanup = ngx_pool_cleanup_add(cycle->pool, 0);
  if (!relapses || !cleanup) return NULL;
  relapses->bytes = (size_t)core->worker_processes * conf->slots.nelts * sizeof *relapses->records;
  relapses->records = mmap(NULL, relapses->bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (relapses->records == MAP_FAILED) {
    ngx_log_error(NGX_LOG_WARN, cycle->log, ngx_errno,
                  "howdah: no memory to share among workers: one that dies while it boots is tried again without a pause");
    return NULL;
  }
  cleanup->handler = forget;
  cleanup->data = relapses;
  return relapses;
}

static bool is_same(const stamp *one, const stamp *other) {
  return one->device == other->device && one->number == other->number && one->bytes == other->bytes &&
         one->seconds == other->seconds && one->nanoseconds == other->nanoseconds && one->saves == other->saves;
}

static stamp look_at(const char *file) {
  struct stat status = {0}; /* where there is none */
  (void)stat(file, &status);
  return (stamp){.device = status.st_dev,
                 .number = status.st_ino,
                 .bytes = (uint64_t)status.st_size,
                 .seconds = (uint64_t)status.st_mtim.tv_sec,
                 .nanoseconds = (uint64_t)status.st_mtim.tv_nsec,
                 .saves = howdah_engine_saves()};
}

static howdah_slot **slots(void) {
  return self.conf->slots.elts;
}

/* Whether its boots are watched: one that boots for a request alone takes that one with it, and no others. */
static bool is_watched(const howdah_slot *slot) {
  return self.records && slot->options.mode == HOWDAH_WORKER && slot->options.realms_warm > 0;
}

/* Requests to it are answered 503, and connections go to other workers first. */
static void refuse(howdah_slot *slot, bool refuses) {
  if (slot->refuses == refuses) return;
  slot->refuses = refuses;
  howdah_balance_refuses(refuses);
}

/* It does not boot before the next pause is over. */
static void wait_for_next(record *of, howdah_slot *slot, const char *why) {
  uint64_t pause_s = (uint64_t)PAUSE_S << ngx_min(of->failures, (uint32_t)DOUBLINGS_MAX), now_us = howdah_loop_now_us();
  atomic_store(&of->boots, 0);
  of->failures++;
  of->hung = slot->options.boot_timeout_ms && now_us - of->tried_us > slot->options.boot_timeout_ms * 1000;
  of->again_us = now_us + pause_s * 1000000;
  ngx_log_error(NGX_LOG_ERR, ngx_cycle->log, 0,
                "howdah: %s %s booted: it is tried again in %uL s, or when that file changes; until then its requests are "
                "answered 503",
                why, slot->options.script, pause_s);
}

/* Not one that boots without end. */
static bool another_boots(uint64_t now_us) {
  for (ngx_uint_t i = 0; i < self.conf->slots.nelts; i++)
    if (atomic_load(&self.records[i].boots) && now_us - self.records[i].tried_us < ALONE_S * UINT64_C(1000000)) return true;
  return false;
}

/* Whether the script may boot now; from then on it does. */
static bool may_boot(record *of, const howdah_slot *slot) {
  stamp now = look_at(slot->options.script);
  uint64_t now_us = howdah_loop_now_us();
  bool has_changed = !is_same(&now, &of->tried);
  if (of->failures && ((now_us < of->again_us && !has_changed) || another_boots(now_us))) return false;
  /* Pauses begin anew. Not with the first: opcache may still run what it had before (opcache.revalidate_freq, 2 s). */
  if (of->failures && has_changed) of->failures = 1;
  of->tried = now;
  of->tried_us = now_us;
  atomic_store(&of->boots, 1);
  return true;
}

/* The pool's word: the script has booted, or failed as boots do. Whatever ends the process from now on, it was not this boot. */
static void on_boot_over(void *data) {
  howdah_slot **place = data;
  if (!self.records) return;
  record *of = &self.records[place - slots()];
  atomic_store(&of->boots, 0);
  of->failures = 0;
  refuse(*place, false);
}

static ngx_int_t make_pool(howdah_slot **place) {
  char error[1024] = "";
  howdah_slot *slot = *place;
  slot->pool = howdah_pool_new(&slot->options, error, sizeof error);
  if (!slot->pool) {
    ngx_log_error(NGX_LOG_EMERG, ngx_cycle->log, 0, "%s", error);
    return NGX_ERROR;
  }
  if (is_watched(slot)) howdah_pool_when_booted(slot->pool, on_boot_over, place);
  return NGX_OK;
}

/* While one waits for its next trial: is it time, or has it changed? */
static void on_look(ngx_event_t *event) {
  bool waits = false;
  if (howdah_is_leaving()) return;
  for (ngx_uint_t i = 0; i < self.conf->slots.nelts; i++) {
    howdah_slot *slot = slots()[i];
    record *of = &self.records[i];
    if (slot->pool) continue;
    if (may_boot(of, slot) && make_pool(&slots()[i]) != NGX_OK) wait_for_next(of, slot, "there was no pool in which");
    waits = waits || !slot->pool;
  }
  if (waits) ngx_add_timer(event, LOOK_MS);
}

ngx_int_t howdah_relapse_make_pools(ngx_cycle_t *cycle, howdah_main_conf *conf) {
  static ngx_connection_t nobody = {.fd = (ngx_socket_t)-1}; /* nginx logs the descriptor of a timer's connection */
  const ngx_core_conf_t *core = (const ngx_core_conf_t *)ngx_get_conf(cycle->conf_ctx, ngx_core_module);
  self.conf = conf;
  if (conf->relapses && ngx_process == NGX_PROCESS_WORKER && ngx_worker < (ngx_uint_t)core->worker_processes)
    self.records = conf->relapses->records + ngx_worker * conf->slots.nelts;
  self.look = (ngx_event_t){.handler = on_look, .data = &nobody, .log = cycle->log, .cancelable = 1};
  for (ngx_uint_t i = 0; i < conf->slots.nelts; i++) {
    howdah_slot *slot = slots()[i];
    record *of = is_watched(slot) ? &self.records[i] : NULL;
    if (of && atomic_load(&of->boots)) wait_for_next(of, slot, "the worker process before this one died while");
    if (of && of->failures) refuse(slot, true);
  }
  for (ngx_uint_t i = 0; i < conf->slots.nelts; i++) {
    howdah_slot *slot = slots()[i];
    if (slot->refuses) {
      if (!self.look.timer_set) ngx_add_timer(&self.look, LOOK_MS);
      continue;
    }
    if (is_watched(slot)) (void)may_boot(&self.records[i], slot); /* it may: it has never failed */
    if (make_pool(&slots()[i]) != NGX_OK) return NGX_ERROR;
  }
  return NGX_OK;
}

/* After the first the next one may boot: somebody may have killed it, or the kernel for its memory. */
bool howdah_relapse_fails(ngx_uint_t slot) {
  return !self.records || self.records[slot].failures > 1 || self.records[slot].hung;
}

void howdah_relapse_stop(void) {
  if (!self.records) return;
  if (self.look.timer_set) ngx_del_timer(&self.look);
  for (ngx_uint_t i = 0; i < self.conf->slots.nelts; i++)
    atomic_store(&self.records[i].boots, 0);
  self.records = NULL;
}
