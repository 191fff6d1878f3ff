/* Where PHP code yields with the chaos scheduler (engine/coroutine/chaos.h), besides output and compilations. */
#ifndef HOWDAH_SAPI_DISTURB_H
#define HOWDAH_SAPI_DISTURB_H

#include "../state/php_headers.h"

/* Once per process, before a script is compiled, and only where the mode is on: it changes what code is compiled to. */
void howdah_disturb_php(void);
/* In an interrupt of PHP code; the frame is what runs, or NULL. May park. Does nothing where the mode is off. */
void howdah_disturb_code(const zend_execute_data *frame);

#endif
