/* PHP's headers, in the order that they need. HAVE_CONFIG_H belongs to whoever builds PHP, not to us. */
#ifndef HOWDAH_STATE_PHP_HEADERS_H
#define HOWDAH_STATE_PHP_HEADERS_H

#undef HAVE_CONFIG_H
#include <php.h>
#include <SAPI.h>
#include <php_ini.h>
#include <php_main.h>
#include <php_output.h>
#include <php_variables.h>
#include <zend_exceptions.h>
#include <zend_extensions.h>
#include <zend_gc.h>
#include <zend_ini.h>
#include <zend_interfaces.h>
#include <zend_language_scanner.h>
#include <zend_modules.h>
#include <zend_observer.h>
#include <zend_signal.h>
#include <zend_virtual_cwd.h>
#include <ext/standard/basic_functions.h>
#include <ext/standard/file.h>
#include <ext/standard/head.h>

/* Exported by libphp, declared in no installed header. */
extern ZEND_API zend_php_scanner_globals language_scanner_globals;
extern ZEND_API zend_ini_scanner_globals ini_scanner_globals;

#endif
