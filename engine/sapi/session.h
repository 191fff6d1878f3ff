/* What a worker script has said about sessions while it booted (session.c). */
#ifndef HOWDAH_SAPI_SESSION_H
#define HOWDAH_SAPI_SESSION_H

#include "../realm/realm.h"

#include <php.h>

/* The boot is over: remembers the script's session handler. Before the module's request shutdown; nothing yields. `session`:
 * the module, or NULL when PHP has none. */
void howdah_session_booted(howdah_realm *realm, const zend_module_entry *session);
/* A request (or the boot) is over: its own handler goes, the script's is back. After the module's request shutdown; nothing
 * yields. */
void howdah_session_ended(howdah_realm *realm, const zend_module_entry *session);
/* After a session's end: closes what a handler made of SessionHandler has left open, with its file locked for as long as the
 * process lives. PHP forgets it where the handler's close() has failed or has not called its parent's (PS_CLOSE_FUNC(user),
 * ext/session/mod_user.c, 8.2). */
void howdah_session_close(const zend_module_entry *session);
/* The script is over: while PHP's modules shut their request down, when no destructor runs any more. `realm` may be NULL. */
void howdah_session_forget(howdah_realm *realm);

#endif
