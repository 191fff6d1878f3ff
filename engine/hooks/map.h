/* Fibers' stacks, each with a depth below (coroutine/stack.h) where one can be had: see map.c. For engine/sapi/overflow.c. */
#ifndef HOWDAH_HOOKS_MAP_H
#define HOWDAH_HOOKS_MAP_H

#include "../coroutine/coroutine.h"

/* What PHP has mapped for a Fiber. */
typedef struct howdah_map howdah_map;
struct howdah_map {
  howdah_map *next, **link;
  char *low; /* where it begins, with PHP's guard page, above the depth */
  size_t bytes;
  char *open; /* the lowest byte that may be touched; NULL: it has no depth */
};

/* From now on who makes and frees Fibers tells here. Before, their stacks are PHP's own affair. */
void howdah_maps_begin(void);
/* The mapping that PHP has made last for a Fiber, if it begins here; else NULL. */
howdah_map *howdah_map_born(const void *low);
/* PHP will give it back. */
void howdah_map_dies(howdah_map *map);
/* Gives back those that are left: nothing of the coroutine will run any more. */
void howdah_maps_free(howdah_coroutine *coroutine);

#endif
