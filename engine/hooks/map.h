/* Fibers' stacks, each with a depth below (coroutine/stack.h): see map.c. For engine/sapi/overflow.c. */
#ifndef HOWDAH_HOOKS_MAP_H
#define HOWDAH_HOOKS_MAP_H

#include <stdbool.h>

/* Whether this is where the mapping begins that PHP has made last for a Fiber, and it has a depth below. */
bool howdah_map_has_depth(const void *low);
/* PHP will give back the mapping that begins here, and that has a depth below. */
void howdah_map_dies(void *low);

#endif
