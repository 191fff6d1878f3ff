/* Look-ups that files answer. See local.h. */
#include "local.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* What nsswitch.conf says of a database: no server is asked before its files, or none at all. */
typedef enum { SERVERS_FIRST, FILES_FIRST, NO_SERVER } order;

/* Calls is_it() for each line of a file, without its comment and its end, until one is. */
static bool any_line(const char *etc, const char *file, bool (*is_it)(char *line, void *wanted), void *wanted) {
  char *path, *line = NULL;
  size_t room = 0;
  bool found = false;
  if (asprintf(&path, "%s/%s", etc, file) < 0) return false;
  FILE *stream = fopen(path, "re");
  free(path);
  if (!stream) return false;
  while (!found && getline(&line, &room, stream) >= 0) {
    line[strcspn(line, "#\n")] = 0;
    found = is_it(line, wanted);
  }
  free(line);
  fclose(stream);
  return found;
}

static const char blanks[] = " \t\r\f\v";

static char *first_word(char *line, char **rest) {
  return strtok_r(line, blanks, rest);
}

static char *next_word(char **rest) {
  return strtok_r(NULL, blanks, rest);
}

/* ---- nsswitch.conf ---- */

typedef struct {
  const char *database; /* with its colon */
  order order;
} setting;

/* Those that answer for this machine alone. nss-resolve tells what /etc/hosts says before it asks anybody. */
static bool is_local_service(const char *service) {
  static const char *const local[] = {"files", "compat", "db", "cache", "systemd", "myhostname", "mymachines", "resolve"};
  for (size_t i = 0; i < sizeof(local) / sizeof(*local); i++)
    if (strcmp(service, local[i]) == 0) return true;
  return false;
}

static bool asks_servers(const char *service) {
  return !is_local_service(service) || strcmp(service, "compat") == 0 || strcmp(service, "resolve") == 0;
}

static order order_of(char *services) {
  bool files = false, servers = false, in_brackets = false, goes_on = false;
  char *rest;
  for (char *word = first_word(services, &rest); word; word = next_word(&rest)) {
    bool begins = *word == '[', ends = strchr(word, ']') != NULL;
    if (begins || in_brackets) { /* what follows from an answer: [!UNAVAIL=return] */
      in_brackets = !ends;
      goes_on |= strcasestr(word, "merge") || strcasestr(word, "continue"); /* others are asked although files know */
      continue;
    }
    if (!files && !is_local_service(word)) return SERVERS_FIRST;
    files |= strcmp(word, "files") == 0 || strcmp(word, "compat") == 0;
    servers |= asks_servers(word);
  }
  return !servers ? NO_SERVER : files && !goes_on ? FILES_FIRST : SERVERS_FIRST;
}

static bool is_setting(char *line, void *wanted) {
  setting *self = wanted;
  line += strspn(line, blanks);
  size_t len = strlen(self->database);
  if (strncmp(line, self->database, len) != 0) return false;
  self->order = order_of(line + len);
  return true;
}

/* Without a line of its own a database has files alone, hosts another order in each release of libc (nss_database.c). */
static order look(const char *etc, const char *database, order otherwise) {
  setting wanted = {.database = database, .order = otherwise};
  any_line(etc, "nsswitch.conf", is_setting, &wanted);
  return wanted.order;
}

/* ---- Hosts ---- */

typedef struct {
  const char *name;    /* or NULL, and: */
  const void *address; /* of `len` bytes */
  size_t len;
  int family;
} host;

static bool is_host(char *line, void *wanted) {
  const host *self = wanted;
  unsigned char address[sizeof(struct in6_addr)];
  char *rest, *word = first_word(line, &rest);
  if (!word) return false;
  int family = inet_pton(AF_INET, word, address) == 1 ? AF_INET : inet_pton(AF_INET6, word, address) == 1 ? AF_INET6 : -1;
  if (family < 0 || (self->family != AF_UNSPEC && self->family != family)) return false;
  if (!self->name) return memcmp(address, self->address, self->len) == 0;
  while ((word = next_word(&rest)))
    if (strcasecmp(word, self->name) == 0) return true;
  return false;
}

/* "127.1" and "fe80::1%eth0" are addresses, which libc reads by itself. */
static bool is_address(const char *name) {
  struct in_addr address;
  return inet_aton(name, &address) != 0 || strchr(name, '%');
}

bool howdah_local_host(const char *etc, const char *name, int family) {
  host wanted = {.name = name, .family = family};
  if (is_address(name)) return true;
  order order = look(etc, "hosts:", SERVERS_FIRST);
  return order == NO_SERVER || (order == FILES_FIRST && any_line(etc, "hosts", is_host, &wanted));
}

bool howdah_local_address(const char *etc, const void *address, socklen_t len, int family) {
  host wanted = {.address = address, .len = len, .family = family};
  if (len != (family == AF_INET ? sizeof(struct in_addr) : sizeof(struct in6_addr))) return false;
  order order = look(etc, "hosts:", SERVERS_FIRST);
  return order == NO_SERVER || (order == FILES_FIRST && any_line(etc, "hosts", is_host, &wanted));
}

/* ---- Users, groups, services, protocols ---- */

typedef struct {
  const char *name;
  unsigned number;
} entry;

/* name:password:number:... */
static bool is_account(char *line, void *wanted) {
  const entry *self = wanted;
  char *rest, *end, *name = strtok_r(line, ":", &rest);
  if (!name) return false;
  if (self->name) return strcmp(name, self->name) == 0;
  /* A password may be empty, which strtok_r() would take for none. */
  char *number = rest ? strchr(rest, ':') : NULL;
  if (!number || *name == '+' || *name == '-') return false;
  unsigned long found = strtoul(number + 1, &end, 10);
  return end != number + 1 && *end == ':' && found == self->number;
}

/* name number aliases..., name number/protocol aliases... */
static bool is_assigned(char *line, void *wanted) {
  const entry *self = wanted;
  char *rest, *name = first_word(line, &rest), *number = name ? next_word(&rest) : NULL;
  if (!number) return false;
  if (!self->name) return strtoul(number, NULL, 10) == self->number;
  bool found = strcmp(name, self->name) == 0;
  for (char *alias; !found && (alias = next_word(&rest));)
    found = strcmp(alias, self->name) == 0;
  return found;
}

bool howdah_local_entry(const char *etc, howdah_database database, const char *name, unsigned number) {
  static const struct {
    const char *setting, *file;
    bool (*is_it)(char *line, void *wanted);
  } databases[] = {[HOWDAH_USERS] = {"passwd:", "passwd", is_account},
                   [HOWDAH_GROUPS] = {"group:", "group", is_account},
                   [HOWDAH_SERVICES] = {"services:", "services", is_assigned},
                   [HOWDAH_PROTOCOLS] = {"protocols:", "protocols", is_assigned}};
  order order = look(etc, databases[database].setting, NO_SERVER);
  if (order != FILES_FIRST) return order == NO_SERVER;
  entry wanted = {.name = name, .number = database == HOWDAH_SERVICES ? ntohs((uint16_t)number) : number};
  return any_line(etc, databases[database].file, databases[database].is_it, &wanted);
}
