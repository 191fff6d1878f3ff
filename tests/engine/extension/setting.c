/* An extension that keeps its settings in globals that it does not register: only their ini entry knows of them. */
#include "extension.h"

#include <php_ini.h>

typedef struct {
  zend_long limit;
} setting_globals_type;

static setting_globals_type setting_globals;

PHP_INI_BEGIN()
STD_PHP_INI_ENTRY("setting.limit", "7", PHP_INI_ALL, OnUpdateLong, limit, setting_globals_type, setting_globals)
PHP_INI_END()

static PHP_MINIT_FUNCTION(setting) {
  (void)type;
  REGISTER_INI_ENTRIES();
  return SUCCESS;
}

static ZEND_FUNCTION(setting_limit) {
  ZEND_PARSE_PARAMETERS_NONE();
  RETURN_LONG(setting_globals.limit);
}

static const zend_function_entry functions[] = {ZEND_FE(setting_limit, arginfo_int) ZEND_FE_END};

zend_module_entry setting_module_entry = {
    STANDARD_MODULE_HEADER,    "setting", functions, PHP_MINIT(setting), NULL, NULL, NULL, NULL, "1.0",
    STANDARD_MODULE_PROPERTIES};

ZEND_GET_MODULE(setting)
