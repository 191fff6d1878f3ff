/* Functions that wake resting memory. See calls.h.
 *
 * A function's own handler is kept in a slot that PHP has for extensions (zend_get_resource_handle(), Zend/zend_extensions.c,
 * 8.2 and 8.4), which copies of the function have, too: those that inheritance makes. */
#include "calls.h"
#include "../image.h"

static int slot = -1;

static ZEND_FUNCTION(wake_and_call) {
  zif_handler handler = (zif_handler)(uintptr_t)EX(func)->internal_function.reserved[slot];
  howdah_images_wake();
  handler(execute_data, return_value);
}

static void wake_by(const zend_module_entry *module, HashTable *functions) {
  zend_function *function;
  ZEND_HASH_FOREACH_PTR(functions, function) {
    zend_internal_function *own = &function->internal_function;
    if (function->type != ZEND_INTERNAL_FUNCTION || own->module != module || own->handler == ZEND_FN(wake_and_call)) continue;
    own->reserved[slot] = (void *)(uintptr_t)own->handler;
    own->handler = ZEND_FN(wake_and_call);
  }
  ZEND_HASH_FOREACH_END();
}

bool howdah_calls_wake(const zend_module_entry *module) {
  if (slot < 0) slot = zend_get_resource_handle("Howdah");
  if (slot < 0) return false;
  wake_by(module, CG(function_table));
  zend_class_entry *class;
  ZEND_HASH_FOREACH_PTR(CG(class_table), class) {
    if (class->type == ZEND_INTERNAL_CLASS && class->info.internal.module == module) wake_by(module, &class->function_table);
  }
  ZEND_HASH_FOREACH_END();
  return true;
}
