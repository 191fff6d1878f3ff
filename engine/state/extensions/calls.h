/* Memory that rests: an extension whose memory changes only in calls of its functions costs nothing at a switch before the
 * first of them. */
#ifndef HOWDAH_STATE_EXTENSIONS_CALLS_H
#define HOWDAH_STATE_EXTENSIONS_CALLS_H

#include "../php_headers.h"

/* From now on the first call of a function or method of this extension wakes all blocks that rest (howdah_images_wake(),
 * ../image.h), and then does what it does. In the process that starts the others, before realms have tables of their own. False
 * when it cannot be: its blocks must not rest. */
bool howdah_calls_wake(const zend_module_entry *module);

#endif
