/* Running a request's script, and the places inside PHP where a coroutine yields. */
#ifndef HOWDAH_SAPI_RUN_H
#define HOWDAH_SAPI_RUN_H

#include "../realm/realm.h"

/* Begins a PHP request for the realm's request and runs its script, to the end or to a bailout. False when PHP could not begin;
 * else php_request_shutdown() is the caller's. */
bool howdah_run_request(howdah_realm *realm);
/* Tells PHP which stack it is on: after zend_activate(), which takes it for the process's, and before the first data is read
 * (an upload's progress and session.auto_start serialize, and PHP 8.4 looks there). Not in a Fiber. */
void howdah_limit_recursion(const howdah_realm *realm);
/* Puts the engine's functions in PHP's places: who has computed for a slice yields after a compilation; with chaos, realms
 * yield in more places (disturb.h). Once per process, after PHP's module startup. */
void howdah_hook_php(bool chaos);
/* The same for VM interrupts: who has computed for a slice yields, who is cancelled unwinds. Once per process, from a module's
 * startup: compiled code calls for ever what handles interrupts when opcache starts, and nothing if that is nothing
 * (zend_jit_interrupt_handler_stub(), ext/opcache/jit, 8.2.32). */
void howdah_hook_interrupts(void);
/* Interrupts the PHP code of the realm whose state is in place, at its next loop or call: there it yields when it has computed
 * for a slice, or unwinds when it is cancelled. May be called in a signal handler. */
void howdah_interrupt_php(void);

#endif
