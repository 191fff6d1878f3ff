/* Asks the libraries early. See defaults.h. */
#include "defaults.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_MAX = 128, ICU_OLDEST = 60, ICU_NEWEST = 99 };

static const char *(*icu_locale)(void);
static int32_t (*icu_zone)(uint16_t *text, int32_t max, int *error); /* in UTF-16; identifiers are ASCII */

static void ask_locale(char *text) {
  snprintf(text, TEXT_MAX, "%s", icu_locale ? icu_locale() : "");
}

static void ask_zone(char *text) {
  uint16_t zone[TEXT_MAX] = {0};
  int error = 0;
  int32_t len = icu_zone ? icu_zone(zone, TEXT_MAX, &error) : 0;
  for (int32_t i = 0; i < TEXT_MAX; i++)
    text[i] = error <= 0 && i < len && i < TEXT_MAX - 1 ? (char)zone[i] : '\0';
}

static const struct {
  const char *library, *name;
  void (*ask)(char *text);
} table[] = {{"libicuuc", "default locale", ask_locale}, {"libicui18n", "default time zone", ask_zone}};

enum { ROWS = sizeof(table) / sizeof(*table) };

static char answers[ROWS][TEXT_MAX];

/* ICU's names end with its version. */
static void *icu(const char *name, int version) {
  char whole[64];
  snprintf(whole, sizeof(whole), "%s_%d", name, version);
  return dlsym(RTLD_DEFAULT, whole);
}

/* GPGME believes for good that gpg is not there where it was not told of its version: by a request that was cancelled, say. */
static void find_gpg(void) {
  const char *(*prepare)(const char *version);
  unsigned (*find_engines)(void **engines);
  void *engines;
  *(void **)&prepare = dlsym(RTLD_DEFAULT, "gpgme_check_version");
  *(void **)&find_engines = dlsym(RTLD_DEFAULT, "gpgme_get_engine_info");
  if (!prepare || !find_engines) return;
  prepare(NULL);
  find_engines(&engines);
}

void howdah_defaults_start(void) {
  void (*find_catalogs)(void);
  *(void **)&find_catalogs = dlsym(RTLD_DEFAULT, "xmlInitializeCatalog");
  if (find_catalogs) find_catalogs();
  find_gpg();
  for (int version = ICU_OLDEST; version <= ICU_NEWEST && !icu_locale; version++) {
    *(void **)&icu_locale = icu("uloc_getDefault", version);
    *(void **)&icu_zone = icu("ucal_getDefaultTimeZone", version);
  }
  for (size_t i = 0; i < ROWS; i++)
    table[i].ask(answers[i]);
}

const char *howdah_defaults_row(size_t i, const char **library) {
  *library = i < ROWS ? table[i].library : NULL;
  return i < ROWS ? table[i].name : NULL;
}

bool howdah_defaults_are_the_server_s(size_t i) {
  char now[TEXT_MAX];
  table[i].ask(now);
  return strcmp(now, answers[i]) == 0;
}
