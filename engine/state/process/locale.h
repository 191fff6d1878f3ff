/* The locale of a realm: setlocale() changes the process's, which every other realm would see in its numbers, dates and sort
 * orders. A realm that calls it gets a locale object of its own, which libc uses on this thread while the realm is in place
 * (uselocale(3)).
 *
 * Invariants:
 *  1. A realm that never changes its locale, or has changed it back, has none of its own and costs nothing.
 *  2. The process's own locale is never changed by a realm. */
#ifndef HOWDAH_STATE_LOCALE_H
#define HOWDAH_STATE_LOCALE_H

#include <locale.h>

typedef struct {
  locale_t own; /* 0: the process's */
  char *names;  /* what howdah_locale_set() gave last; owned */
} howdah_locale;

/* setlocale(3) for the realm in place: a category of LC_*, a locale's name or NULL to ask. The name in effect, which is good
 * until the next call; NULL when there is no such locale, or memory is short. */
const char *howdah_locale_set(howdah_locale *locale, int category, const char *name);
/* Going from one realm's (or NULL: none's) to another's (or NULL). */
void howdah_locale_switch(const howdah_locale *from, const howdah_locale *to);
/* Not while it is in use. */
void howdah_locale_free(howdah_locale *locale);

#endif
