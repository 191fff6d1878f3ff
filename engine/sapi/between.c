/* Between two requests. See between.h.
 *
 * php_request_shutdown() (main/main.c, 8.2) lets no PHP code run once output and headers are gone; ob_start() then crashes, and
 * what is printed goes to the process's own output. A worker script goes on, so both are there again at once. */
#include "between.h"
#include "remains.h"
#include "session.h"

#include <ext/session/php_session.h>

void howdah_between_begin(void) {
  php_output_activate();
  SG(request_info).no_headers =
      1; /* header() is taken without a word, as by php-cli: what tidies up may call header_remove() */
}

/* What sapi_deactivate() frees, and sapi_activate() would forget. */
static void forget_headers(void) {
  sapi_headers_struct *headers = &SG(sapi_headers);
  zend_llist_clean(&headers->headers);
  if (headers->mimetype) efree(headers->mimetype);
  if (headers->http_status_line) efree(headers->http_status_line);
  headers->mimetype = headers->http_status_line = NULL;
}

static bool has_session(const zend_module_entry *session) {
  const php_ps_globals *globals = session ? session->globals_ptr : NULL;
  return globals && (globals->session_status == php_session_active || globals->id);
}

bool howdah_between_end(howdah_realm *realm, const zend_module_entry *session) {
  php_output_end_all();
  if (has_session(session)) {
    /* Else the next request's beginning forgets it: open, and its file locked. */
    howdah_remains_end_in(session);
    howdah_session_ended(realm, session);
    howdah_remains_begin_in(session);
    if (CG(unclean_shutdown)) zend_bailout();
  }
  forget_headers();
  if (EG(exception)) return false;
  php_output_deactivate();
  return true;
}
