/* An extension with a variable that it exports, as all are that are neither static nor hidden: code reaches it through a slot
 * with its address. */
#include "extension.h"

zend_long exported_counter;

/* exported_next(): int: how often it was called. */
static ZEND_FUNCTION(exported_next) {
  ZEND_PARSE_PARAMETERS_NONE();
  RETURN_LONG(++exported_counter);
}

static const zend_function_entry functions[] = {ZEND_FE(exported_next, arginfo_int) ZEND_FE_END};

zend_module_entry exported_module_entry = {
    STANDARD_MODULE_HEADER, "exported", functions, NULL, NULL, NULL, NULL, NULL, "1.0", STANDARD_MODULE_PROPERTIES};

ZEND_GET_MODULE(exported)
