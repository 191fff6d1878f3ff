/* Lists of names as options have them: "name\n...", NULL or "" for none. */
#ifndef HOWDAH_STATE_NAMES_H
#define HOWDAH_STATE_NAMES_H

#include <stdbool.h>
#include <string.h>

/* The first name of the list, and the list behind it; false at its end. */
static inline bool howdah_names_next(const char **list, const char **name, size_t *len) {
  if (!*list || !**list) return false;
  *name = *list;
  *len = strcspn(*list, "\n");
  *list += *len + ((*list)[*len] == '\n');
  return true;
}

/* Whether these bytes are that text. */
static inline bool howdah_names_equal(const char *text, const char *name, size_t len) {
  return strlen(text) == len && memcmp(text, name, len) == 0;
}

#endif
