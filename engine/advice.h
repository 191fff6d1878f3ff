/* Ways out that messages name. */
#ifndef HOWDAH_ADVICE_H
#define HOWDAH_ADVICE_H

#include <stddef.h>

enum { HOWDAH_ADVICE_MAX = 512 };

/* Which settings PHP reads: howdah_engine_options.php_ini, which must stay as it is; NULL: the embed SAPI's. */
void howdah_advice_settings(const char *php_ini);
/* How this server is started without an extension: "phpdismod -s fpm xdebug", for where its settings are, as a part of a
 * sentence. Gives text back, of HOWDAH_ADVICE_MAX bytes at most; extension may be more than one, with blanks between them. */
const char *howdah_advice_leave_out(const char *extension, char *text);

#endif
