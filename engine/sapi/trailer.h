/* Howdah\trailer(). See trailer.c. */
#ifndef HOWDAH_SAPI_TRAILER_H
#define HOWDAH_SAPI_TRAILER_H

#include "../state/php_headers.h"

/* Howdah\trailer(string $name, string $value): bool */
ZEND_FUNCTION(trailer);

#endif
