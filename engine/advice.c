/* Ways out that messages name. See advice.h. */
#include "advice.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const char *settings;

void howdah_advice_settings(const char *php_ini) {
  settings = php_ini;
}

/* Of "/etc/php/8.2/fpm": what phpenmod(8) and phpdismod(8) of Debian call a SAPI. */
static bool sapi_of(const char *folder, char *sapi, size_t size) {
  char version[16], name[32];
  int end = 0;
  if (sscanf(folder, "/etc/php/%15[0-9.]/%31[a-z0-9]%n", version, name, &end) != 2) return false;
  if (folder[end + (folder[end] == '/')] != '\0') return false;
  snprintf(sapi, size, "%s", name);
  return true;
}

const char *howdah_advice_leave_out(const char *extension, char *text) {
  char sapi[32] = "embed";
  if (!settings || sapi_of(settings, sapi, sizeof(sapi)))
    snprintf(text, HOWDAH_ADVICE_MAX, "phpdismod -s %s %s", sapi, extension);
  else
    snprintf(text, HOWDAH_ADVICE_MAX, "take %s out of %s/php.ini or %s/conf.d", extension, settings, settings);
  return text;
}
