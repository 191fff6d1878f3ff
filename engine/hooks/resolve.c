/* Names and addresses: getaddrinfo(3) and its relatives read files and ask servers, each with waits of its own inside libc. Kind:
 * offload. A numeric address needs neither, and does not change threads. For the resolver's own calls see query.c.
 *
 * A job owns copies of what the caller gave, and results go from the job to the caller when its realm is in place again: what
 * the caller gives may lie in a state block (FG(tmp_host_info), ext/standard/file.h) or on a stack that is gone by then. */
#include "hooked.h"
#include "resolve.h"

#include "caller.h"
#include "local.h"
#include "offload.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool howdah_is_numeric(const char *name) {
  unsigned char address[sizeof(struct in6_addr)];
  return !name || inet_pton(AF_INET, name, address) == 1 || inet_pton(AF_INET6, name, address) == 1;
}

typedef struct {
  howdah_job job;
  char *node, *service;
  struct addrinfo hints, *found;
  bool has_hints;
  int result;
} by_name;

static void work_by_name(howdah_job *job) {
  by_name *self = (by_name *)job;
  self->result = howdah_real_getaddrinfo(self->node, self->service, self->has_hints ? &self->hints : NULL, &self->found);
}

static bool is_local_name(const howdah_job *job) {
  const by_name *self = (const by_name *)job;
  return (self->hints.ai_flags & AI_NUMERICHOST) || howdah_local_host("/etc", self->node, self->hints.ai_family);
}

static void release_by_name(howdah_job *job) {
  by_name *self = (by_name *)job;
  if (self->found) freeaddrinfo(self->found);
  free(self->node);
  free(self->service);
  free(self);
}

static by_name *new_by_name(const char *node, const char *service, const struct addrinfo *hints) {
  by_name *self = calloc(1, sizeof(*self));
  if (!self) return NULL;
  self->job = (howdah_job){.work = work_by_name, .release = release_by_name, .is_local = is_local_name};
  self->node = strdup(node);
  self->job.name = self->node;
  if (service) self->service = strdup(service);
  if (hints) {
    /* Only these say anything (getaddrinfo(3)); the rest is not to be looked at. */
    self->has_hints = true;
    self->hints.ai_flags = hints->ai_flags;
    self->hints.ai_family = hints->ai_family;
    self->hints.ai_socktype = hints->ai_socktype;
    self->hints.ai_protocol = hints->ai_protocol;
  }
  if (self->node && (self->service || !service)) return self;
  release_by_name(&self->job);
  return NULL;
}

int howdah_hook_getaddrinfo(const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **found) {
  by_name *call = howdah_is_numeric(node) || !howdah_hooks_may_park() ? NULL : new_by_name(node, service, hints);
  if (!call) return howdah_real_getaddrinfo(node, service, hints, found);
  if (howdah_offload(&call->job) < 0) {
    if (errno == ECANCELED) return EAI_SYSTEM;
    return howdah_real_getaddrinfo(node, service, hints, found);
  }
  int result = call->result, error = call->job.error;
  if (result == 0) {
    *found = call->found;
    call->found = NULL;
  }
  release_by_name(&call->job);
  if (result == EAI_SYSTEM) errno = error;
  return result;
}

typedef struct {
  howdah_job job;
  struct sockaddr_storage address;
  socklen_t address_len, host_len, service_len;
  char host[NI_MAXHOST], service[NI_MAXSERV];
  int flags, result;
} by_address;

static void work_by_address(howdah_job *job) {
  by_address *self = (by_address *)job;
  self->result =
      howdah_real_getnameinfo((const struct sockaddr *)&self->address, self->address_len, self->host_len ? self->host : NULL,
                              self->host_len, self->service_len ? self->service : NULL, self->service_len, self->flags);
}

static bool is_local_address(const howdah_job *job) {
  const by_address *self = (const by_address *)job;
  const struct sockaddr_in *four = (const struct sockaddr_in *)&self->address;
  const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)&self->address;
  if (four->sin_family == AF_INET) return howdah_local_address("/etc", &four->sin_addr, sizeof(four->sin_addr), AF_INET);
  if (four->sin_family == AF_INET6) return howdah_local_address("/etc", &six->sin6_addr, sizeof(six->sin6_addr), AF_INET6);
  return four->sin_family == AF_UNIX;
}

static void release_plain(howdah_job *job) {
  free(job);
}

static socklen_t at_most(socklen_t len, size_t most) {
  return len < most ? len : (socklen_t)most;
}

int howdah_hook_getnameinfo(const struct sockaddr *address, socklen_t address_len, char *host, socklen_t host_len,
                            char *service, socklen_t service_len, int flags) {
  bool at_once = (flags & NI_NUMERICHOST) || address_len > sizeof(struct sockaddr_storage) || !howdah_hooks_may_park();
  by_address *call = at_once ? NULL : calloc(1, sizeof(*call));
  if (!call) return howdah_real_getnameinfo(address, address_len, host, host_len, service, service_len, flags);
  call->job = (howdah_job){.work = work_by_address, .release = release_plain, .is_local = is_local_address};
  memcpy(&call->address, address, address_len);
  call->address_len = address_len;
  call->host_len = host ? at_most(host_len, NI_MAXHOST) : 0;
  call->service_len = service ? at_most(service_len, NI_MAXSERV) : 0;
  call->flags = flags;
  if (howdah_offload(&call->job) < 0) {
    if (errno == ECANCELED) return EAI_SYSTEM;
    return howdah_real_getnameinfo(address, address_len, host, host_len, service, service_len, flags);
  }
  int result = call->result, error = call->job.error;
  if (result == 0 && call->host_len) strcpy(host, call->host);
  if (result == 0 && call->service_len) strcpy(service, call->service);
  free(call);
  if (result == EAI_SYSTEM) errno = error;
  return result;
}
