/* Classic mode: every request starts from nothing and ends in a full request shutdown, exactly as under php-fpm. */
#include "sapi.h"
#include "../hooks/opcache.h"
#include "../log.h"
#include "run.h"

static void run_request(howdah_realm *realm) {
  volatile bool started = false;
  zend_try {
    howdah_opcache_own_pattern_keys();
    if (howdah_sapi_request_begin(realm) && php_request_startup() == SUCCESS) {
      started = true;
      howdah_run_script(realm);
    }
  }
  zend_end_try();
  if (started) php_request_shutdown(NULL);
  if (!started) {
    howdah_log(HOWDAH_LOG_ERROR, realm->request,
               "howdah: PHP could not start the request: answered 500; see the log lines above");
    realm->retire = true;
  }
  howdah_sapi_fail(realm);
  howdah_sapi_request_end();
}

void howdah_classic_main(howdah_coroutine *coroutine) {
  howdah_realm *realm = (howdah_realm *)coroutine;
  while (howdah_realm_next_request(realm)) {
    run_request(realm);
    howdah_realm_request_done(realm);
  }
}
