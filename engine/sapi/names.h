/* Names of CGI variables, and values that most requests have, as PHP strings, made once per process and shared by all realms. */
#ifndef HOWDAH_SAPI_NAMES_H
#define HOWDAH_SAPI_NAMES_H

#include "../howdah.h"
#include "../state/php_headers.h"

/* Whether PHP takes the name as it is: of others it makes a number, or changes blanks and dots, or takes what follows a bracket for a key of an
 * array (php_register_variable_ex(), main/php_variables.c, 8.2). */
bool howdah_is_plain_name(howdah_str name);
/* An interned string for a plain name, or NULL when it is none, or the table is full (then PHP makes one as usual). Clients
 * choose the names of headers: so many are kept, and no more. */
zend_string *howdah_name(howdah_str name);
/* The same for the value of a variable that the server's configuration decides, not the client. */
zend_string *howdah_value(howdah_str value);

/* An interned string that nobody frees, of any length: for what is made once per process. */
zend_string *howdah_string_for_ever(howdah_str text);

#endif
