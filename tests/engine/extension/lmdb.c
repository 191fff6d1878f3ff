/* Stands in for ext/dba with LMDB: opens a file, keeps it for a while and closes it, through functions of LMDB's names. These
 * know what LMDB does not take: a second time in one process. */
#include "extension.h"

#include <errno.h>
#include <unistd.h>

enum { FILES = 2 };

typedef struct {
  int file;
} environment;

static int users[FILES], files_at_once;

/* Not inlined, so that they are called through slots as another library's are. A path ends with its file's number. */
ZEND_DLEXPORT __attribute__((noinline)) int mdb_env_open(void *opened, const char *path, unsigned flags, mode_t mode) {
  environment *self = opened;
  (void)flags;
  (void)mode;
  self->file = path[strlen(path) - 1] - '0';
  if (users[self->file] > 0) return EEXIST;
  users[self->file]++;
  int now = 0;
  for (int i = 0; i < FILES; i++)
    now += users[i] > 0;
  if (now > files_at_once) files_at_once = now;
  return 0;
}

ZEND_DLEXPORT __attribute__((noinline)) void mdb_env_close(void *closed) {
  users[((environment *)closed)->file]--;
}

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_hold, 0, 2, IS_LONG, 0)
ZEND_ARG_TYPE_INFO(0, path, IS_STRING, 0)
ZEND_ARG_TYPE_INFO(0, milliseconds, IS_LONG, 0)
ZEND_END_ARG_INFO()

/* lmdb_hold(string $path, int $milliseconds): int: 0, or what mdb_env_open() said. */
static ZEND_FUNCTION(lmdb_hold) {
  char *path;
  size_t len;
  zend_long milliseconds;
  environment self;
  ZEND_PARSE_PARAMETERS_START(2, 2)
  Z_PARAM_PATH(path, len)
  Z_PARAM_LONG(milliseconds)
  ZEND_PARSE_PARAMETERS_END();
  (void)len;
  int error = mdb_env_open(&self, path, 0, 0600);
  if (error == 0) {
    usleep((useconds_t)milliseconds * 1000);
    mdb_env_close(&self);
  }
  RETURN_LONG(error);
}

/* lmdb_files_at_once(): int: how many different files have been open together. */
static ZEND_FUNCTION(lmdb_files_at_once) {
  ZEND_PARSE_PARAMETERS_NONE();
  RETURN_LONG(files_at_once);
}

static const zend_function_entry functions[] = {ZEND_FE(lmdb_hold, arginfo_hold) ZEND_FE(lmdb_files_at_once, arginfo_int)
                                                    ZEND_FE_END};

zend_module_entry lmdb_module_entry = {STANDARD_MODULE_HEADER,    "dba", functions, NULL, NULL, NULL, NULL, NULL, PHP_VERSION,
                                       STANDARD_MODULE_PROPERTIES};

ZEND_GET_MODULE(lmdb)
