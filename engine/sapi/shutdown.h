/* PHP's end of a script, which goes on to its last step whatever bails out in it. See shutdown.c. */
#ifndef HOWDAH_SAPI_SHUTDOWN_H
#define HOWDAH_SAPI_SHUTDOWN_H

#include "../realm/realm.h"

struct _zend_file_handle;

/* Once all modules have started, before realms are made. */
void howdah_shutdown_install(void);
/* Once PHP has started the script's request. May bail out where memory is short. */
void howdah_shutdown_prepare(void);
/* Whether it is what howdah_shutdown_prepare() has put among the files that are open. */
bool howdah_shutdown_is_mark(const struct _zend_file_handle *file);
/* Ends it: php_request_shutdown(). PHP code may run, wait and bail out. Returns in any case; the realm retires where a step was
 * left out. */
void howdah_shutdown_run(howdah_realm *realm);

#endif
