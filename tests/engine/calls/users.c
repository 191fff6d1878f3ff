/* Users, groups, services and protocols: the system's own, and those of a slow server, which this library itself is. */
#include "calls.h"

#include <arpa/inet.h>
#include <grp.h>
#include <netdb.h>
#include <nss.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *users(void) {
  struct passwd user, *found = NULL;
  struct group group, *found_group = NULL;
  char buffer[4096], *odd = buffer + 3;
  CHECK((found = getpwnam("root")) && found->pw_uid == 0 && strcmp(found->pw_dir, "/root") == 0);
  CHECK((found = getpwuid(0)) && strcmp(found->pw_name, "root") == 0);
  CHECK((found_group = getgrnam("root")) && found_group->gr_gid == 0 && found_group->gr_mem && errno == 0);
  CHECK((found_group = getgrgid(0)) && strcmp(found_group->gr_name, "root") == 0);
  CHECK(strcmp(found->pw_name, "root") == 0);
  CHECK(!getpwnam("nobody-of-that-name") && !getgrnam("nobody-of-that-name") && !getpwuid(3999999999u));
  CHECK(getpwnam_r("root", &user, odd, sizeof(buffer) - 3, &found) == 0 && found == &user && user.pw_uid == 0);
  CHECK(user.pw_name >= odd && user.pw_shell < buffer + sizeof(buffer) && strcmp(user.pw_dir, "/root") == 0);
  errno = EXDEV;
  CHECK(getpwuid_r(0, &user, buffer, 4, &found) == ERANGE && !found && errno == ERANGE);
  CHECK(getpwuid_r(0, &user, buffer, sizeof(buffer), &found) == 0 && found && strcmp(user.pw_name, "root") == 0 && errno == 0);
  errno = EXDEV;
  CHECK(getpwnam_r("nobody-of-that-name", &user, buffer, sizeof(buffer), &found) == 0 && !found && errno == 0);
  CHECK(getgrnam_r("root", &group, odd, sizeof(buffer) - 3, &found_group) == 0 && found_group == &group);
  CHECK(group.gr_name >= odd && (char *)group.gr_mem > odd && group.gr_gid == 0);
  CHECK(getgrgid_r(0, &group, buffer, sizeof(buffer), &found_group) == 0 && strcmp(group.gr_name, "root") == 0);
  return NULL;
}

/* ---- A server that takes its time and knows everybody: user "u7" has the number 7 ---- */

enum { SLOW_MS = 20 };

/* NSS's part of the buffer (nss(5), "Extending NSS"): the name, and a list with a friend. */
typedef struct {
  char name[32], friend[8], *friends[2];
} record;

static enum nss_status find(const char *name, int number, void *buffer, size_t size, int *error, record **found) {
  nap_ms(SLOW_MS);
  if (name && strcmp(name, "crash") == 0) crash();
  *found = (record *)(((uintptr_t)buffer + 15) & ~(uintptr_t)15);
  if ((char *)(*found + 1) > (char *)buffer + size) {
    *error = ERANGE;
    return NSS_STATUS_TRYAGAIN;
  }
  if (name && name[0] != 'u') return NSS_STATUS_NOTFOUND;
  if (name)
    snprintf((*found)->name, sizeof((*found)->name), "%s", name);
  else
    snprintf((*found)->name, sizeof((*found)->name), "u%d", number);
  strcpy((*found)->friend, "friend");
  (*found)->friends[0] = (*found)->friend;
  (*found)->friends[1] = NULL;
  return NSS_STATUS_SUCCESS;
}

static int number_of(const record *found) {
  return atoi(found->name + 1);
}

static enum nss_status user(const char *name, uid_t id, struct passwd *to, char *buffer, size_t size, int *error) {
  record *found;
  enum nss_status status = find(name, (int)id, buffer, size, error, &found);
  if (status == NSS_STATUS_SUCCESS)
    *to = (struct passwd){.pw_name = found->name,
                          .pw_passwd = "x", /* not in the buffer */
                          .pw_uid = (uid_t)number_of(found),
                          .pw_gecos = found->friend,
                          .pw_dir = found->name,
                          .pw_shell = found->name};
  return status;
}

static enum nss_status group(const char *name, gid_t id, struct group *to, char *buffer, size_t size, int *error) {
  record *found;
  enum nss_status status = find(name, (int)id, buffer, size, error, &found);
  if (status == NSS_STATUS_SUCCESS) *to = (struct group){found->name, "x", (gid_t)number_of(found), found->friends};
  return status;
}

static enum nss_status service(const char *name, int port, const char *protocol, struct servent *to, char *buffer, size_t size,
                               int *error) {
  record *found;
  enum nss_status status = find(name, ntohs((uint16_t)port), buffer, size, error, &found);
  if (status == NSS_STATUS_SUCCESS)
    *to = (struct servent){found->name, found->friends, htons((uint16_t)number_of(found)),
                           protocol && strcmp(protocol, "udp") == 0 ? "udp" : "tcp"};
  return status;
}

static enum nss_status protocol(const char *name, int number, struct protoent *to, char *buffer, size_t size, int *error) {
  record *found;
  enum nss_status status = find(name, number, buffer, size, error, &found);
  if (status == NSS_STATUS_SUCCESS) *to = (struct protoent){found->name, found->friends, number_of(found)};
  return status;
}

enum nss_status _nss_calls_getpwnam_r(const char *name, struct passwd *to, char *buffer, size_t size, int *error) {
  return user(name, 0, to, buffer, size, error);
}

enum nss_status _nss_calls_getpwuid_r(uid_t id, struct passwd *to, char *buffer, size_t size, int *error) {
  return user(NULL, id, to, buffer, size, error);
}

enum nss_status _nss_calls_getgrnam_r(const char *name, struct group *to, char *buffer, size_t size, int *error) {
  return group(name, 0, to, buffer, size, error);
}

enum nss_status _nss_calls_getgrgid_r(gid_t id, struct group *to, char *buffer, size_t size, int *error) {
  return group(NULL, id, to, buffer, size, error);
}

enum nss_status _nss_calls_getservbyname_r(const char *name, const char *protocol, struct servent *to, char *buffer,
                                           size_t size, int *error) {
  return service(name, 0, protocol, to, buffer, size, error);
}

enum nss_status _nss_calls_getservbyport_r(int port, const char *protocol, struct servent *to, char *buffer, size_t size,
                                           int *error) {
  return service(NULL, port, protocol, to, buffer, size, error);
}

enum nss_status _nss_calls_getprotobyname_r(const char *name, struct protoent *to, char *buffer, size_t size, int *error) {
  return protocol(name, 0, to, buffer, size, error);
}

enum nss_status _nss_calls_getprotobynumber_r(int number, struct protoent *to, char *buffer, size_t size, int *error) {
  return protocol(NULL, number, to, buffer, size, error);
}

static bool ask_the_server(void) {
  static const char *const databases[] = {"passwd", "group", "services", "protocols"};
  static bool asked;
  for (size_t i = 0; !asked && i < sizeof(databases) / sizeof(*databases); i++)
    if (__nss_configure_lookup(databases[i], "calls") != 0) return false;
  return asked = true;
}

/* What they return is the caller's until its next call on that database, whatever neighbours ask meanwhile. */
static const char *slow_users(void) {
  static int turn;
  int mine = ++turn;
  char name[16], buffer[1024], *odd = buffer + 5;
  snprintf(name, sizeof(name), "u%d", mine);
  CHECK(ask_the_server());
  int64_t start = now_ms();
  struct passwd *user = getpwnam(name), own, *found;
  CHECK(user && took_ms(start, SLOW_MS));
  struct group *group = getgrgid((gid_t)mine), own_group, *found_group;
  struct servent *service = getservbyname(name, "udp");
  struct protoent *protocol = getprotobynumber(mine);
  CHECK(user->pw_uid == (uid_t)mine && strcmp(user->pw_name, name) == 0 && strcmp(user->pw_passwd, "x") == 0);
  CHECK(group && strcmp(group->gr_name, name) == 0 && strcmp(group->gr_mem[0], "friend") == 0 && !group->gr_mem[1]);
  CHECK(service && service->s_port == htons((uint16_t)mine) && strcmp(service->s_proto, "udp") == 0);
  CHECK(protocol && strcmp(protocol->p_name, name) == 0 && strcmp(protocol->p_aliases[0], "friend") == 0);
  CHECK((user = getpwuid((uid_t)mine)) && (group = getgrnam(name)) && group->gr_gid == (gid_t)mine);
  CHECK((service = getservbyport(htons((uint16_t)mine), NULL)) && strcmp(service->s_proto, "tcp") == 0);
  CHECK((protocol = getprotobyname(name)) && protocol->p_proto == mine && strcmp(user->pw_name, name) == 0);
  CHECK(getpwnam_r(name, &own, odd, 512, &found) == 0 && found == &own && own.pw_gecos > odd && own.pw_uid == (uid_t)mine);
  CHECK(getgrgid_r((gid_t)mine, &own_group, odd, 512, &found_group) == 0 && found_group->gr_mem[0] > odd);
  CHECK(strcmp(found_group->gr_mem[0], "friend") == 0 && getpwnam_r(name, &own, buffer, 16, &found) == ERANGE && !found);
  CHECK(!getpwnam("somebody") && took_ms(start, 11 * SLOW_MS));
  return NULL;
}

const named_call user_calls[] = {
    {"users", users},
    {"slow_users", slow_users},
    {NULL, NULL},
};
