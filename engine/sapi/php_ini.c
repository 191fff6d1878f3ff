/* Another SAPI's settings: those of php-fpm, for who comes from there. As php_init_config() looks for them (main/php_ini.c,
 * 8.2): a path of the SAPI comes before the one that PHP was built with, for the folder of more files only an environment
 * variable does. */
#include "php_ini.h"
#include "sapi.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char variable[] = "PHP_INI_SCAN_DIR";
static char *scan_before; /* what the variable was; NULL: not set */
static bool changed;

int howdah_php_ini_use(const char *folder, char *error, size_t error_size) {
  static const char format[] = "%s=%s/conf.d";
  size_t bytes = strlen(folder) + sizeof(variable) + sizeof(format);
  /* Both are PHP's for as long as the process lives: phpinfo() tells of them. */
  char *path = malloc(bytes), *scan = malloc(bytes);
  if (path) snprintf(path, bytes, "%s/php.ini", folder);
  if (!path || !scan || access(path, R_OK) < 0) {
    snprintf(error, error_size,
             "howdah: the settings %s/php.ini cannot be read: %s; name a folder that has one, as /etc/php/%d.%d/fpm", folder,
             strerror(errno), PHP_MAJOR_VERSION, PHP_MINOR_VERSION);
    free(path);
    free(scan);
    return -1;
  }
  const char *before = getenv(variable);
  snprintf(scan, bytes, format, variable, folder);
  if ((before && !(scan_before = strdup(before))) || putenv(scan) != 0) {
    snprintf(error, error_size, "howdah: out of memory for PHP's settings");
    return -1;
  }
  howdah_sapi.php_ini_path_override = path;
  changed = true;
  return 0;
}

void howdah_php_ini_used(void) {
  if (!changed) return;
  changed = false;
  if (scan_before)
    setenv(variable, scan_before, 1);
  else
    unsetenv(variable);
  free(scan_before);
  scan_before = NULL;
}
