/* howdah_top: what each request of all workers does, as JSON, for the live page (docs/monitoring.md).
 *
 * Whoever is asked asks all workers, as `howdah top` does (top.h), and answers when they have, or when PATIENCE_MS are over: of
 * a worker that C code holds it passes on what that one has told last. Nothing waits but this answer. */
#include "page.h"
#include "top.h"

enum { PATIENCE_MS = 1000, LOOK_MS = 5, TRIES = 100 };

typedef struct {
  ngx_event_t look; /* first: it is found by it */
  ngx_http_request_t *r;
  uint64_t asked;
  ngx_msec_t until;
} question;

/* ---- What a worker has told ---- */

/* A text that is whole (top.h, 2), of the request's pool; of no length: it has told nothing, or memory is short. */
static ngx_str_t copy_text(ngx_pool_t *pool, howdah_top_text *text, const char *from, size_t most, uint64_t *told_us) {
  for (ngx_uint_t i = 0; i < TRIES; i++) {
    uint64_t turn = atomic_load_explicit(&text->turn, memory_order_acquire);
    size_t len = atomic_load_explicit(&text->len, memory_order_relaxed);
    *told_us = atomic_load_explicit(&text->told_us, memory_order_relaxed);
    if (turn % 2 || len > most) continue;
    if (len == 0) break;
    u_char *copy = ngx_pnalloc(pool, len);
    if (!copy) break;
    ngx_memcpy(copy, from, len);
    atomic_thread_fence(memory_order_acquire);
    if (atomic_load_explicit(&text->turn, memory_order_relaxed) == turn) return (ngx_str_t){len, copy};
    ngx_pfree(pool, copy);
  }
  *told_us = 0;
  return (ngx_str_t){0, NULL};
}

/* What of it holds: top.h, 3. */
static void add_worker(howdah_page *page, howdah_top_area_head *area, uint64_t asked) {
  const howdah_top_head *head = howdah_top_memory();
  uint64_t active = atomic_load(&area->active), deaf_us = atomic_load(&area->deaf_us), told_us, held_us,
           now = howdah_loop_now_us();
  /* Nobody waits for the answer of one that has no requests. A boot may hold it. */
  bool hears = active == 0 && (!deaf_us || deaf_us + head->recent_us > now);
  bool answers = hears || atomic_load_explicit(&area->answered, memory_order_acquire) >= asked;
  howdah_page_add(page, "{\"pid\":%uL,\"requests\":%uL,\"answers\":%s,\"deaf_us\":%uL", atomic_load(&area->owner), active,
                  answers ? "true" : "false", answers || !deaf_us || deaf_us > now ? (uint64_t)0 : now - deaf_us);
  ngx_str_t all = active == 0 ? (ngx_str_t){0, NULL}
                              : copy_text(page->r->pool, &area->all, (const char *)area + head->text_at,
                                          head->area_bytes - head->text_at, &told_us);
  if (all.len && (answers || told_us + head->recent_us > deaf_us)) {
    howdah_page_add(page, ",\"told_us\":%uL,\"all\":", told_us);
    howdah_page_add_whole(page, &all);
  }
  ngx_str_t held = answers ? (ngx_str_t){0, NULL}
                           : copy_text(page->r->pool, &area->held, (const char *)area + head->held_at,
                                       head->text_at - head->held_at, &held_us);
  if (held.len && held_us > deaf_us) {
    howdah_page_add(page, ",\"held_told_us\":%uL,\"held\":", held_us);
    howdah_page_add_whole(page, &held);
  }
  howdah_page_add(page, "}");
}

/* ---- Asking ---- */

static bool all_have_answered(uint64_t asked) {
  const howdah_top_head *head = howdah_top_memory();
  for (uint64_t i = 0; head && i < head->count; i++) {
    howdah_top_area_head *area = howdah_top_area(i);
    if (howdah_top_is_there(area) && atomic_load(&area->active) &&
        atomic_load_explicit(&area->answered, memory_order_acquire) < asked)
      return false;
  }
  return true;
}

static ngx_int_t answer(question *self) {
  const howdah_top_head *head = howdah_top_memory();
  bool is_first = true;
  howdah_page page;
  howdah_page_begin(&page, self->r);
  howdah_page_add(&page, "{\"now_us\":%uL,\"workers\":[", howdah_loop_now_us());
  for (uint64_t i = 0; head && i < head->count; i++) {
    if (!howdah_top_is_there(howdah_top_area(i))) continue;
    howdah_page_add(&page, is_first ? "" : ",");
    add_worker(&page, howdah_top_area(i), self->asked);
    is_first = false;
  }
  howdah_page_add(&page, "]}\n");
  return howdah_page_send(&page, NGX_HTTP_OK, "application/json");
}

static void on_look(ngx_event_t *event) {
  question *self = (question *)event;
  ngx_connection_t *c = self->r->connection;
  howdah_top_look();
  if (!all_have_answered(self->asked) && (ngx_msec_int_t)(self->until - ngx_current_msec) > 0) {
    ngx_add_timer(event, LOOK_MS);
    return;
  }
  ngx_http_finalize_request(self->r, answer(self));
  ngx_http_run_posted_requests(c);
}

static void forget(void *data) {
  question *self = data;
  if (self->look.timer_set) ngx_del_timer(&self->look);
}

static ngx_int_t serve(ngx_http_request_t *r) {
  if (!(r->method & (NGX_HTTP_GET | NGX_HTTP_HEAD))) return NGX_HTTP_NOT_ALLOWED;
  ngx_int_t rc = ngx_http_discard_request_body(r);
  if (rc != NGX_OK) return rc;
  howdah_top_head *head = howdah_top_memory();
  question *self = ngx_pcalloc(r->pool, sizeof *self);
  ngx_http_cleanup_t *cleanup = ngx_http_cleanup_add(r, 0);
  if (!self || !cleanup) return NGX_HTTP_INTERNAL_SERVER_ERROR;
  self->r = r;
  self->until = ngx_current_msec + PATIENCE_MS;
  self->asked = head ? atomic_fetch_add(&head->asked, 1) + 1 : 0;
  self->look = (ngx_event_t){.handler = on_look, .data = r->connection, .log = r->connection->log};
  howdah_top_look();
  if (all_have_answered(self->asked)) return answer(self);
  cleanup->handler = forget;
  cleanup->data = self;
  r->read_event_handler = ngx_http_test_reading; /* ends it when the client goes */
  r->main->count++;
  ngx_add_timer(&self->look, LOOK_MS);
  return NGX_DONE;
}

/* ---- The configuration ---- */

char *howdah_set_top(ngx_conf_t *cf, ngx_command_t *command, void *conf) {
  (void)command;
  howdah_loc_conf *location = conf;
  ngx_http_core_loc_conf_t *core = ngx_http_conf_get_module_loc_conf(cf, ngx_http_core_module);
  if (location->top) return "is duplicate";
  if (core->handler) return "cannot stand beside what answers in this location already: give it a location of its own";
  location->top = true;
  core->handler = serve;
  return NGX_CONF_OK;
}

/* As howdah_merge_status(). */
void howdah_merge_top(ngx_conf_t *cf, const howdah_loc_conf *above, howdah_loc_conf *conf) {
  ngx_http_core_loc_conf_t *core = ngx_http_conf_get_module_loc_conf(cf, ngx_http_core_module);
  if (!conf->top && core->noname && above->top && !core->handler) { /* limit_except */
    conf->top = true;
    core->handler = serve;
  } else if (conf->top && howdah_is_open(cf)) {
    ngx_conf_log_error(NGX_LOG_WARN, cf, 0,
                       "\"howdah_top\" in location \"%V\" shows what clients ask for to everybody who can reach it: put allow "
                       "and deny, auth_basic or auth_request into it",
                       &core->name);
  }
}
