/* The line between a coroutine and its front-end: what the engine calls there, and what it calls here (howdah.h).
 *
 * On the coroutine's stack the front-end runs code of nginx and of libraries that PHP uses, too (OpenSSL): there hooks are the
 * originals. It waits with howdah_request_park() only. */
#include "front.h"

#include "../coroutine/wait.h"

int howdah_front_send_head(howdah_realm *realm, int status, const howdah_header *headers, size_t count) {
  realm->coroutine.hooks_off++;
  int result = realm->request->ops->send_head(realm->request, status, headers, count);
  realm->coroutine.hooks_off--;
  return result;
}

int howdah_front_write(howdah_realm *realm, const char *data, size_t len) {
  realm->coroutine.hooks_off++;
  int result = realm->request->ops->write(realm->request, data, len);
  realm->coroutine.hooks_off--;
  return result;
}

int howdah_front_flush(howdah_realm *realm) {
  realm->coroutine.hooks_off++;
  int result = realm->request->ops->flush(realm->request);
  realm->coroutine.hooks_off--;
  return result;
}

ssize_t howdah_front_read_body(howdah_realm *realm, char *buffer, size_t size) {
  realm->coroutine.hooks_off++;
  ssize_t result = realm->request->ops->read_body(realm->request, buffer, size);
  realm->coroutine.hooks_off--;
  return result;
}

void howdah_front_end_response(howdah_realm *realm) {
  if (realm->response_ended) return;
  realm->response_ended = true;
  realm->coroutine.hooks_off++;
  realm->request->ops->end_response(realm->request);
  realm->coroutine.hooks_off--;
}

int howdah_request_park(howdah_request *request) {
  (void)request;
  return howdah_wait_wake();
}

void howdah_request_wake(howdah_request *request) {
  howdah_realm *realm = request->engine;
  if (realm) howdah_coroutine_wake(&realm->coroutine);
}

void howdah_request_aborted(howdah_request *request) {
  howdah_realm *realm = request->engine;
  if (realm && realm->request == request) realm->aborted = true;
}
