/* The locale of a realm. See locale.h. */
#include "locale.h"

#include <langinfo.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In the order of glibc's composite names (locale/setlocale.c, new_composite_name(), 2.36). */
static const struct {
  int category, mask;
  const char *name;
} categories[] = {{LC_CTYPE, LC_CTYPE_MASK, "LC_CTYPE"},
                  {LC_NUMERIC, LC_NUMERIC_MASK, "LC_NUMERIC"},
                  {LC_TIME, LC_TIME_MASK, "LC_TIME"},
                  {LC_COLLATE, LC_COLLATE_MASK, "LC_COLLATE"},
                  {LC_MONETARY, LC_MONETARY_MASK, "LC_MONETARY"},
                  {LC_MESSAGES, LC_MESSAGES_MASK, "LC_MESSAGES"},
                  {LC_PAPER, LC_PAPER_MASK, "LC_PAPER"},
                  {LC_NAME, LC_NAME_MASK, "LC_NAME"},
                  {LC_ADDRESS, LC_ADDRESS_MASK, "LC_ADDRESS"},
                  {LC_TELEPHONE, LC_TELEPHONE_MASK, "LC_TELEPHONE"},
                  {LC_MEASUREMENT, LC_MEASUREMENT_MASK, "LC_MEASUREMENT"},
                  {LC_IDENTIFICATION, LC_IDENTIFICATION_MASK, "LC_IDENTIFICATION"}};

enum { CATEGORIES = sizeof(categories) / sizeof(*categories) };

static const char *name_in(locale_t locale, int category) {
  return nl_langinfo_l(NL_LOCALE_NAME(category), locale);
}

static int mask_of(int category) {
  if (category == LC_ALL) return LC_ALL_MASK;
  for (size_t i = 0; i < CATEGORIES; i++)
    if (categories[i].category == category) return categories[i].mask;
  return 0;
}

/* One name where all categories agree, else "LC_CTYPE=a;LC_NUMERIC=b;...", as setlocale(LC_ALL, NULL). */
static char *name_all(locale_t locale) {
  size_t bytes = 1;
  bool same = true;
  for (size_t i = 0; i < CATEGORIES; i++) {
    const char *name = name_in(locale, categories[i].category);
    bytes += strlen(categories[i].name) + strlen(name) + 2;
    same = same && strcmp(name, name_in(locale, LC_CTYPE)) == 0;
  }
  if (same) return strdup(name_in(locale, LC_CTYPE));
  char *text = malloc(bytes), *at = text;
  if (!text) return NULL;
  for (size_t i = 0; i < CATEGORIES; i++)
    at += sprintf(at, "%s%s=%s", i ? ";" : "", categories[i].name, name_in(locale, categories[i].category));
  return text;
}

static const char *ask(howdah_locale *locale, int category) {
  if (!locale->own) return setlocale(category, NULL);
  if (category != LC_ALL) return name_in(locale->own, category);
  free(locale->names);
  return locale->names = name_all(locale->own);
}

static bool is_the_process_s(locale_t locale) {
  for (size_t i = 0; i < CATEGORIES; i++)
    if (strcmp(name_in(locale, categories[i].category), setlocale(categories[i].category, NULL)) != 0) return false;
  return true;
}

/* A new object, which is `from` with these categories changed. A base that all of it replaces is not given to newlocale(): for
 * "C" it would answer with an object of libc's own and free nothing (glibc's locale/newlocale.c, 2.36), so that each such call
 * would lose the base. */
static locale_t with(locale_t from, int mask, const char *name) {
  if (mask == LC_ALL_MASK) return newlocale(mask, name, NULL);
  locale_t base = duplocale(from), changed = base ? newlocale(mask, name, base) : NULL;
  if (base && !changed) freelocale(base);
  return changed;
}

const char *howdah_locale_set(howdah_locale *locale, int category, const char *name) {
  int mask = mask_of(category);
  if (!name || !mask) return mask ? ask(locale, category) : NULL;
  locale_t changed = with(locale->own ? locale->own : LC_GLOBAL_LOCALE, mask, name), before = locale->own;
  if (!changed) return NULL;
  if (is_the_process_s(changed)) {
    uselocale(LC_GLOBAL_LOCALE);
    freelocale(changed);
    changed = NULL;
  } else {
    uselocale(changed);
  }
  locale->own = changed;
  if (before) freelocale(before);
  return ask(locale, category);
}

void howdah_locale_switch(const howdah_locale *from, const howdah_locale *to) {
  locale_t before = from ? from->own : NULL, after = to ? to->own : NULL;
  if (before != after) uselocale(after ? after : LC_GLOBAL_LOCALE);
}

void howdah_locale_free(howdah_locale *locale) {
  if (locale->own) freelocale(locale->own);
  free(locale->names);
  *locale = (howdah_locale){0};
}
