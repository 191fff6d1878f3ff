/* frankenphp_log(): an application's own messages, with a level and a context. See journal.c. */
#ifndef HOWDAH_SAPI_JOURNAL_H
#define HOWDAH_SAPI_JOURNAL_H

#include "../state/php_headers.h"

ZEND_FUNCTION(frankenphp_log);
ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_frankenphp_log, 0, 1, IS_VOID, 0)
ZEND_ARG_TYPE_INFO(0, message, IS_STRING, 0)
ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, level, IS_LONG, 0, "0")
ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, context, IS_ARRAY, 0, "[]")
ZEND_END_ARG_INFO()

/* FRANKENPHP_LOG_LEVEL_*, at PHP's start. */
void howdah_journal_add_constants(int module_number);

#endif
