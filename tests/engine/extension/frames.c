/* An extension that calls back from a frame as large as it is told: frames_call(bytes, callback). Before, it calls a function
 * that needs more stack than PHP does to call back, and returns. */
#include "extension.h"

#include <alloca.h>

ZEND_BEGIN_ARG_INFO_EX(arginfo_frames_call, 0, 0, 2)
ZEND_ARG_TYPE_INFO(0, bytes, IS_LONG, 0)
ZEND_ARG_INFO(0, callback)
ZEND_END_ARG_INFO()

static ZEND_COLD zend_never_inline void dip(void) {
  char frame[2048];
  __asm__ volatile("" : : "r"(frame) : "memory");
  frame[0] = 1;
  __asm__ volatile("" : : "r"(frame) : "memory");
}

static ZEND_FUNCTION(frames_call) {
  zend_long bytes;
  zend_fcall_info call;
  zend_fcall_info_cache cache;
  ZEND_PARSE_PARAMETERS_START(2, 2)
  Z_PARAM_LONG(bytes)
  Z_PARAM_FUNC(call, cache)
  ZEND_PARSE_PARAMETERS_END();
  volatile char *frame = alloca((size_t)bytes);
  frame[0] = 1;
  dip();
  call.retval = return_value;
  zend_call_function(&call, &cache);
  frame[0] = 2; /* it is in use until here */
}

static const zend_function_entry functions[] = {ZEND_FE(frames_call, arginfo_frames_call) ZEND_FE_END};

zend_module_entry frames_module_entry = {STANDARD_MODULE_HEADER,    "frames", functions, NULL, NULL, NULL, NULL, NULL, "1.0",
                                         STANDARD_MODULE_PROPERTIES};

ZEND_GET_MODULE(frames)
