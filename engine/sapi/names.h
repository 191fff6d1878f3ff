/* Names of CGI variables, and values that most requests have, as PHP strings, made once per process and shared by all realms. */
#ifndef HOWDAH_SAPI_NAMES_H
#define HOWDAH_SAPI_NAMES_H

#include "../howdah.h"
#include "../state/php_headers.h"

/* An interned string for the name, or NULL when the table is full or memory is short (then PHP makes one as usual). Clients
 * choose the names of headers: so many are kept, and no more. */
zend_string *howdah_name(howdah_str name);
/* The same for the value of a variable that the server's configuration decides, not the client. */
zend_string *howdah_value(howdah_str value);

/* An interned string that nobody frees, of any length: for what is made once per process. */
zend_string *howdah_string_for_ever(howdah_str text);

#endif
