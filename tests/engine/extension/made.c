/* An extension whose hidden static is initialised while PHP starts, as class entries are, and changed by requests later. */
#include "extension.h"

static zend_long in_flight;

static PHP_MINIT_FUNCTION(made) {
  (void)type;
  (void)module_number;
  in_flight = 1000;
  return SUCCESS;
}

/* made_enter(): int: how many have entered and not left, this one among them. */
static ZEND_FUNCTION(made_enter) {
  ZEND_PARSE_PARAMETERS_NONE();
  RETURN_LONG(++in_flight - 1000);
}

static ZEND_FUNCTION(made_leave) {
  ZEND_PARSE_PARAMETERS_NONE();
  RETURN_LONG(--in_flight - 1000);
}

static const zend_function_entry functions[] = {ZEND_FE(made_enter, arginfo_int) ZEND_FE(made_leave, arginfo_int) ZEND_FE_END};

zend_module_entry made_module_entry = {
    STANDARD_MODULE_HEADER, "made", functions, PHP_MINIT(made), NULL, NULL, NULL, NULL, "1.0", STANDARD_MODULE_PROPERTIES};

ZEND_GET_MODULE(made)
