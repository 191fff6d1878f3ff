/* Who is told of a request's waits: the log of slow requests, and a front-end that asks for each of them. See waits.h. Where nobody asks, a wait
 * costs a look at one pointer. */
#include "waits.h"
#include "slow.h"
#include "subject.h"

/* What its hook asks for again and again has begun when it was asked for first. */
static uint64_t began_us(const howdah_coroutine *coroutine, uint64_t now_us, uint64_t us) {
  const howdah_subject *subject = coroutine->subject;
  return subject && subject->since_us ? subject->since_us : now_us - us;
}

/* Its stack is as it was when it parked: what the wait says of itself is still there. */
static void on_waited(howdah_coroutine *coroutine, uint64_t us) {
  const howdah_realm *realm = (const howdah_realm *)coroutine;
  howdah_request *request = realm->request;
  if (!request) return;
  howdah_slow_waited(realm, us);
  if (!request->tells_waits || !request->ops->waited) return;
  uint64_t now_us = howdah_loop_now_us();
  howdah_wait wait = {.kind = coroutine->parks_for, .began_us = began_us(coroutine, now_us, us)};
  wait.us = now_us - wait.began_us;
  request->ops->waited(request, &wait);
}

void howdah_waits_begin(howdah_realm *realm, const howdah_request *request) {
  if (request->slow_us || request->tells_waits) realm->coroutine.waited = on_waited;
}

void howdah_waits_end(howdah_realm *realm) {
  realm->coroutine.waited = NULL;
}

void howdah_request_subject(const howdah_request *request, char *text, size_t size) {
  const howdah_realm *realm = howdah_realm_of(request);
  text[0] = '\0';
  if (realm) howdah_subject_tell(&realm->coroutine, text, size);
}

bool howdah_request_peer(const howdah_request *request, howdah_peer *peer) {
  const howdah_realm *realm = howdah_realm_of(request);
  return realm && howdah_subject_peer(&realm->coroutine, peer);
}
