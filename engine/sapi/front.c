/* What front-ends call for a request that runs: park, wake, aborted (howdah.h). */
#include "sapi.h"
#include "../coroutine/wait.h"

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
