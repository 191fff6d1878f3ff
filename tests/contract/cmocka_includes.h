/* cmocka, what it wants before itself, and one name for what cmocka 2 calls otherwise: its compiler warns of the older one. */
#ifndef HOWDAH_TESTS_CMOCKA_INCLUDES_H
#define HOWDAH_TESTS_CMOCKA_INCLUDES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#ifndef assert_uint_in_range
#define assert_uint_in_range assert_in_range
#endif

#endif
