/* Stands in for ext/gnupg with GPGME: starts a program that is told by number into which pipe it writes, and does not outlive a
 * read that fails, as GPGME (_gpgme_io_spawn(), _gpgme_io_read(), src/posix-io.c, 1.18). */
#include "extension.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* By this name the engine finds the library that ext/gnupg calls. */
ZEND_DLEXPORT int gpgme_new(void **context) {
  *context = NULL;
  return 0;
}

static int prepared, looked_for_gpg;

ZEND_DLEXPORT const char *gpgme_check_version(const char *required) {
  (void)required;
  prepared++;
  return "1.18.0";
}

/* Runs gpg, and remembers what it has said. */
ZEND_DLEXPORT unsigned gpgme_get_engine_info(void **engines) {
  *engines = NULL;
  if (prepared) looked_for_gpg++;
  return 0;
}

static void close_all_but(int kept) {
  for (int fd = 3; fd < 1024; fd++)
    if (fd != kept) close(fd);
}

/* Waits for the child that it has made; the program is that one's. */
static bool start(int output, const char *command) {
  pid_t child = fork();
  if (child == 0) {
    if (fork() == 0) {
      char number[16];
      snprintf(number, sizeof(number), "%d", output);
      close_all_but(output);
      execl("/bin/sh", "sh", "-c", "eval \"$1\" > /proc/self/fd/\"$2\"", "sh", command, number, (char *)NULL);
    }
    _exit(0);
  }
  int status;
  return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_run, 0, 1, IS_STRING, 0)
ZEND_ARG_TYPE_INFO(0, command, IS_STRING, 0)
ZEND_END_ARG_INFO()

/* gnupg_run(string $command): string: what it has written. */
static ZEND_FUNCTION(gnupg_run) {
  char *command, told[64];
  size_t len;
  int ends[2];
  ZEND_PARSE_PARAMETERS_START(1, 1)
  Z_PARAM_STRING(command, len)
  ZEND_PARSE_PARAMETERS_END();
  (void)len;
  if (pipe(ends) < 0) RETURN_STRING("no pipe");
  bool started = start(ends[1], command);
  close(ends[1]);
  ssize_t size = started ? read(ends[0], told, sizeof(told)) : 0;
  if (size < 0) abort();
  close(ends[0]);
  RETURN_STRINGL(told, (size_t)size);
}

/* gnupg_looked(): int: how often GPGME was asked where gpg is. */
static ZEND_FUNCTION(gnupg_looked) {
  ZEND_PARSE_PARAMETERS_NONE();
  RETURN_LONG(looked_for_gpg);
}

static const zend_function_entry functions[] = {ZEND_FE(gnupg_run, arginfo_run) ZEND_FE(gnupg_looked, arginfo_int) ZEND_FE_END};

zend_module_entry gnupg_module_entry = {STANDARD_MODULE_HEADER,    "gnupg", functions, NULL, NULL, NULL, NULL, NULL, "1.5.1",
                                        STANDARD_MODULE_PROPERTIES};

ZEND_GET_MODULE(gnupg)
