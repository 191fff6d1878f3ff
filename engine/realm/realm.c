/* A realm's life. See realm.h for the invariants; the pool decides when (pool.c). */
#include "realm.h"
#include "../check.h"
#include "../hooks/child.h"
#include "../hooks/host.h"
#include "../hooks/map.h"
#include "../hooks/nss.h"
#include "../hooks/opcache.h"
#include "../hooks/record.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t last_id;
static const howdah_realm_code *realm_code;

void howdah_realms_run(const howdah_realm_code *code) {
  realm_code = code;
}

const howdah_realm_code *howdah_realms_code(void) {
  return realm_code;
}

static void live(howdah_coroutine *coroutine) {
  howdah_realm *realm = (howdah_realm *)coroutine;
  realm->main(coroutine);
  realm->owner->closes(realm);
  howdah_state_close(&realm->state);
}

howdah_realm *howdah_realm_birth(howdah_pool *pool, void (*main)(howdah_coroutine *), const howdah_realm_owner *owner,
                                 char *error, size_t error_size) {
  howdah_realm *realm = calloc(1, sizeof(*realm));
  if (!realm) {
    snprintf(error, error_size, "howdah: out of memory for a new realm; lower the concurrency");
    return NULL;
  }
  if (howdah_coroutine_init(&realm->coroutine, &realm->state, live, owner->after_run) < 0) {
    snprintf(error, error_size,
             "howdah: no stack for a new realm: %s; lower the concurrency, or raise vm.max_map_count and the limit on "
             "address space",
             strerror(errno));
    free(realm);
    return NULL;
  }
  if (howdah_state_birth(&realm->state, error, error_size) < 0) {
    howdah_coroutine_fini(&realm->coroutine);
    free(realm);
    return NULL;
  }
  howdah_state_leave();
  realm->pool = pool;
  realm->main = main;
  realm->owner = owner;
  realm->id = ++last_id;
  realm->born_us = howdah_loop_now_us();
  return realm;
}

void howdah_realm_death(howdah_realm *realm) {
  howdah_assert(!howdah_coroutine_current(), "a realm is freed while another one runs");
  howdah_assert(realm->coroutine.finished, "a realm is freed whose coroutine has not finished");
  howdah_opcache_reader_gone(&realm->coroutine);
  howdah_host_forget(realm->coroutine.host);
  howdah_nss_forget(realm->coroutine.records);
  howdah_children_leave(&realm->coroutine);
  howdah_state_enter(&realm->state);
  howdah_state_death(&realm->state);
  howdah_record_owner_gone(&realm->coroutine);
  howdah_maps_free(&realm->coroutine);
  howdah_coroutine_fini(&realm->coroutine);
  free(realm->scratch);
  free(realm->coroutine.ahead);
  free(realm);
}

bool howdah_request_is_real(const howdah_request *request) {
  return request->received_us != 0;
}

howdah_realm *howdah_realm_current(void) {
  return (howdah_realm *)howdah_coroutine_current();
}

howdah_request *howdah_realm_next_request(howdah_realm *realm) {
  howdah_assert(!realm->request, "a realm asks for a request, and the one before is not over");
  while (!realm->assigned && !howdah_realm_retires(realm) && !realm->tidy) {
    realm->asks = true;
    howdah_coroutine_park();
    realm->asks = false;
  }
  howdah_request *request = realm->assigned;
  realm->assigned = NULL;
  realm->request = request;
  realm->coroutine.request = request;
  realm->head_sent = realm->response_ended = realm->unwinding = false;
  realm->aborted = request && request->aborted;
  realm->cancelled = HOWDAH_NOT_CANCELLED;
  realm->coroutine.cancelled = false;
  realm->coroutine.refused = 0;
  realm->coroutine.ending = false;
  if (request) {
    request->engine = realm;
    request->realm_id = realm->id;
    realm->coroutine.wait_us = 0;
    realm->switches_before = howdah_coroutine_switches();
    realm->cpu_before_us = howdah_coroutine_cpu_us();
  }
  return request;
}

void howdah_realm_request_done(howdah_realm *realm) {
  howdah_request *request = realm->request;
  request->wait_us = realm->coroutine.wait_us;
  request->cpu_us = howdah_coroutine_cpu_us() - realm->cpu_before_us;
  realm->request = NULL;
  realm->coroutine.request = NULL;
  howdah_stack *stack = &realm->coroutine.stack;
  if (howdah_depth_is_open(&stack->depth))
    howdah_depth_close(&stack->depth, __builtin_frame_address(0), stack->low + stack->bytes);
  if (!howdah_request_is_real(request)) {
    request->ops->finish(request);
    return;
  }
  request->engine = NULL; /* the realm may have ended when the front-end sends the answer */
  howdah_assert(!realm->finished, "a second request is over, and the first one was not handed back");
  realm->finished = request;
  realm->served++;
  realm->last_began_us = request->received_us + request->queue_us;
  realm->last_cpu_us = request->cpu_us;
  realm->last_memory = request->memory;
}
