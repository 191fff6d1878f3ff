/* What scripts find of php-fpm by name, for PHP_SAPI says that it is there. See fpm.c. */
#ifndef HOWDAH_SAPI_FPM_H
#define HOWDAH_SAPI_FPM_H

#include "../state/php_headers.h"

#include <stdbool.h>

/* Before PHP's module startup: it will register the module cgi-fcgi, too, and not its own pcntl. */
void howdah_fpm_add_module(void);
/* Before PHP's module startup: PHP_BINARY. */
void howdah_fpm_name_program(sapi_module_struct *module);
/* Whether a setting of that module is on, for the realm in place or, before there are any, for the process. */
bool howdah_fpm_is_on(const char *setting);
/* A script has ended, and its request's shutdown is next: fastcgi.error_header. */
void howdah_fpm_add_error_header(void);

/* functions.c has frankenphp_finish_request() and frankenphp_request_headers(), which are the same functions. */
ZEND_FUNCTION(fastcgi_finish_request);
ZEND_FUNCTION(apache_request_headers);

#endif
