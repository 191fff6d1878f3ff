/* Running a request's script, and the chaos scheduler's places inside PHP. */
#ifndef HOWDAH_SAPI_RUN_H
#define HOWDAH_SAPI_RUN_H

#include "../realm/realm.h"

/* Runs SG(request_info).path_translated as the primary script; between php_request_startup() and php_request_shutdown(). */
void howdah_run_script(howdah_realm *realm);
/* Nothing parks inside a compilation. Once per process, after PHP's module startup. */
void howdah_guard_compilation(void);
/* In test mode: yields at autoloads and VM interrupts too. Once per process, after PHP's module startup. */
void howdah_chaos_hook_php(void);

#endif
