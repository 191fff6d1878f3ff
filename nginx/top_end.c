/* Orders of `howdah top` to end requests. See top.h for their place.
 *
 * A worker looks for them when its timer goes off, as the engine's time limits do: there it is not in the midst of another
 * request. One that C code holds obeys when that returns. */
#include "top.h"

typedef struct {
  uint64_t number;
  howdah_request *found;
} wanted_request;

static void compare(void *to, const howdah_request *request) {
  wanted_request *wanted = to;
  if (((const howdah_exchange *)request)->number == wanted->number) wanted->found = (howdah_request *)request;
}

static void compare_served(void *to, const howdah_realm_info *realm) {
  if (realm->request) compare(to, realm->request);
}

static howdah_top_result end_request(const howdah_main_conf *conf, uint64_t number) {
  howdah_slot *const *slots = conf->slots.elts;
  wanted_request wanted = {.number = number};
  for (ngx_uint_t i = 0; i < conf->slots.nelts && !wanted.found; i++) {
    if (!slots[i]->pool) continue;
    howdah_pool_each_realm(slots[i]->pool, compare_served, &wanted);
    howdah_pool_each_queued(slots[i]->pool, compare, &wanted);
  }
  if (!wanted.found) return HOWDAH_TOP_GONE;
  return howdah_request_end(wanted.found) ? HOWDAH_TOP_TOLD : HOWDAH_TOP_ENDS_ALREADY;
}

void howdah_top_obey(howdah_top_area_head *mine, const howdah_main_conf *conf) {
  uint64_t ordered = atomic_load_explicit(&mine->ordered, memory_order_acquire);
  uint64_t obeyed = atomic_load_explicit(&mine->obeyed, memory_order_relaxed);
  if (ordered - obeyed > HOWDAH_TOP_ORDERS) obeyed = ordered - HOWDAH_TOP_ORDERS;
  for (; obeyed != ordered; obeyed++) {
    uint64_t number = atomic_load_explicit(&mine->orders[obeyed % HOWDAH_TOP_ORDERS], memory_order_relaxed);
    atomic_store_explicit(&mine->results[obeyed % HOWDAH_TOP_ORDERS], end_request(conf, number), memory_order_relaxed);
    atomic_store_explicit(&mine->obeyed, obeyed + 1, memory_order_release);
  }
}
