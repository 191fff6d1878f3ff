/* The environment of a realm: putenv() changes the process's, which libraries and child processes of every other realm would
 * see. A realm that changes it gets a list of its own, which libc's `environ` names while the realm is in place.
 *
 * Invariants:
 *  1. A realm that never changes its environment has no list and costs nothing.
 *  2. The process's own list is never changed by a realm. Strings given to putenv() stay the caller's, as with libc.
 *  3. Other threads read the list, as they read libc's: what has been in it is not freed under them (retired.h). */
#ifndef HOWDAH_STATE_ENVIRONMENT_H
#define HOWDAH_STATE_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
  char **list; /* NULL: the process's; ends with NULL */
  size_t capacity;
  char **made; /* strings that setenv() made; freed with the realm */
  size_t made_count;
  bool zone_changed; /* TZ, since it was last put aside */
} howdah_environment;

/* In each worker, as whom it serves, before the first realm: USER and HOME, where the environment does not name others. 0, or
 * -1 with errno when memory is short. A user without an entry in the system's list has neither. */
int howdah_environment_name_user(void);
/* putenv(3), setenv(3), unsetenv(3), clearenv(3) for the realm in place. 0, or -1 with errno. */
int howdah_environment_put(howdah_environment *environment, char *entry);
int howdah_environment_set(howdah_environment *environment, const char *name, const char *value, int overwrite);
int howdah_environment_unset(howdah_environment *environment, const char *name);
int howdah_environment_clear(howdah_environment *environment);
/* Of the realm in place: whether its TZ is not the process's. */
bool howdah_environment_has_own_zone(const howdah_environment *environment);
/* Going from one realm's (or NULL: none's) to another's (or NULL). */
void howdah_environment_switch(howdah_environment *from, const howdah_environment *to);
/* Not while it is in use. */
void howdah_environment_free(howdah_environment *environment);

#endif
