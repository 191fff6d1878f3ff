/* PHP's end of a script, which goes on to its last step whatever bails out in it. See shutdown.c. */
#ifndef HOWDAH_SAPI_SHUTDOWN_H
#define HOWDAH_SAPI_SHUTDOWN_H

#include "../realm/realm.h"

struct _zend_file_handle;
struct _php_stream;

/* Once all modules have started, before realms are made. */
void howdah_shutdown_install(void);
/* Once PHP has started the script's request. May bail out where memory is short. */
void howdah_shutdown_prepare(void);
/* Whether it is what howdah_shutdown_prepare() has put among the files that are open. */
bool howdah_shutdown_is_mark(const struct _zend_file_handle *file);
/* At a request's end, of a stream that outlives it: a filter names its resource, which ends then. PHP does not forget it, closes it
 * once more when the stream ends (_php_stream_free(), main/streams/streams.c, 8.2, 8.4), and crashes. */
void howdah_shutdown_forget_filters(const struct _php_stream *stream);
/* Ends it: php_request_shutdown(). PHP code may run, wait and bail out. Returns in any case; the realm retires where a step was
 * left out. */
void howdah_shutdown_run(howdah_realm *realm);

#endif
