/* Which php.ini PHP reads. See php_ini.c. */
#ifndef HOWDAH_SAPI_PHP_INI_H
#define HOWDAH_SAPI_PHP_INI_H

#include <stddef.h>

/* Before PHP's module startup: it will read php.ini in the folder, and the files of its conf.d, in the place of those of the
 * embed SAPI. 0, or -1 with a message for the user. */
int howdah_php_ini_use(const char *folder, char *error, size_t error_size);
/* After it: the environment is again as it was. Does nothing without the former. */
void howdah_php_ini_used(void);

#endif
