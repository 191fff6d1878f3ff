/* PQgetResult in ext/pgsql only: a connection that is left in the middle of COPY FROM STDIN. Kind: note.
 *
 * ext/pgsql empties a connection with `while ((result = PQgetResult(...)))`, when it is freed and before most calls
 * (ext/pgsql/pgsql.c, 8.2). While the server waits for rows libpq answers PGRES_COPY_IN for ever, without a system call:
 * php-cli computes until it is killed, and so would a worker, with all of its requests, whenever a script ends in mid-COPY: by
 * exit, or because its client has gone. Here the COPY is ended, as failed, when the same answer comes again and again. */
#include "hooked.h"

#include <dlfcn.h>

enum { PGRES_COPY_IN = 4, ENOUGH = 100 }; /* libpq-fe.h, 15 */

static bool is_copy_in(const struct pg_result *result) {
  static int (*status)(const struct pg_result *);
  if (!status) status = (int (*)(const struct pg_result *))dlsym(RTLD_DEFAULT, "PQresultStatus");
  return status && status(result) == PGRES_COPY_IN;
}

static void end_copy(struct pg_conn *connection) {
  int (*put_copy_end)(struct pg_conn *, const char *) =
      (int (*)(struct pg_conn *, const char *))dlsym(RTLD_DEFAULT, "PQputCopyEnd");
  if (put_copy_end) put_copy_end(connection, "the script did not end its COPY");
}

struct pg_result *howdah_hook_pq_get_result(struct pg_conn *connection) {
  static const struct pg_conn *last;
  static unsigned times;
  struct pg_result *result = howdah_real_pq_get_result(connection);
  if (!result || !is_copy_in(result)) {
    last = NULL;
    return result;
  }
  if (last != connection) times = 0;
  last = connection;
  if (++times == ENOUGH) end_copy(connection);
  return result;
}
