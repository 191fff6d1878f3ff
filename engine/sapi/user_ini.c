/* .user.ini files. See user_ini.h. As sapi_cgi_activate() and php_cgi_ini_activate_user_config() (sapi/fpm/fpm/fpm_main.c,
 * 8.2), but for two things: a folder whose name only begins like the document root's is not below it, and lines that a file may
 * not have (extension=, arrays) are left out where php_ini_parser_cb() would keep them for the process. */
#include "user_ini.h"
#include "../realm/pool.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zend_ini_scanner.h>

/* What the files say for scripts of one folder. */
typedef struct {
  time_t expires;
  HashTable settings; /* persistent strings by name */
} folder;

enum { FOLDERS_MAX = 10000 };

static HashTable folders; /* of the process: by path, which ends with a slash */
static bool folders_made;

static void free_folder(zval *value) {
  folder *one = Z_PTR_P(value);
  zend_hash_destroy(&one->settings);
  free(one);
}

static folder *find_folder(const char *path, size_t len) {
  if (!folders_made) zend_hash_init(&folders, 0, NULL, free_folder, true);
  folders_made = true;
  folder *one = zend_hash_str_find_ptr(&folders, path, len);
  if (one) return one;
  if (zend_hash_num_elements(&folders) >= FOLDERS_MAX) zend_hash_clean(&folders);
  one = calloc(1, sizeof(*one));
  if (!one) return NULL;
  zend_hash_init(&one->settings, 0, NULL, config_zval_dtor, true);
  zend_hash_str_update_ptr(&folders, path, len, one);
  return one;
}

static void on_entry(zval *name, zval *value, zval *index, int kind, void *settings) {
  (void)index;
  if (kind != ZEND_INI_PARSER_ENTRY || !name || !value || Z_TYPE_P(value) != IS_STRING) return;
  zval kept;
  ZVAL_NEW_STR(&kept, zend_string_init(Z_STRVAL_P(value), Z_STRLEN_P(value), true));
  zend_hash_str_update(settings, Z_STRVAL_P(name), Z_STRLEN_P(name), &kept);
}

/* path ends with a slash. */
static void read_file(const char *path, size_t len, HashTable *settings) {
  char file[MAXPATHLEN];
  struct stat status;
  if (snprintf(file, sizeof(file), "%.*s%s", (int)len, path, PG(user_ini_filename)) >= (int)sizeof(file)) return;
  if (stat(file, &status) < 0 || !S_ISREG(status.st_mode)) return;
  FILE *opened = fopen(file, "r");
  if (!opened) return; /* php-fpm says nothing either */
  zend_file_handle handle;
  zend_stream_init_fp(&handle, opened, file);
  zend_try {
    zend_parse_ini_file(&handle, true, ZEND_INI_SCANNER_NORMAL, on_entry, settings);
  }
  zend_catch {
    zend_destroy_file_handle(&handle);
    zend_bailout(); /* out of memory: php_request_startup() fails */
  }
  zend_end_try();
  zend_destroy_file_handle(&handle);
}

static void read_files(const char *path, size_t len, folder *one) {
  const char *root = howdah_sapi_getenv("DOCUMENT_ROOT", sizeof("DOCUMENT_ROOT") - 1);
  size_t root_len = root ? strlen(root) : 0;
  zend_hash_clean(&one->settings);
  if (root_len > 0 && root[root_len - 1] == '/') root_len--;
  if (!root || strncmp(path, root, root_len) != 0 || path[root_len] != '/') {
    read_file(path, len, &one->settings);
    return;
  }
  for (size_t end = root_len; end < len; end++)
    if (path[end] == '/') read_file(path, end + 1, &one->settings);
}

static void apply_files(const char *path, size_t len) {
  folder *one = find_folder(path, len);
  time_t now = sapi_get_request_time();
  if (!one) return;
  if (now > one->expires) {
    read_files(path, len, one);
    one->expires = now + PG(user_ini_cache_ttl);
  }
  if (zend_hash_num_elements(&one->settings) > 0)
    php_ini_activate_config(&one->settings, PHP_INI_PERDIR, PHP_INI_STAGE_HTACCESS);
}

static void apply_host(void) {
  char host[256];
  const char *name = howdah_sapi_getenv("SERVER_NAME", sizeof("SERVER_NAME") - 1);
  if (!name || strlen(name) >= sizeof(host)) return;
  zend_str_tolower_copy(host, name, strlen(name));
  php_ini_activate_per_host_config(host, strlen(host));
}

void howdah_user_ini_apply(const howdah_realm *realm) {
  char path[MAXPATHLEN];
  howdah_str script = realm->request->script_filename;
  while (script.len > 0 && script.data[script.len - 1] != '/')
    script.len--;
  if (php_ini_has_per_host_config()) apply_host();
  if (script.len == 0 || script.len >= sizeof(path)) return;
  memcpy(path, script.data, script.len);
  path[script.len] = '\0';
  if (php_ini_has_per_dir_config()) php_ini_activate_per_dir_config(path, script.len);
  if (PG(user_ini_filename) && *PG(user_ini_filename)) apply_files(path, script.len);
}
