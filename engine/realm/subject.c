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
  } services[] = {{25, "SMTP"},         {53, "DNS"},       {80, "HTTP"},    {389, "LDAP"},        {443, "HTTPS"},
                  {465, "SMTP"},        {587, "SMTP"},     {636, "LDAP"},   {1433, "SQL Server"}, {3306, "MySQL"},
                  {5432, "PostgreSQL"}, {5672, "AMQP"},    {6379, "Redis"}, {9092, "Kafka"},      {9200, "Elasticsearch"},
                  {11211, "memcached"}, {27017, "MongoDB"}};
  for (size_t i = 0; i < sizeof(services) / sizeof(*services); i++)
    if (services[i].port == port) return services[i].name;
  return "";
}

static void read_address(const address *from, socklen_t len, howdah_peer *peer) {
  char *text = peer->address;
  size_t size = sizeof(peer->address);
  if (from->any.sa_family == AF_INET) {
    peer->port = ntohs(from->v4.sin_port);
    inet_ntop(AF_INET, &from->v4.sin_addr, text, size);
  } else if (from->any.sa_family == AF_INET6) {
    peer->port = ntohs(from->v6.sin6_port);
    inet_ntop(AF_INET6, &from->v6.sin6_addr, text, size);
  } else if (from->any.sa_family == AF_UNIX) {
    size_t path_len = len > offsetof(struct sockaddr_un, sun_path) ? len - offsetof(struct sockaddr_un, sun_path) : 0;
    const char *path = from->local.sun_path;
    bool is_abstract = path_len > 0 && path[0] == '\0';
    snprintf(text, size, "%s%.*s", is_abstract ? "@" : "", (int)path_len - is_abstract, path + is_abstract);
  }
  peer->service = service_of(peer->port);
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

/* False where it is no socket of these families, or has nobody at its other end. */
static bool find_peer(const howdah_coroutine *coroutine, int fd, howdah_peer *peer) {
  address found = {.any.sa_family = AF_UNSPEC};
  socklen_t len = sizeof(found);
  *peer = (howdah_peer){.service = ""};
  if (getpeername(fd, &found.any, &len) < 0) {
    if (errno != ENOTCONN || coroutine->connects != fd) return false;
    len = sizeof(coroutine->connects_to);
    memcpy(&found, coroutine->connects_to, len);
  }
  read_address(&found, len, peer);
  return peer->port || found.any.sa_family == AF_UNIX;
}

static bool tell_peer(const howdah_coroutine *coroutine, int fd, char *text, size_t size) {
  howdah_peer peer;
  if (!find_peer(coroutine, fd, &peer)) return false;
  const char *blank = peer.service[0] ? " " : "";
  if (!peer.port)
    snprintf(text, size, "%s%s", peer.address[0] ? "unix:" : "a local socket", peer.address);
  else if (strchr(peer.address, ':'))
    snprintf(text, size, "%s%s[%s]:%u", peer.service, blank, peer.address, peer.port);
  else
    snprintf(text, size, "%s%s%s:%u", peer.service, blank, peer.address, peer.port);
  return true;
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

bool howdah_subject_peer(const howdah_coroutine *coroutine, howdah_peer *peer) {
  const howdah_subject *subject = coroutine->subject;
  if (!subject || subject->name || !subject->fds) return false;
  for (size_t i = 0; i < subject->count; i++)
    if (subject->fds[i].fd >= 0 && find_peer(coroutine, subject->fds[i].fd, peer)) return true;
  return false;
}
