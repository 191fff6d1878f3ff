/* What the extensions of the tests have in common. */
#ifndef HOWDAH_TESTS_EXTENSION_H
#define HOWDAH_TESTS_EXTENSION_H

#include <php.h>

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_int, 0, 0, IS_LONG, 0)
ZEND_END_ARG_INFO()

#endif
