/* Base pages: memory that every realm is born with at an address of its own, and whose pages realms share until one writes to
 * them (it then has a copy of that page). One file in memory, made before nginx forks, mapped privately once for each realm.
 * What lies there must hold no pointer into itself.
 *
 * PHP frees a table's slots when the table has outgrown them, and cannot know that these were never allocated: howdah_hook_free()
 * (engine/hooks/free.c) drops such a call. */
#ifndef HOWDAH_STATE_PAGES_H
#define HOWDAH_STATE_PAGES_H

#include <stdbool.h>
#include <stddef.h>

/* Makes pages with these bytes, once, before any is taken, and after the hooks were installed. False: the kernel refuses, or
 * the hook is not where PHP frees tables, and there will be none. */
bool howdah_pages_start(const char *bytes, size_t size);
/* A realm's own, or NULL where there are none. */
char *howdah_pages_take(void);
/* Gives them back, with all that a realm has written. */
void howdah_pages_give(char *pages);
/* Whether what PHP is about to free lies in a realm's pages, where it has to stay. On any thread. */
bool howdah_pages_keep(const void *address);
void howdah_pages_stop(void);

#endif
