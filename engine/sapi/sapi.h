/* The SAPI: request in, response out. What PHP calls a server module; what the realm calls to run a request. */
#ifndef HOWDAH_SAPI_SAPI_H
#define HOWDAH_SAPI_SAPI_H

#include "../coroutine/coroutine.h"
#include "../realm/realm.h"
#include "../state/php_headers.h"

/* module.c: "fpm-fcgi", so that opcache enables itself and libraries see the web. */
extern sapi_module_struct howdah_sapi;
/* functions.c: the PHP module `howdah`, with the functions that scripts call. */
extern zend_module_entry howdah_php_module;

/* module.c: what is registered with howdah_realms_run(). */
extern const howdah_realm_code howdah_sapi_realm_code;
/* What a realm's coroutine runs, from birth to end. */
void howdah_classic_main(howdah_coroutine *coroutine);
void howdah_worker_main(howdah_coroutine *coroutine);
/* worker.c: frankenphp_handle_request() */
bool howdah_worker_handle(zend_fcall_info *call, zend_fcall_info_cache *cache, zval *return_value);

/* request.c: fills SG(request_info) from the realm's request; before php_request_startup() or sapi_activate(). False when
 * memory is short. */
bool howdah_sapi_request_begin(howdah_realm *realm);
/* Takes the pointers back out. */
void howdah_sapi_request_end(void);
/* output.c: for fastcgi_finish_request(): false when the response had ended already. */
bool howdah_sapi_end_response(howdah_realm *realm);
/* output.c: an interim response (100 to 199) with the headers that the script has given so far. False when it was not sent. */
bool howdah_sapi_send_interim(howdah_realm *realm, int status);
/* output.c: a field after the body. False when it will not be sent. */
bool howdah_sapi_add_trailer(howdah_realm *realm, const howdah_header *trailer);
/* Answers 500 when nothing was sent yet. */
void howdah_sapi_fail(howdah_realm *realm);

/* unwind.c: whether the realm's script said ignore_user_abort(). From the main stack. */
bool howdah_sapi_ignores_abort(const howdah_realm *realm);
/* unwind.c: in the coroutine: PHP's code is about to end before its end; from then on waits work again. */
void howdah_sapi_begin_unwinding(howdah_realm *realm);

/* output.c: "Name: value" in two parts, which point into line; without a colon all of it is the name. */
howdah_header howdah_sapi_split_header(const char *line, size_t len);

/* output.c, variables.c: PHP's callbacks. */
size_t howdah_sapi_write(const char *data, size_t len);
void howdah_sapi_flush(void *context);
int howdah_sapi_send_headers(sapi_headers_struct *headers);
size_t howdah_sapi_read_body(char *buffer, size_t size);
void howdah_sapi_register_variables(zval *array);
/* Once, after PHP's start: $_ENV and getenv() get the request's variables; and what php.ini says of paths is remembered. */
void howdah_sapi_start_variables(void);
/* The process's environment, as `import` (PHP's own) makes variables of it; without it where that is known already. environment.c. */
void howdah_sapi_import_environment(zval *array, void (*import)(zval *array));
char *howdah_sapi_getenv(const char *name, size_t len);
/* Some of the request's variables, as $_SERVER would have them, without making it. names are strings; values are NULL or
 * strings on both ways: those that the request has not stay as they are. */
void howdah_sapi_choose_variables(const zval *names, zval *values, uint32_t count);
/* Adds the request's headers, as getallheaders() gives them. */
void howdah_sapi_request_headers(zval *array);

/* boot.c: the request that a worker script sees while it boots: there is a method, and no client. */
howdah_request *howdah_boot_request(howdah_realm *realm);
/* Says in the log where the script is that boots since so many seconds. On the main stack. */
void howdah_sapi_tell_boot(const howdah_realm *realm, unsigned seconds, bool ends);

#endif
