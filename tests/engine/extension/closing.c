/* An extension that, as those of databases do, tells a server of its end and waits for the answer: when a connection ends that
 * outlives requests, and in the destructor of its globals. closing_connect(port) makes both connections of a realm. */
#include "extension.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

ZEND_BEGIN_MODULE_GLOBALS(closing)
int connection; /* 0: none */
ZEND_END_MODULE_GLOBALS(closing)

ZEND_DECLARE_MODULE_GLOBALS(closing)

static int persistent_kind;

static void take_leave(int fd) {
  char answer;
  if (write(fd, "bye\n", 4) == 4 && read(fd, &answer, 1) < 0) php_error_docref(NULL, E_WARNING, "no answer");
  close(fd);
}

static void end_persistent(zend_resource *resource) {
  take_leave((int)(intptr_t)resource->ptr);
}

static int open_connection(zend_long port) {
  struct sockaddr_in server = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  if (fd >= 0 && connect(fd, (struct sockaddr *)&server, sizeof(server)) == 0) return fd;
  if (fd >= 0) close(fd);
  return -1;
}

static PHP_GINIT_FUNCTION(closing) {
  closing_globals->connection = 0;
}

static PHP_GSHUTDOWN_FUNCTION(closing) {
  if (closing_globals->connection) take_leave(closing_globals->connection);
}

static PHP_MINIT_FUNCTION(closing) {
  (void)type;
  persistent_kind = zend_register_list_destructors_ex(NULL, end_persistent, "closing", module_number);
  return SUCCESS;
}

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_connect, 0, 1, _IS_BOOL, 0)
ZEND_ARG_TYPE_INFO(0, port, IS_LONG, 0)
ZEND_END_ARG_INFO()

static ZEND_FUNCTION(closing_connect) {
  zend_long port;
  ZEND_PARSE_PARAMETERS_START(1, 1)
  Z_PARAM_LONG(port)
  ZEND_PARSE_PARAMETERS_END();
  if (closing_globals.connection) RETURN_TRUE;
  int persistent = open_connection(port), own = open_connection(port);
  if (persistent < 0 || own < 0) RETURN_FALSE;
  zend_string *key = zend_string_init("closing", sizeof("closing") - 1, 1);
  zend_register_persistent_resource_ex(key, (void *)(intptr_t)persistent, persistent_kind);
  zend_string_release(key);
  closing_globals.connection = own;
  RETURN_TRUE;
}

static const zend_function_entry functions[] = {ZEND_FE(closing_connect, arginfo_connect) ZEND_FE_END};

zend_module_entry closing_module_entry = {STANDARD_MODULE_HEADER,
                                          "closing",
                                          functions,
                                          PHP_MINIT(closing),
                                          NULL,
                                          NULL,
                                          NULL,
                                          NULL,
                                          "1.0",
                                          PHP_MODULE_GLOBALS(closing),
                                          PHP_GINIT(closing),
                                          PHP_GSHUTDOWN(closing),
                                          NULL,
                                          STANDARD_MODULE_PROPERTIES_EX};

ZEND_GET_MODULE(closing)
