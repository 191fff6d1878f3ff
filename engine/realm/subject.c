/* What a parked coroutine waits for. See subject.h. Nothing is noted for it while nobody asks: the wait has its descriptors on
 * its stack, and the kernel knows their peers. */
#include "subject.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

typedef union {
  struct sockaddr any;
  struct sockaddr_in v4;
  struct sockaddr_in6 v6;
  struct sockaddr_un local;
  struct sockaddr_storage room;
} address;

/* By the ports that they have unless somebody chose another one. */
static const char *service_of(unsigned port) {
  static const struct {
    unsigned port;
    const char *name;
  } services[] = {{25, "SMTP "},         {53, "DNS "},       {80, "HTTP "},    {389, "LDAP "},        {443, "HTTPS "},
                  {465, "SMTP "},        {587, "SMTP "},     {636, "LDAP "},   {1433, "SQL Server "}, {3306, "MySQL "},
                  {5432, "PostgreSQL "}, {5672, "AMQP "},    {6379, "Redis "}, {9092, "Kafka "},      {9200, "Elasticsearch "},
                  {11211, "memcached "}, {27017, "MongoDB "}};
  for (size_t i = 0; i < sizeof(services) / sizeof(*services); i++)
    if (services[i].port == port) return services[i].name;
  return "";
}

static void tell_address(const address *peer, socklen_t len, char *text, size_t size) {
  char host[INET6_ADDRSTRLEN] = "?";
  if (peer->any.sa_family == AF_INET) {
    unsigned port = ntohs(peer->v4.sin_port);
    inet_ntop(AF_INET, &peer->v4.sin_addr, host, sizeof(host));
    snprintf(text, size, "%s%s:%u", service_of(port), host, port);
  } else if (peer->any.sa_family == AF_INET6) {
    unsigned port = ntohs(peer->v6.sin6_port);
    inet_ntop(AF_INET6, &peer->v6.sin6_addr, host, sizeof(host));
    snprintf(text, size, "%s[%s]:%u", service_of(port), host, port);
  } else if (peer->any.sa_family == AF_UNIX) {
    size_t path_len = len > offsetof(struct sockaddr_un, sun_path) ? len - offsetof(struct sockaddr_un, sun_path) : 0;
    const char *path = peer->local.sun_path;
    bool is_abstract = path_len > 0 && path[0] == '\0';
    if (path_len == 0)
      snprintf(text, size, "a local socket");
    else
      snprintf(text, size, "unix:%s%.*s", is_abstract ? "@" : "", (int)path_len - is_abstract, path + is_abstract);
  }
}

static void tell_file(int fd, char *text, size_t size) {
  char link[64], path[512];
  snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
  ssize_t len = readlink(link, path, sizeof(path) - 1);
  if (len <= 0) return;
  path[len] = '\0';
  if (strncmp(path, "pipe:", 5) == 0)
    snprintf(text, size, "a pipe");
  else if (strncmp(path, "anon_inode:[pidfd]", 18) == 0)
    snprintf(text, size, "a child process");
  else
    snprintf(text, size, "%s", path);
}

/* False where it is no socket, or has nobody at its other end. */
static bool tell_peer(const howdah_coroutine *coroutine, int fd, char *text, size_t size) {
  address peer = {.any.sa_family = AF_UNSPEC};
  socklen_t len = sizeof(peer);
  if (getpeername(fd, &peer.any, &len) < 0) {
    if (errno != ENOTCONN || coroutine->connects != fd) return false;
    len = sizeof(coroutine->connects_to);
    memcpy(&peer, coroutine->connects_to, len);
  }
  tell_address(&peer, len, text, size);
  return text[0] != '\0';
}

/* Of several the first that has a name. */
static void tell_descriptors(const howdah_coroutine *coroutine, const howdah_subject *subject, char *text, size_t size) {
  size_t wanted = 0;
  int first = -1;
  for (size_t i = 0; i < subject->count; i++) {
    if (subject->fds[i].fd < 0) continue;
    wanted++;
    if (first < 0) first = subject->fds[i].fd;
    if (!text[0]) tell_peer(coroutine, subject->fds[i].fd, text, size);
  }
  if (!text[0] && first >= 0) tell_file(first, text, size);
  size_t len = strlen(text);
  if (text[0] && wanted > 1) snprintf(text + len, size - len, " and %zu more", wanted - 1);
}

void howdah_subject_tell(const howdah_coroutine *coroutine, char *text, size_t size) {
  const howdah_subject *subject = coroutine->subject;
  text[0] = '\0';
  if (!subject) return;
  if (subject->name)
    snprintf(text, size, "%s", subject->name);
  else if (subject->fds)
    tell_descriptors(coroutine, subject, text, size);
  else if (subject->is_lock)
    tell_file(subject->fd, text, size);
}
