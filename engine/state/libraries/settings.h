/* What libraries keep for the process as a whole, and a script can set without a handle: `pragma hard_heap_limit`,
 * Imagick::setResourceLimit(). Each such setting that can be asked for and set is a row of one table (settings.c); a new one is
 * a row more. (Libraries that keep much, and nothing that was allocated before, are private as a whole instead:
 * ../extensions/known.c.)
 *
 * Invariants:
 *  1. A realm that never uses a library does not ask it, and costs one test.
 *  2. While the main stack runs, each setting is as the process had it when PHP had started: the audit asks all of them. */
#ifndef HOWDAH_STATE_SETTINGS_H
#define HOWDAH_STATE_SETTINGS_H

#include "magick.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum { HOWDAH_USES_SQLITE = 1, HOWDAH_USES_MAGICK = 2 } howdah_library_use;

typedef struct {
  unsigned used;             /* howdah_library_use: what this realm may have set is asked for when it is left */
  uint32_t own;              /* of its rows, a bit for each: those that are not the process's while the realm is aside */
  unsigned sqlite;           /* its number among realms that have opened a database; 0: none (sqlite.h) */
  int64_t *values;           /* of all rows, once one was the realm's own; owned */
  howdah_magick_text *texts; /* owned (magick.h) */
} howdah_settings;

/* Once per process, when PHP has started: which libraries are there, and what they have. */
void howdah_settings_start(void);
/* The realm's code is about to run; it was left. */
void howdah_settings_enter(const howdah_settings *settings);
void howdah_settings_leave(howdah_settings *settings);
/* Between two requests of classic mode, with the realm in place: all is the process's again. */
void howdah_settings_forget(howdah_settings *settings);
/* With the realm in place, at its end. */
void howdah_settings_free(howdah_settings *settings);
/* For the audit. Row by row: which library and what of it; NULL after the last. Whether it is now, on the main stack, as the
 * process had it. */
const char *howdah_settings_row(size_t row, const char **library);
bool howdah_settings_is_the_process_s(size_t row);

#endif
