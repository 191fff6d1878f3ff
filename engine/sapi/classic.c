/* Classic mode: every request starts from nothing and ends in a full request shutdown, exactly as under php-fpm. */
#include "sapi.h"
#include "fpm.h"
#include "ini.h"
#include "../hooks/child.h"
#include "../log.h"
#include "heap.h"
#include "run.h"
#include "shutdown.h"

static void run_request(howdah_realm *realm) {
  if (howdah_run_request(realm)) {
    howdah_fpm_add_error_header();
    howdah_shutdown_run(realm);
  } else {
    howdah_log(HOWDAH_LOG_ERROR, realm->request,
               "howdah: PHP could not start the request: answered 500; see the log lines above");
    howdah_realm_retire(realm);
    howdah_ini_end(realm);
  }
  /* What it waited for was shut down: a persistent connection would fail the next request (ext/pgsql looks only once, before it
   * resets it). */
  if (realm->cancelled && zend_hash_num_elements(&EG(persistent_list)) > 0) howdah_realm_retire(realm);
  howdah_domain_forget(&realm->state.process.domains);
  howdah_settings_forget(&realm->state.settings);
  howdah_children_leave(&realm->coroutine);
  howdah_sapi_fail(realm);
  howdah_sapi_request_end();
}

void howdah_classic_main(howdah_coroutine *coroutine) {
  howdah_realm *realm = (howdah_realm *)coroutine;
  for (;;) {
    if (howdah_realm_next_request(realm)) {
      run_request(realm);
      howdah_heap_measure(realm);
      howdah_realm_request_done(realm);
    } else if (howdah_realm_retires(realm)) {
      return;
    } else {
      realm->tidy = false;
      howdah_heap_trim(realm);
    }
  }
}
