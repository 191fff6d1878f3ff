/* The environment of a realm. See environment.h. */
#include "environment.h"
#include "retired.h"

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

/* Other threads read it at any time (getaddrinfo() on the pool's threads, libraries' own), as getenv(3) does: without a lock. */
static void publish(char **list) {
  __atomic_store_n(&environ, list, __ATOMIC_RELEASE);
}

/* Room for one more entry than there are. A list that is too small is not freed under those who read it. */
static bool own(howdah_environment *environment) {
  size_t count = count_of(environ);
  if (environment->list && count + 2 <= environment->capacity) return true;
  size_t capacity = (count + 2) * 2;
  char **list = malloc(capacity * sizeof(*list));
  if (!list) return false;
  for (size_t i = 0; i < count; i++)
    list[i] = environ[i];
  list[count] = NULL;
  if (!environment->list) process_list = environ;
  publish(list);
  howdah_retire(environment->list);
  environment->list = list;
  environment->capacity = capacity;
  return true;
}

static void set_entry(char **at, char *entry) {
  __atomic_store_n(at, entry, __ATOMIC_RELEASE);
}

static char **find(const char *name, size_t len) {
  for (char **at = environ; at && *at; at++)
    if (strncmp(*at, name, len) == 0 && (*at)[len] == '=') return at;
  return NULL;
}

static void replace(char *entry, size_t name_len) {
  char **at = find(entry, name_len);
  if (at) {
    set_entry(at, entry);
    return;
  }
  size_t count = count_of(environ);
  set_entry(&environ[count + 1], NULL); /* before there is something in front of it */
  set_entry(&environ[count], entry);
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
      set_entry(at, at[1]);
  return 0;
}

int howdah_environment_clear(howdah_environment *environment) {
  if (!own(environment)) return -1;
  environment->zone_changed = true;
  set_entry(environ, NULL);
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

/* libc keeps what it has made of TZ, and making it anew takes microseconds: only where TZ is another one, or may not be what it
 * was made of. */
void howdah_environment_switch(howdah_environment *from, const howdah_environment *to) {
  char **before = from ? from->list : NULL, **after = to ? to->list : NULL;
  if (before == after) return;
  bool changed = (from && from->zone_changed) || (to && to->zone_changed);
  const char *zone_before = zone();
  publish(after ? after : process_list);
  const char *zone_after = zone();
  if (changed || (zone_before != zone_after && (!zone_before || !zone_after || strcmp(zone_before, zone_after) != 0))) tzset();
  if (from) from->zone_changed = false;
}

void howdah_environment_free(howdah_environment *environment) {
  howdah_retire(environment->list);
  for (size_t i = 0; i < environment->made_count; i++)
    howdah_retire(environment->made[i]);
  free(environment->made);
  *environment = (howdah_environment){0};
}
