/* What libraries find out once, from the environment, when they are asked for the first time: which time zone and which locale
 * is the default (ICU), where XML catalogs are (libxml2), where gpg is (GPGME). In a worker the first request would decide for all: putenv() and
 * setlocale() are its own. So they are asked when PHP has started, and what they answer is the server's.
 *
 * A realm with a TZ of its own is told that zone (hooks/library.c). Its own XML_CATALOG_FILES and LANG are not looked at. */
#ifndef HOWDAH_STATE_DEFAULTS_H
#define HOWDAH_STATE_DEFAULTS_H

#include <stdbool.h>
#include <stddef.h>

/* Once per process, when PHP has started. */
void howdah_defaults_start(void);
/* For the audit, as howdah_settings_row(): whether the answer is what it was. */
const char *howdah_defaults_row(size_t row, const char **library);
bool howdah_defaults_are_the_server_s(size_t row);

#endif
