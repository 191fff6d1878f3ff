/* SQLite: its limits on memory and the folder of its temporary files, which are the process's (settings.c), and its shared
 * caches.
 *
 * A database that is opened with `cache=shared` (above all `file::memory:?cache=shared`) is one with what the process has
 * opened by the same name through the same VFS, and of the VFS "memdb" each name that begins with "/" is one for the process
 * (sqlite3BtreeOpen(), src/btree.c; memdbOpen(), src/memdb.c, 3.40). So each realm opens its databases, and what it attaches,
 * through a VFS of its own, a copy of the default one, which bears the default one's name while the realm is in place
 * (`vfs=unix`), and names of memdb carry the realm's number. Connections of one realm share as they would in a php-fpm child. */
#ifndef HOWDAH_STATE_SQLITE_H
#define HOWDAH_STATE_SQLITE_H

#include <stdbool.h>
#include <stdint.h>

/* Names: whose VFS "unix" and its like are. */
enum { HOWDAH_SQLITE_HARD_LIMIT, HOWDAH_SQLITE_SOFT_LIMIT, HOWDAH_SQLITE_FOLDER, HOWDAH_SQLITE_NAMES };

bool howdah_sqlite_find(void);
int64_t howdah_sqlite_get(int which);
void howdah_sqlite_set(int which, int64_t value);
/* Frees a folder's name, which is not in effect. */
void howdah_sqlite_drop(int64_t folder);
/* For the realm that is in place. The name of a VFS that is its alone, and in `number` which; 0 before: it has none yet. NULL
 * when memory is short. */
const char *howdah_sqlite_vfs(unsigned *number);
/* Another realm may have it. The realm's connections are closed. */
void howdah_sqlite_leave(unsigned number);

#endif
