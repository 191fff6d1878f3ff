/* The environment of a realm. See environment.h. */
#include "environment.h"

#include <errno.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static char **process_list;

/* As fpm_env_init_child() (sapi/fpm/fpm/fpm_env.c, 8.2). */
int howdah_environment_name_user(void) {
  const struct passwd *user = getpwuid(geteuid());
  if (!user) return 0;
  return setenv("USER", user->pw_name, 0) < 0 || setenv("HOME", user->pw_dir, 0) < 0 ? -1 : 0;
}

static size_t count_of(char *const *list) {
  size_t count = 0;
  while (list && list[count])
    count++;
  return count;
}

/* Room for one more entry than there are. */
static bool own(howdah_environment *environment) {
  char **list = environment->list;
  size_t count = count_of(environ);
  list = realloc(list, (count + 2) * sizeof(*list));
  if (!list) return false;
  if (!environment->list) {
    process_list = environ;
    memcpy(list, environ, count * sizeof(*list));
    list[count] = NULL;
  }
  environ = environment->list = list;
  return true;
}

static char **find(const char *name, size_t len) {
  for (char **at = environ; at && *at; at++)
    if (strncmp(*at, name, len) == 0 && (*at)[len] == '=') return at;
  return NULL;
}

static void replace(char *entry, size_t name_len) {
  char **at = find(entry, name_len);
  if (at) {
    *at = entry;
    return;
  }
  size_t count = count_of(environ);
  environ[count] = entry;
  environ[count + 1] = NULL;
}

static bool is_zone(const char *name, size_t len) {
  return len == 2 && memcmp(name, "TZ", 2) == 0;
}

int howdah_environment_put(howdah_environment *environment, char *entry) {
  const char *equals = strchr(entry, '=');
  if (!equals) return howdah_environment_unset(environment, entry);
  if (!own(environment)) return -1;
  environment->zone_changed |= is_zone(entry, (size_t)(equals - entry));
  replace(entry, (size_t)(equals - entry));
  return 0;
}

static bool is_name(const char *name) {
  return name && *name && !strchr(name, '=');
}

int howdah_environment_set(howdah_environment *environment, const char *name, const char *value, int overwrite) {
  if (!is_name(name)) {
    errno = EINVAL;
    return -1;
  }
  size_t name_len = strlen(name);
  if (!overwrite && find(name, name_len)) return 0;
  char **made = realloc(environment->made, (environment->made_count + 1) * sizeof(*made));
  if (!made) return -1;
  environment->made = made;
  char *entry = malloc(name_len + strlen(value) + 2);
  if (!entry || !own(environment)) {
    free(entry);
    return -1;
  }
  strcpy(stpcpy(stpcpy(entry, name), "="), value);
  made[environment->made_count++] = entry;
  environment->zone_changed |= is_zone(name, name_len);
  replace(entry, name_len);
  return 0;
}

int howdah_environment_unset(howdah_environment *environment, const char *name) {
  if (!is_name(name)) {
    errno = EINVAL;
    return -1;
  }
  size_t len = strlen(name);
  if (!find(name, len)) return 0;
  if (!own(environment)) return -1;
  environment->zone_changed |= is_zone(name, len);
  for (char **at; (at = find(name, len));)
    for (; *at; at++)
      at[0] = at[1];
  return 0;
}

int howdah_environment_clear(howdah_environment *environment) {
  if (!own(environment)) return -1;
  environment->zone_changed = true;
  environ[0] = NULL;
  return 0;
}

/* TZ in the environment that is in effect, or NULL. */
static const char *zone(void) {
  char **at = find("TZ", 2);
  return at ? *at : NULL;
}

bool howdah_environment_has_own_zone(const howdah_environment *environment) {
  if (!environment->list) return false;
  const char *own = zone();
  for (char **at = process_list; at && *at; at++)
    if (strncmp(*at, "TZ=", 3) == 0) return !own || strcmp(own, *at) != 0;
  return own != NULL;
}

/* libc keeps what it has made of TZ, and making it anew takes microseconds: only where TZ is another one, or may not be what it was made of. */
void howdah_environment_switch(howdah_environment *from, const howdah_environment *to) {
  char **before = from ? from->list : NULL, **after = to ? to->list : NULL;
  if (before == after) return;
  bool changed = (from && from->zone_changed) || (to && to->zone_changed);
  const char *zone_before = zone();
  environ = after ? after : process_list;
  const char *zone_after = zone();
  if (changed || (zone_before != zone_after && (!zone_before || !zone_after || strcmp(zone_before, zone_after) != 0))) tzset();
  if (from) from->zone_changed = false;
}

void howdah_environment_free(howdah_environment *environment) {
  free(environment->list);
  for (size_t i = 0; i < environment->made_count; i++)
    free(environment->made[i]);
  free(environment->made);
  *environment = (howdah_environment){0};
}
