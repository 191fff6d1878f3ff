/* The line between a coroutine and its front-end: what the engine calls there, and what it calls here (howdah.h).
 *
 * On the coroutine's stack the front-end runs code of nginx and of libraries that PHP uses, too (OpenSSL): there hooks are the
 * originals, and errno is kept: output in the middle of an error's handling must not change what PHP sees. It waits with
 * howdah_request_park() only. */
#include "front.h"
#include "cancel.h"
#include "pool.h"

#include "../coroutine/wait.h"

#include <errno.h>

static int enter_front(howdah_realm *realm) {
  realm->coroutine.hooks_off++;
  return errno;
}

static void leave_front(howdah_realm *realm, int saved_errno) {
  realm->coroutine.hooks_off--;
  errno = saved_errno;
}

int howdah_front_send_head(howdah_realm *realm, int status, const howdah_header *headers, size_t count) {
  int saved = enter_front(realm);
  int result = realm->request->ops->send_head(realm->request, status, headers, count);
  leave_front(realm, saved);
  return result;
}

int howdah_front_send_interim(howdah_realm *realm, int status, const howdah_header *headers, size_t count) {
  if (!realm->request->ops->send_interim) return -1;
  int saved = enter_front(realm);
  int result = realm->request->ops->send_interim(realm->request, status, headers, count);
  leave_front(realm, saved);
  return result;
}

int howdah_front_add_trailer(howdah_realm *realm, const howdah_header *trailer) {
  if (!realm->request->ops->add_trailer) return -1;
  int saved = enter_front(realm);
  int result = realm->request->ops->add_trailer(realm->request, trailer);
  leave_front(realm, saved);
  return result;
}

int howdah_front_write(howdah_realm *realm, const char *data, size_t len) {
  int saved = enter_front(realm);
  int result = realm->request->ops->write(realm->request, data, len);
  leave_front(realm, saved);
  return result;
}

int howdah_front_flush(howdah_realm *realm) {
  int saved = enter_front(realm);
  int result = realm->request->ops->flush(realm->request);
  leave_front(realm, saved);
  return result;
}

ssize_t howdah_front_read_body(howdah_realm *realm, char *buffer, size_t size) {
  int saved = enter_front(realm);
  ssize_t result = realm->request->ops->read_body(realm->request, buffer, size);
  leave_front(realm, saved);
  return result;
}

void howdah_front_end_response(howdah_realm *realm) {
  if (realm->response_ended) return;
  realm->response_ended = true;
  int saved = enter_front(realm);
  realm->request->ops->end_response(realm->request);
  leave_front(realm, saved);
}

int howdah_request_park(howdah_request *request) {
  (void)request;
  return howdah_wait_wake(HOWDAH_WAIT_CLIENT);
}

void howdah_request_wake(howdah_request *request) {
  howdah_realm *realm = request->engine;
  if (realm) howdah_coroutine_wake_soon(&realm->coroutine);
}

/* Where it ends already, the code that reads goes on. */
void howdah_request_refuse(howdah_request *request, int status) {
  howdah_realm *realm = request->engine;
  request->refused = status;
  if (!realm || realm->request != request) return;
  if (!howdah_cancel(realm, HOWDAH_BODY_REFUSED)) howdah_coroutine_wake_soon(&realm->coroutine);
}

bool howdah_request_end(howdah_request *request) {
  howdah_realm *realm = request->engine;
  if (!request->waits_in) return realm && realm->request == request && howdah_cancel(realm, HOWDAH_BY_OPERATOR);
  howdah_pool_in_front++;
  howdah_queue_end(request); /* it is gone */
  howdah_pool_in_front--;
  return true;
}

void howdah_request_aborted(howdah_request *request) {
  howdah_realm *realm = request->engine;
  request->aborted = true;
  if (request->waits_in) {
    howdah_pool_in_front++;
    howdah_queue_abandoned(request); /* it may be gone */
    howdah_pool_in_front--;
    return;
  }
  if (!realm || realm->request != request) return;
  realm->aborted = true;
  if (!howdah_coroutine_current()) howdah_cancel(realm, HOWDAH_CLIENT_GONE);
}
