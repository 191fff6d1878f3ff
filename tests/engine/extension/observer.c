/* A profiler, as far as PHP can tell: it wants to know of each call, and does nothing then. */
#include "extension.h"

#include <zend_observer.h>

static zend_observer_fcall_handlers watch(zend_execute_data *call) {
  (void)call;
  return (zend_observer_fcall_handlers){NULL, NULL};
}

static PHP_MINIT_FUNCTION(observer) {
  (void)type;
  (void)module_number;
  zend_observer_fcall_register(watch);
  return SUCCESS;
}

zend_module_entry observer_module_entry = {
    STANDARD_MODULE_HEADER, "observer", NULL, PHP_MINIT(observer), NULL, NULL, NULL, NULL, "1.0", STANDARD_MODULE_PROPERTIES};

ZEND_GET_MODULE(observer)
