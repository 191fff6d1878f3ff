/* A list of connections for each realm. See freetds.h. */
#include "freetds.h"
#include "../../advice.h"

#include <dlfcn.h>
#include <stdio.h>

typedef int handler(void *connection, int severity, int error, int system_error, char *text, char *system_text);

static int (*start)(void);
static void (*stop)(void);
static handler *(*handle_errors)(handler *by);

int howdah_freetds_prepare(void *handle, char *error, size_t error_size) {
  char way_out[HOWDAH_ADVICE_MAX];
  *(void **)&start = dlsym(handle, "dbinit");
  *(void **)&stop = dlsym(handle, "dbexit");
  *(void **)&handle_errors = dlsym(handle, "dberrhandle");
  if (start && stop && handle_errors) {
    stop();
    return 0;
  }
  snprintf(
      error, error_size,
      "howdah: the PHP extension pdo_dblib has a DB-Library without dbinit(), dbexit() and dberrhandle(): its settings cannot "
      "be private to each request; disable the extension for this server (%s)",
      howdah_advice_leave_out("pdo_dblib", way_out));
  return -1;
}

/* dbinit() forgets who handles errors, which the extension has said once for all. */
void howdah_freetds_birth(void *block) {
  (void)block;
  handler *extensions = handle_errors(NULL);
  start();
  handle_errors(extensions);
}

void howdah_freetds_death(void *block) {
  (void)block;
  stop();
}
