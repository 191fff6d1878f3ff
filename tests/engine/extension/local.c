/* An extension with a hidden thread-local variable: realms of a process run on one thread. */
#include "extension.h"

static __thread zend_long calls;

/* local_next(): int: how often it was called. */
static ZEND_FUNCTION(local_next) {
  ZEND_PARSE_PARAMETERS_NONE();
  RETURN_LONG(++calls);
}

static const zend_function_entry functions[] = {ZEND_FE(local_next, arginfo_int) ZEND_FE_END};

zend_module_entry local_module_entry = {STANDARD_MODULE_HEADER,    "local", functions, NULL, NULL, NULL, NULL, NULL, "1.0",
                                        STANDARD_MODULE_PROPERTIES};

ZEND_GET_MODULE(local)
