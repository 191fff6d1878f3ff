/* An extension that was linked without -z now, as phpize does it: the linker finds each function when it is called first. It
 * has the name of one whose memory is private to each realm (engine/state/extensions/known.c). */
#include "extension.h"

#include <unistd.h>

static zend_long calls;

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_wait, 0, 1, IS_LONG, 0)
ZEND_ARG_TYPE_INFO(0, milliseconds, IS_LONG, 0)
ZEND_END_ARG_INFO()

/* lazy_wait(int $milliseconds): int: how often this realm has called it. */
static ZEND_FUNCTION(lazy_wait) {
  zend_long milliseconds;
  ZEND_PARSE_PARAMETERS_START(1, 1)
  Z_PARAM_LONG(milliseconds)
  ZEND_PARSE_PARAMETERS_END();
  calls++;
  usleep((useconds_t)milliseconds * 1000);
  RETURN_LONG(calls);
}

static const zend_function_entry functions[] = {ZEND_FE(lazy_wait, arginfo_wait) ZEND_FE_END};

zend_module_entry lazy_module_entry = {STANDARD_MODULE_HEADER,    "mailparse", functions, NULL, NULL, NULL, NULL, NULL, "3.1.4",
                                       STANDARD_MODULE_PROPERTIES};

ZEND_GET_MODULE(lazy)
