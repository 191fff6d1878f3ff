/* Running a request's script, and the places inside PHP where a coroutine yields, or must not. */
#ifndef HOWDAH_SAPI_RUN_H
#define HOWDAH_SAPI_RUN_H

#include "../realm/realm.h"

/* Runs SG(request_info).path_translated as the primary script; between php_request_startup() and php_request_shutdown(). */
void howdah_run_script(howdah_realm *realm);
/* Puts the engine's functions in PHP's places: nothing parks inside a compilation; who has computed for a slice yields; with chaos,
 * also at autoloads and VM interrupts. Once per process, after PHP's module startup. */
void howdah_hook_php(bool chaos);
/* The coroutine that runs has computed for a slice: it yields at its next VM interrupt. May be called in a signal handler. */
void howdah_slice_is_over(void);

#endif
