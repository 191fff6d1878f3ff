/* PHP settings of one request: PHP_VALUE and PHP_ADMIN_VALUE, as php-fpm takes them from the web server. */
#ifndef HOWDAH_SAPI_INI_H
#define HOWDAH_SAPI_INI_H

#include "../realm/realm.h"

/* Sets what the realm's request brings, before php_request_startup(). Whatever cannot be set is logged and left out, as by
 * php-fpm; but false when the request must not run without it, or when memory is short. Classic mode only. Does not yield. */
bool howdah_ini_begin(howdah_realm *realm);
/* Puts back what was, after zend_ini_deactivate() has undone the script's ini_set() and before the request's heap goes. May be
 * called again, and after a howdah_ini_begin() that returned false. */
void howdah_ini_end(howdah_realm *realm);

#endif
