/* Asks libraries. See answers.h. */
#include "answers.h"
#include "../libraries/defaults.h"
#include "../libraries/settings.h"

#include <stdbool.h>

const char howdah_answers_path[] = "answers of ";

static const struct {
  const char *(*row)(size_t row, const char **library);
  bool (*is_as_it_was)(size_t row);
} tables[] = {{howdah_settings_row, howdah_settings_is_the_process_s}, {howdah_defaults_row, howdah_defaults_are_the_server_s}};

enum { ROWS_MAX = 100 };

const char *howdah_answers_name(size_t at, const char **library) {
  size_t table = at / ROWS_MAX;
  return table < sizeof(tables) / sizeof(*tables) ? tables[table].row(at % ROWS_MAX, library) : NULL;
}

const char *howdah_answers_changed(size_t *at, const char **library) {
  while (*at / ROWS_MAX < sizeof(tables) / sizeof(*tables)) {
    const char *name = howdah_answers_name(*at, library);
    if (name && !tables[*at / ROWS_MAX].is_as_it_was(*at % ROWS_MAX)) return name;
    *at = name ? *at + 1 : (*at / ROWS_MAX + 1) * ROWS_MAX;
  }
  return NULL;
}
