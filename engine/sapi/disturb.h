/* Where PHP code yields with the chaos scheduler (engine/coroutine/chaos.h), besides output and compilations. */
#ifndef HOWDAH_SAPI_DISTURB_H
#define HOWDAH_SAPI_DISTURB_H

#include "../state/php_headers.h"

/* Before PHP starts: the mode is on. */
void howdah_disturb_wanted(void);
/* Once per process, from a module's startup: opcache starts after that, and has these places below its own (accel_post_startup(),
 * ext/opcache/ZendAccelerator.c, 8.2). Does nothing where the mode is off. */
void howdah_disturb_files(void);
/* Once per process, before a script is compiled, and only where the mode is on: it changes what code is compiled to. */
void howdah_disturb_php(void);
/* In an interrupt of PHP code; the frame is what runs, or NULL. May park. Does nothing where the mode is off. */
void howdah_disturb_code(const zend_execute_data *frame);

#endif
