/* Names and addresses: getaddrinfo(3) and its relatives read files and ask servers, each with waits of its own inside libc. Kind:
 * offload. A numeric address needs neither, and does not change threads.
 *
 * What the caller gives for results may lie in a state block (FG(tmp_host_info), ext/standard/file.h), which belongs to another realm while
 * the thread works: results go to the waiting stack, and from there to the caller when its realm is in place again. */
#include "families.h"

#include "hook.h"
#include "offload.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

int (*howdah_real_getaddrinfo)(const char *, const char *, const struct addrinfo *, struct addrinfo **);
int (*howdah_real_getnameinfo)(const struct sockaddr *, socklen_t, char *, socklen_t, char *, socklen_t, int);
int (*howdah_real_gethostbyname_r)(const char *, struct hostent *, char *, size_t, struct hostent **, int *);
int (*howdah_real_gethostbyaddr_r)(const void *, socklen_t, int, struct hostent *, char *, size_t, struct hostent **, int *);
int (*howdah_real_res_nsearch)(void *, const char *, int, int, unsigned char *, int);

static bool is_numeric(const char *name) {
  unsigned char address[sizeof(struct in6_addr)];
  return !name || inet_pton(AF_INET, name, address) == 1 || inet_pton(AF_INET6, name, address) == 1;
}

typedef struct {
  const char *node, *service;
  const struct addrinfo *hints;
  struct addrinfo *found;
  int result;
} by_name;

static void work_by_name(void *data) {
  by_name *call = data;
  call->result = howdah_real_getaddrinfo(call->node, call->service, call->hints, &call->found);
}

int howdah_hook_getaddrinfo(const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **found) {
  by_name call = {node, service, hints, NULL, EAI_AGAIN};
  if (is_numeric(node) || !howdah_hooks_may_park() || howdah_offload(work_by_name, &call) < 0)
    return howdah_real_getaddrinfo(node, service, hints, found);
  if (call.result == 0) *found = call.found;
  return call.result;
}

typedef struct {
  const struct sockaddr *address;
  socklen_t address_len, host_len, service_len;
  char host[NI_MAXHOST], service[NI_MAXSERV];
  int flags, result;
} by_address;

static void work_by_address(void *data) {
  by_address *call = data;
  call->result = howdah_real_getnameinfo(call->address, call->address_len, call->host_len ? call->host : NULL, call->host_len,
                                         call->service_len ? call->service : NULL, call->service_len, call->flags);
}

static socklen_t at_most(socklen_t len, size_t most) {
  return len < most ? len : (socklen_t)most;
}

int howdah_hook_getnameinfo(const struct sockaddr *address, socklen_t address_len, char *host, socklen_t host_len,
                            char *service, socklen_t service_len, int flags) {
  by_address call = {.address = address,
                     .address_len = address_len,
                     .host_len = host ? at_most(host_len, NI_MAXHOST) : 0,
                     .service_len = service ? at_most(service_len, NI_MAXSERV) : 0,
                     .flags = flags};
  if ((flags & NI_NUMERICHOST) || !howdah_hooks_may_park() || howdah_offload(work_by_address, &call) < 0)
    return howdah_real_getnameinfo(address, address_len, host, host_len, service, service_len, flags);
  if (call.result != 0) return call.result;
  if (call.host_len) strcpy(host, call.host);
  if (call.service_len) strcpy(service, call.service);
  return 0;
}

/* gethostbyname_r and gethostbyaddr_r; buffer is the caller's own memory, and no state block. */
typedef struct {
  const void *key; /* a name or an address */
  socklen_t key_len;
  int type;
  struct hostent host, *found;
  char *buffer;
  size_t size;
  int error, result;
} host_lookup;

static void work_host_by_name(void *data) {
  host_lookup *call = data;
  call->result = howdah_real_gethostbyname_r(call->key, &call->host, call->buffer, call->size, &call->found, &call->error);
}

static void work_host_by_address(void *data) {
  host_lookup *call = data;
  call->result = howdah_real_gethostbyaddr_r(call->key, call->key_len, call->type, &call->host, call->buffer, call->size,
                                             &call->found, &call->error);
}

static int take_host(const host_lookup *call, struct hostent *host, struct hostent **found, int *error) {
  *host = call->host;
  *found = call->found ? host : NULL;
  *error = call->error;
  return call->result;
}

int howdah_hook_gethostbyname_r(const char *name, struct hostent *host, char *buffer, size_t size, struct hostent **found,
                                int *error) {
  host_lookup call = {.key = name, .buffer = buffer, .size = size};
  if (is_numeric(name) || !howdah_hooks_may_park() || howdah_offload(work_host_by_name, &call) < 0)
    return howdah_real_gethostbyname_r(name, host, buffer, size, found, error);
  return take_host(&call, host, found, error);
}

int howdah_hook_gethostbyaddr_r(const void *address, socklen_t len, int type, struct hostent *host, char *buffer, size_t size,
                                struct hostent **found, int *error) {
  host_lookup call = {.key = address, .key_len = len, .type = type, .buffer = buffer, .size = size};
  if (!howdah_hooks_may_park() || howdah_offload(work_host_by_address, &call) < 0)
    return howdah_real_gethostbyaddr_r(address, len, type, host, buffer, size, found, error);
  return take_host(&call, host, found, error);
}

typedef struct {
  void *state;
  const char *name;
  int class, type, size, result;
  unsigned char *answer;
} search;

static void work_search(void *data) {
  search *call = data;
  call->result = howdah_real_res_nsearch(call->state, call->name, call->class, call->type, call->answer, call->size);
}

/* dns_get_record(), checkdnsrr(): the resolver's state is the caller's own. */
int howdah_hook_res_nsearch(void *state, const char *name, int class, int type, unsigned char *answer, int size) {
  search call = {state, name, class, type, size, -1, answer};
  if (!howdah_hooks_may_park() || howdah_offload(work_search, &call) < 0)
    return howdah_real_res_nsearch(state, name, class, type, answer, size);
  return call.result;
}
