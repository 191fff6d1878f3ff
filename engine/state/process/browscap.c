/* The browscap file of one request. See browscap.h. */
#include "browscap.h"
#include "../hidden/hidden.h"
#include "../php_headers.h"
#include "../version.h"

#include <stdlib.h>
#include <string.h>

static howdah_browser_data *shared; /* browscap_globals.activation_bdata, ext/standard/browscap.c (8.2) */

void howdah_browscap_start(void) {
  size_t count;
  const howdah_shared *items = howdah_hidden_shared(&count);
  for (size_t i = 0; i < count; i++)
    if (strcmp(items[i].name, HOWDAH_HIDDEN_BROWSCAP) == 0) shared = items[i].address;
}

bool howdah_browscap_own(howdah_browser_data **data) {
  if (!*data && shared) *data = malloc(sizeof(**data));
  return *data;
}

void howdah_browscap_forget(howdah_browser_data **data) {
  if (*data) *shared = (howdah_browser_data){0};
  howdah_browscap_free(data);
}

void howdah_browscap_free(howdah_browser_data **data) {
  free(*data);
  *data = NULL;
}

void howdah_browscap_switch(howdah_browser_data *from, const howdah_browser_data *to) {
  if (from) *from = *shared;
  if (to)
    *shared = *to;
  else if (from)
    *shared = (howdah_browser_data){0};
}
