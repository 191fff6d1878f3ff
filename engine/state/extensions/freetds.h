/* FreeTDS's DB-Library, the library of ext/pdo_dblib: time limits and the list of open connections are the process's, and
 * dbsettime() sets its limit for each connection of that list. All that it may write to is private to each realm, and each
 * realm has a list of its own. */
#ifndef HOWDAH_STATE_FREETDS_H
#define HOWDAH_STATE_FREETDS_H

#include <stddef.h>

/* Has the library free what dbinit() made when the extension started (src/dblib/dblib.c, 1.3): realms would share it. `handle`
 * is the extension's. 0, or -1 with a message. */
int howdah_freetds_prepare(void *handle, char *error, size_t error_size);
/* A new realm's list, and its end; `block` is not looked at. Short of memory the realm can open no connection. */
void howdah_freetds_birth(void *block);
void howdah_freetds_death(void *block);

#endif
