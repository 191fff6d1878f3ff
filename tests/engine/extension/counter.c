/* An extension with a hidden static: a counter that nothing writes before a request does. */
#include "extension.h"

static zend_long counter;

/* counter_next(): int: how often it was called. */
static ZEND_FUNCTION(counter_next) {
  ZEND_PARSE_PARAMETERS_NONE();
  RETURN_LONG(++counter);
}

static const zend_function_entry functions[] = {ZEND_FE(counter_next, arginfo_int) ZEND_FE_END};

zend_module_entry counter_module_entry = {STANDARD_MODULE_HEADER,    "counter", functions, NULL, NULL, NULL, NULL, NULL, "1.0",
                                          STANDARD_MODULE_PROPERTIES};

ZEND_GET_MODULE(counter)
