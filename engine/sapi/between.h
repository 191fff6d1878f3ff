/* What PHP code of a worker script finds between two requests, where there is no client: it may print, buffer, start sessions. */
#ifndef HOWDAH_SAPI_BETWEEN_H
#define HOWDAH_SAPI_BETWEEN_H

#include "sapi.h"

/* The last request (or the boot) has ended, and with it output and headers. From here on what is printed goes to the log, and
 * headers go nowhere. */
void howdah_between_begin(void);
/* The script asks for its next request: buffers and a session that it has left open end, as at a request's end. User code may
 * run, wait, or bail out. False when it has thrown: EG(exception) is set, and the script is still between two requests. */
bool howdah_between_end(howdah_realm *realm, const zend_module_entry *session);

#endif
