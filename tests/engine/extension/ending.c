/* An extension that fails while a request ends, where ending_fail(step) says: in the destructors of two resources, in the free
 * functions of two objects, or in its own functions for a request's end. Each says so with a fatal error. */
#include "extension.h"

#include <string.h>

ZEND_BEGIN_MODULE_GLOBALS(ending)
char step[16]; /* empty: nothing fails */
ZEND_END_MODULE_GLOBALS(ending)

ZEND_DECLARE_MODULE_GLOBALS(ending)

static int resource_kind;
static zend_class_entry *object_class;
static zend_object_handlers object_handlers;

static void fail_in(const char *step) {
  if (strcmp(ending_globals.step, step) == 0) zend_error_noreturn(E_ERROR, "failed on purpose: %s", step);
}

static void end_resource(zend_resource *resource) {
  (void)resource;
  fail_in("resource");
}

static void free_object(zend_object *object) {
  zend_object_std_dtor(object);
  fail_in("object");
}

static zend_object *create_object(zend_class_entry *class) {
  zend_object *object = zend_objects_new(class);
  object_properties_init(object, class);
  object->handlers = &object_handlers;
  return object;
}

static PHP_GINIT_FUNCTION(ending) {
  ending_globals->step[0] = '\0';
}

static PHP_MINIT_FUNCTION(ending) {
  zend_class_entry class;
  (void)type;
  resource_kind = zend_register_list_destructors_ex(end_resource, NULL, "ending", module_number);
  INIT_CLASS_ENTRY(class, "Ending", NULL);
  object_class = zend_register_internal_class(&class);
  object_class->create_object = create_object;
  memcpy(&object_handlers, &std_object_handlers, sizeof(object_handlers));
  object_handlers.free_obj = free_object;
  return SUCCESS;
}

static PHP_RINIT_FUNCTION(ending) {
  (void)type, (void)module_number;
  ending_globals.step[0] = '\0';
  return SUCCESS;
}

static PHP_RSHUTDOWN_FUNCTION(ending) {
  (void)type, (void)module_number;
  fail_in("end");
  return SUCCESS;
}

static zend_result after_end(void) {
  fail_in("after");
  return SUCCESS;
}

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_fail, 0, 1, IS_VOID, 0)
ZEND_ARG_TYPE_INFO(0, step, IS_STRING, 0)
ZEND_END_ARG_INFO()

static ZEND_FUNCTION(ending_fail) {
  char *step;
  size_t len;
  ZEND_PARSE_PARAMETERS_START(1, 1)
  Z_PARAM_STRING(step, len)
  ZEND_PARSE_PARAMETERS_END();
  if (len < sizeof(ending_globals.step)) memcpy(ending_globals.step, step, len + 1);
  (void)return_value;
}

ZEND_BEGIN_ARG_INFO_EX(arginfo_resource, 0, 0, 0)
ZEND_END_ARG_INFO()

static ZEND_FUNCTION(ending_resource) {
  ZEND_PARSE_PARAMETERS_NONE();
  RETURN_RES(zend_register_resource(NULL, resource_kind));
}

static const zend_function_entry functions[] = {ZEND_FE(ending_fail, arginfo_fail) ZEND_FE(ending_resource, arginfo_resource)
                                                    ZEND_FE_END};

zend_module_entry ending_module_entry = {STANDARD_MODULE_HEADER,
                                         "ending",
                                         functions,
                                         PHP_MINIT(ending),
                                         NULL,
                                         PHP_RINIT(ending),
                                         PHP_RSHUTDOWN(ending),
                                         NULL,
                                         "1.0",
                                         PHP_MODULE_GLOBALS(ending),
                                         PHP_GINIT(ending),
                                         NULL,
                                         after_end,
                                         STANDARD_MODULE_PROPERTIES_EX};

ZEND_GET_MODULE(ending)
