/* .user.ini files, and php.ini's sections for folders and hosts, as php-fpm applies them. Classic mode. */
#ifndef HOWDAH_SAPI_USER_INI_H
#define HOWDAH_SAPI_USER_INI_H

#include "sapi.h"

/* At a request's start, before its script runs: what the files from the document root down to the script's folder say
 * (user_ini.filename, read again after user_ini.cache_ttl seconds), for settings that may be changed per folder. Until the
 * request's end. */
void howdah_user_ini_apply(const howdah_realm *realm);

#endif
