/* What requests do, for those who ask (howdah.h). What PHP's code is at is the layer's above (engine/sapi/trace.c). */
#include "pool.h"
#include "subject.h"
#include "../hooks/holder.h"

#include <string.h>

const howdah_realm *howdah_realm_of(const howdah_request *request) {
  const howdah_realm *realm = request->engine;
  return realm && realm->request == request ? realm : NULL;
}

bool howdah_request_look(const howdah_request *request, howdah_doing *doing) {
  const howdah_realm *realm = howdah_realm_of(request);
  memset(doing, 0, sizeof(*doing));
  if (!realm) return false;
  const howdah_coroutine *coroutine = &realm->coroutine;
  doing->waits = coroutine->parked && coroutine->parked_us;
  doing->wait_us = coroutine->wait_us;
  doing->cpu_us = coroutine->parked ? coroutine->cpu_us - realm->cpu_before_us : 0;
  doing->memory = howdah_realms_code()->memory(realm);
  if (!doing->waits) return true;
  uint64_t now_us = howdah_loop_now_us();
  doing->wait_us += now_us - coroutine->parked_us;
  const howdah_subject *subject = coroutine->subject;
  doing->kind = coroutine->parks_for;
  doing->us = now_us - (subject && subject->since_us ? subject->since_us : coroutine->parked_us);
  howdah_subject_tell(coroutine, doing->subject, sizeof(doing->subject));
  return true;
}

/* A lock may outlive its request: whom the realm serves now may have nothing to do with it. */
static const howdah_request *taker_of(const howdah_realm *realm, uint64_t since_us) {
  const howdah_request *request = realm->request;
  if (!request || !howdah_request_is_real(request)) return NULL;
  return since_us >= request->received_us + request->queue_us ? request : NULL;
}

bool howdah_request_lock_holder(const howdah_request *request, howdah_lock_holder *holder) {
  const howdah_realm *waits = howdah_realm_of(request);
  howdah_holder found = {0};
  if (!waits || !waits->coroutine.parked || !howdah_holder_find(&waits->coroutine, &found)) return false;
  *holder = (howdah_lock_holder){.process = found.process};
  for (const howdah_pool *pool = howdah_pools_first(); found.owner && pool; pool = pool->next_pool)
    for (const howdah_realm *realm = pool->all; realm; realm = realm->all_next) {
      if (realm->coroutine.record_owner != found.owner) continue;
      holder->realm = realm->id;
      holder->request = taker_of(realm, found.since_us);
    }
  return true;
}

bool howdah_request_place(const howdah_request *request, void (*tell)(void *to, const howdah_spot *spot), void *to) {
  const howdah_realm *realm = howdah_realm_of(request);
  return realm && howdah_realms_code()->place(realm, tell, to);
}

bool howdah_request_each_frame(const howdah_request *request, unsigned most, void (*tell)(void *to, const howdah_frame *frame),
                               void *to) {
  const howdah_realm *realm = howdah_realm_of(request);
  return realm && howdah_realms_code()->each_frame(realm, most, tell, to);
}
