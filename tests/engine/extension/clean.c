/* An extension as it should be: its globals are registered, a class entry, handlers and an ini entry are made while PHP
 * starts. */
#include "extension.h"

#include <php_ini.h>

ZEND_BEGIN_MODULE_GLOBALS(clean)
zend_long counter;
zend_long step;
ZEND_END_MODULE_GLOBALS(clean)

ZEND_DECLARE_MODULE_GLOBALS(clean)

static zend_class_entry *class_entry;
static zend_object_handlers handlers;

PHP_INI_BEGIN()
STD_PHP_INI_ENTRY("clean.step", "1", PHP_INI_ALL, OnUpdateLong, step, zend_clean_globals, clean_globals)
PHP_INI_END()

static zend_object *create(zend_class_entry *class) {
  zend_object *object = zend_objects_new(class);
  object->handlers = &handlers;
  return object;
}

static PHP_MINIT_FUNCTION(clean) {
  zend_class_entry entry;
  (void)type;
  REGISTER_INI_ENTRIES();
  INIT_CLASS_ENTRY(entry, "Clean", NULL);
  class_entry = zend_register_internal_class(&entry);
  class_entry->create_object = create;
  memcpy(&handlers, &std_object_handlers, sizeof(handlers));
  return SUCCESS;
}

static PHP_RINIT_FUNCTION(clean) {
  (void)type;
  (void)module_number;
  clean_globals.counter = 0;
  return SUCCESS;
}

static ZEND_FUNCTION(clean_next) {
  ZEND_PARSE_PARAMETERS_NONE();
  clean_globals.counter += clean_globals.step;
  RETURN_LONG(clean_globals.counter);
}

static const zend_function_entry functions[] = {ZEND_FE(clean_next, arginfo_int) ZEND_FE_END};

zend_module_entry clean_module_entry = {STANDARD_MODULE_HEADER,
                                        "clean",
                                        functions,
                                        PHP_MINIT(clean),
                                        NULL,
                                        PHP_RINIT(clean),
                                        NULL,
                                        NULL,
                                        "1.0",
                                        PHP_MODULE_GLOBALS(clean),
                                        NULL,
                                        NULL,
                                        NULL,
                                        STANDARD_MODULE_PROPERTIES_EX};

ZEND_GET_MODULE(clean)
