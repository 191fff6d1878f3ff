/* The request that a worker script sees while it boots. CodeIgniter takes a missing REQUEST_METHOD for a command line, so there
 * is one; there is no client: what the script prints is logged. */
#include "sapi.h"
#include "../log.h"
#include "../realm/pool.h"
#include "../realm/subject.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  howdah_request request;
  howdah_realm *realm;
} boot_request;

static howdah_str text(const char *zero_terminated) {
  return (howdah_str){zero_terminated, strlen(zero_terminated)};
}

static void variables(howdah_request *request, void (*add)(void *to, howdah_str name, howdah_str value), void *to) {
  const howdah_pool *pool = ((boot_request *)request)->realm->pool;
  const char *root = pool->document_root ? pool->document_root : "";
  size_t root_len = strlen(root);
  const char *name =
      root_len && strncmp(pool->script, root, root_len) == 0 ? pool->script + root_len : strrchr(pool->script, '/');
  add(to, text("REQUEST_METHOD"), text("GET"));
  add(to, text("REQUEST_URI"), text("/"));
  add(to, text("QUERY_STRING"), text(""));
  add(to, text("SCRIPT_FILENAME"), text(pool->script));
  add(to, text("SCRIPT_NAME"), text(name ? name : pool->script));
  add(to, text("DOCUMENT_ROOT"), text(root));
  add(to, text("SERVER_PROTOCOL"), text("HTTP/1.1"));
  add(to, text("SERVER_NAME"), text("localhost"));
  add(to, text("SERVER_PORT"), text("80"));
  add(to, text("REMOTE_ADDR"), text("127.0.0.1"));
  add(to, text("HTTP_HOST"), text("localhost"));
}

static ssize_t read_body(howdah_request *request, char *buffer, size_t size) {
  (void)request, (void)buffer, (void)size;
  return 0;
}

static int send_head(howdah_request *request, int status, const howdah_header *headers, size_t count) {
  (void)request, (void)status, (void)headers, (void)count;
  return 0;
}

static int write_log(howdah_request *request, const char *data, size_t len) {
  while (len > 0 && (data[len - 1] == '\n' || data[len - 1] == '\r'))
    len--;
  if (len > 0) howdah_log_raw(HOWDAH_LOG_NOTICE, request, data, len);
  return 0;
}

static int flush(howdah_request *request) {
  (void)request;
  return 0;
}

static void end_response(howdah_request *request) {
  (void)request;
}

static void finish(howdah_request *request) {
  free(request);
}

static const howdah_request_ops boot_ops = {.variables = variables,
                                            .read_body = read_body,
                                            .send_head = send_head,
                                            .write = write_log,
                                            .flush = flush,
                                            .end_response = end_response,
                                            .finish = finish};

void howdah_sapi_tell_boot(const howdah_realm *realm, unsigned seconds, bool ends) {
  char subject[256] = "";
  bool waits = !realm->coroutine.yielding;
  howdah_state_enter(realm->coroutine.state);
  const char *file = zend_get_executed_filename();
  unsigned line = zend_get_executed_lineno();
  howdah_state_leave();
  if (waits) howdah_subject_tell(&realm->coroutine, subject, sizeof(subject));
  howdah_log(
      ends ? HOWDAH_LOG_ERROR : HOWDAH_LOG_WARNING, NULL,
      "howdah: %s has been booting for %u s in realm %u and has not asked for a request (frankenphp_handle_request()): PHP "
      "%s%s%s in %s on line %u; %slook there, or serve in classic mode: howdah serve --mode=classic",
      realm->pool->script, seconds, realm->id, waits ? "waits" : "computes", subject[0] ? " for " : "", subject, file, line,
      ends ? "it is ended (howdah_boot_timeout); " : "");
}

howdah_request *howdah_boot_request(howdah_realm *realm) {
  boot_request *boot = calloc(1, sizeof(*boot));
  if (!boot) return NULL;
  boot->realm = realm;
  boot->request.ops = &boot_ops;
  boot->request.method = text("GET");
  boot->request.request_uri = text("/");
  boot->request.protocol = text("HTTP/1.1");
  boot->request.engine = realm;
  if (realm->pool->without_opcache) boot->request.php_value = text("opcache.enable=0");
  return &boot->request;
}
