/* What each request does, for `howdah top`. See top.h for the invariants and the layout.
 *
 * A worker answers in its next turn, so within a slice while it computes PHP code. While C code holds it, a tick of its CPU
 * timer tells of the request that runs; C code that blocks without computing leaves what was told before, and since when it is
 * deaf. */
#include "top.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { AREAS_PER_WORKER = 4, AREAS_MIN = 16, LOOK_MS = 200, RECENT_US = 2000000, WHOLE_MAX = 256 };

static struct {
  int fd; /* the master's; -1 in workers */
  howdah_top_head *head;
  howdah_top_area_head *mine; /* a worker's; NULL: nobody can see it */
  howdah_main_conf *conf;
  uint64_t last_number; /* of a request */
  ngx_event_t timer;
} top = {.fd = -1};

howdah_top_head *howdah_top_memory(void) {
  return top.head;
}

howdah_top_area_head *howdah_top_area(uint64_t number) {
  return (howdah_top_area_head *)((char *)top.head + HOWDAH_TOP_HEAD_BYTES + number * top.head->area_bytes);
}

/* ---- In the master ---- */

void howdah_top_begin(ngx_cycle_t *cycle) {
  const ngx_core_conf_t *core = (const ngx_core_conf_t *)ngx_get_conf(cycle->conf_ctx, ngx_core_module);
  if (top.head) return;
  uint64_t count = ngx_max((uint64_t)core->worker_processes * AREAS_PER_WORKER, (uint64_t)AREAS_MIN);
  size_t bytes = HOWDAH_TOP_HEAD_BYTES + count * HOWDAH_TOP_AREA_BYTES;
  int fd = memfd_create(HOWDAH_TOP_NAME, MFD_CLOEXEC);
  if (fd < 0 || fchmod(fd, S_IRUSR | S_IWUSR) < 0 || ftruncate(fd, (off_t)bytes) < 0) goto failed;
  howdah_top_head *head = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
  if (head == MAP_FAILED) goto failed;
  head->count = count;
  head->area_bytes = HOWDAH_TOP_AREA_BYTES;
  head->held_at = sizeof(howdah_top_area_head);
  head->text_at = head->held_at + HOWDAH_TOP_HELD_BYTES;
  head->recent_us = RECENT_US;
  ngx_memcpy(head->magic, HOWDAH_TOP_MAGIC, sizeof head->magic);
  top.head = head;
  top.fd = fd;
  return;

failed:
  ngx_log_error(NGX_LOG_WARN, cycle->log, ngx_errno, "howdah: no memory to share with `howdah top`: it will know of nothing");
  if (fd >= 0) close(fd);
}

/* nginx's other processes are another user's, and PHP's code in a worker is: they are not to find it. What is mapped stays. */
void howdah_top_hide(void) {
  if (top.fd < 0 || ngx_process == NGX_PROCESS_SINGLE) return;
  close(top.fd);
  top.fd = -1;
}

/* ---- All requests of this worker ---- */

typedef struct {
  howdah_json out;
  uint64_t told, more, brief;
} list;

/* Stacks have half of the room: that each request is seen comes first. */
static void tell_one(list *to, const howdah_request *request) {
  size_t before = to->out.len;
  bool brief = before > to->out.size / 2;
  howdah_top_detail detail = brief ? HOWDAH_TOP_BRIEF : to->told < WHOLE_MAX ? HOWDAH_TOP_WHOLE : HOWDAH_TOP_STACK;
  if (to->told) howdah_json_add(&to->out, ",");
  howdah_top_tell(&to->out, (const howdah_exchange *)request, false, detail);
  if (!to->out.full) {
    to->told++;
    to->brief += brief;
    return;
  }
  to->more++;
  to->out.full = false;
  to->out.len = before;
}

static void tell_realm(void *to, const howdah_realm_info *realm) {
  if (realm->request) tell_one(to, realm->request);
}

static void tell_queued(void *to, const howdah_request *request) {
  tell_one(to, request);
}

static void begin_text(howdah_top_text *text) {
  atomic_store_explicit(&text->turn, atomic_load_explicit(&text->turn, memory_order_relaxed) | 1, memory_order_relaxed);
  atomic_thread_fence(memory_order_release);
}

static void end_text(howdah_top_text *text, size_t len) {
  atomic_store_explicit(&text->len, len, memory_order_relaxed);
  atomic_store_explicit(&text->told_us, howdah_loop_now_us(), memory_order_relaxed);
  atomic_store_explicit(&text->turn, atomic_load_explicit(&text->turn, memory_order_relaxed) + 1, memory_order_release);
}

static void tell_all(void) {
  enum { END_BYTES = 96 };
  howdah_slot *const *slots = top.conf->slots.elts;
  u_char *text = (u_char *)top.mine + top.head->text_at;
  list to = {.out = {.text = text, .size = top.head->area_bytes - top.head->text_at - END_BYTES}};
  begin_text(&top.mine->all);
  howdah_json_add(&to.out, "{\"requests\":[");
  for (ngx_uint_t i = 0; i < top.conf->slots.nelts; i++) {
    if (!slots[i]->pool) continue;
    howdah_pool_each_realm(slots[i]->pool, tell_realm, &to);
    howdah_pool_each_queued(slots[i]->pool, tell_queued, &to);
  }
  to.out.size += END_BYTES;
  howdah_json_add(&to.out, "],\"more\":%uL,\"brief\":%uL}", to.more, to.brief);
  end_text(&top.mine->all, to.out.len);
}

/* ---- A worker ---- */

void howdah_top_look(void) {
  if (!top.mine) return;
  uint64_t asked = atomic_load_explicit(&top.head->asked, memory_order_acquire);
  if (asked == atomic_load_explicit(&top.mine->answered, memory_order_relaxed)) return;
  tell_all();
  atomic_store_explicit(&top.mine->answered, asked, memory_order_release);
}

void howdah_top_deaf(uint64_t since_us) {
  if (top.mine) atomic_store_explicit(&top.mine->deaf_us, since_us, memory_order_relaxed);
}

/* In a signal handler. */
void howdah_op_held(howdah_request *request) {
  if (!top.mine) return;
  howdah_json to = {.text = (u_char *)top.mine + top.head->held_at, .size = HOWDAH_TOP_HELD_BYTES};
  uint64_t asked = atomic_load_explicit(&top.head->asked, memory_order_acquire);
  if (asked == atomic_load_explicit(&top.mine->answered, memory_order_relaxed)) return;
  begin_text(&top.mine->held);
  howdah_top_tell(&to, (const howdah_exchange *)request, true, HOWDAH_TOP_STACK);
  end_text(&top.mine->held, to.full ? 0 : to.len);
}

static void on_time(ngx_event_t *event) {
  howdah_top_obey(top.mine, top.conf);
  howdah_top_look();
  if (atomic_load_explicit(&top.mine->active, memory_order_relaxed)) ngx_add_timer(event, LOOK_MS);
}

void howdah_top_begins(howdah_exchange *exchange) {
  exchange->number = ++top.last_number;
  if (!top.mine) return;
  atomic_store_explicit(&top.mine->last_number, top.last_number, memory_order_relaxed);
  atomic_store_explicit(&top.mine->active, atomic_load_explicit(&top.mine->active, memory_order_relaxed) + 1,
                        memory_order_relaxed);
  if (!top.timer.timer_set) ngx_add_timer(&top.timer, LOOK_MS);
}

void howdah_top_ends(void) {
  if (!top.mine) return;
  atomic_store_explicit(&top.mine->active, atomic_load_explicit(&top.mine->active, memory_order_relaxed) - 1,
                        memory_order_relaxed);
}

static bool has_gone(uint64_t pid) {
  return kill((pid_t)pid, 0) < 0 && errno == ESRCH;
}

bool howdah_top_is_there(howdah_top_area_head *area) {
  uint64_t owner = atomic_load(&area->owner);
  return owner && !has_gone(owner);
}

static uint64_t highest_number(void) {
  uint64_t highest = 0;
  for (uint64_t i = 0; i < top.head->count; i++)
    highest = ngx_max(highest, atomic_load(&howdah_top_area(i)->last_number));
  return highest;
}

/* Nobody's, or that of a worker that was killed. */
static howdah_top_area_head *take_area(void) {
  for (uint64_t i = 0; i < top.head->count; i++) {
    uint64_t owner = atomic_load(&howdah_top_area(i)->owner);
    if (owner && !has_gone(owner)) continue;
    if (atomic_compare_exchange_strong(&howdah_top_area(i)->owner, &owner, (uint64_t)ngx_pid)) return howdah_top_area(i);
  }
  return NULL;
}

void howdah_top_start(ngx_cycle_t *cycle, howdah_main_conf *conf) {
  static ngx_connection_t nobody = {.fd = (ngx_socket_t)-1}; /* nginx logs the descriptor of a timer's connection */
  if (!top.head) return;
  howdah_top_area_head *mine = take_area();
  if (!mine) {
    ngx_log_error(NGX_LOG_WARN, cycle->log, 0,
                  "howdah: `howdah top` does not see this worker: there is room for four times as many as nginx had when it "
                  "started. Restart nginx after worker_processes was raised");
    return;
  }
  atomic_store(&mine->active, 0);
  atomic_store(&mine->deaf_us, 0);
  atomic_store(&mine->all.len, 0);
  atomic_store(&mine->held.len, 0);
  atomic_store(&mine->answered, atomic_load(&top.head->asked));
  top.last_number = highest_number();
  atomic_store(&mine->last_number, top.last_number);
  atomic_store(&mine->obeyed, atomic_load(&mine->ordered));
  top.conf = conf;
  top.timer = (ngx_event_t){.handler = on_time, .data = &nobody, .log = cycle->log, .cancelable = 1};
  top.mine = mine;
}

void howdah_top_stop(void) {
  if (!top.mine) return;
  if (top.timer.timer_set) ngx_del_timer(&top.timer);
  atomic_store(&top.mine->owner, 0);
  top.mine = NULL;
}
