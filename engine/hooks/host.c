/* The gethostby* family. Kind: offload. As in resolve.c, a job owns what it works on; libc's hostent points into a buffer, so
 * it is moved to the caller's, or, for the functions that keep it themselves, stays with the realm until its next call. */
#include "host.h"

#include "../coroutine/coroutine.h"
#include "hooked.h"
#include "resolve.h"
#include "caller.h"
#include "local.h"
#include "offload.h"
#include "room.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_BYTES = 256, LAST_BYTES = 1024 * 1024 };

typedef struct {
  howdah_job job;
  bool by_address;
  char key[KEY_BYTES]; /* a name or an address */
  socklen_t key_len;
  int family; /* 0: gethostbyname's, which the resolver's settings decide */
  struct hostent host, *found;
  howdah_room room;
  int error, result;
} lookup;

static int look_up(lookup *self) {
  char *buffer = self->room.buffer;
  size_t size = self->room.size;
  if (self->by_address)
    return howdah_real_gethostbyaddr_r(self->key, self->key_len, self->family, &self->host, buffer, size, &self->found,
                                       &self->error);
  if (self->family)
    return howdah_real_gethostbyname2_r(self->key, self->family, &self->host, buffer, size, &self->found, &self->error);
  return howdah_real_gethostbyname_r(self->key, &self->host, buffer, size, &self->found, &self->error);
}

static void work(howdah_job *job) {
  lookup *self = (lookup *)job;
  while ((self->result = look_up(self)) == ERANGE && howdah_room_grow(&self->room)) {
  }
}

static bool is_local(const howdah_job *job) {
  const lookup *self = (const lookup *)job;
  if (self->by_address) return howdah_local_address("/etc", self->key, self->key_len, self->family);
  return howdah_local_host("/etc", self->key, self->family ? self->family : AF_INET);
}

static void release(howdah_job *job) {
  lookup *self = (lookup *)job;
  howdah_room_free(&self->room);
  free(self);
}

/* buffer: the caller's, whose alignment counts; NULL: one that grows. NULL when the key is too long or memory is short. */
static lookup *new_lookup(const void *key, socklen_t key_len, int family, bool by_address, const char *buffer, size_t size) {
  if (key_len > KEY_BYTES) return NULL;
  lookup *self = calloc(1, sizeof(*self));
  if (!self) return NULL;
  self->job = (howdah_job){.work = work, .release = release, .is_local = is_local};
  self->by_address = by_address;
  memcpy(self->key, key, key_len);
  self->job.name = by_address ? NULL : self->key;
  self->key_len = key_len;
  self->family = family;
  if (howdah_room_make(&self->room, buffer, size, LAST_BYTES)) return self;
  free(self);
  return NULL;
}

static void *moved(const void *address, const lookup *from, char *to) {
  return address ? to + ((const char *)address - from->room.buffer) : NULL;
}

static void move_list(char **list, const lookup *from, char *to) {
  for (; list && *list; list++)
    *list = moved(*list, from, to);
}

/* All that a hostent points to lies in its buffer. */
static void move(const lookup *from, struct hostent *host, char *buffer) {
  memcpy(buffer, from->room.buffer, from->room.size);
  *host = from->host;
  host->h_name = moved(host->h_name, from, buffer);
  host->h_aliases = moved(host->h_aliases, from, buffer);
  host->h_addr_list = moved(host->h_addr_list, from, buffer);
  move_list(host->h_aliases, from, buffer);
  move_list(host->h_addr_list, from, buffer);
}

/* The job's answer for the caller of a function with _r; frees the job. */
static int answer(lookup *call, struct hostent *host, char *buffer, struct hostent **found, int *error) {
  int result = call->result, number = call->job.error;
  if (call->found) move(call, host, buffer);
  *found = call->found ? host : NULL;
  *error = call->error;
  release(&call->job);
  errno = number;
  return result;
}

static int cancelled(struct hostent **found, int *error) {
  *found = NULL;
  *error = TRY_AGAIN;
  return ECANCELED;
}

int howdah_hook_gethostbyname_r(const char *name, struct hostent *host, char *buffer, size_t size, struct hostent **found,
                                int *error) {
  lookup *call = howdah_is_numeric(name) || !howdah_hooks_may_park()
                     ? NULL
                     : new_lookup(name, (socklen_t)strlen(name) + 1, 0, false, buffer, size);
  if (!call) return howdah_real_gethostbyname_r(name, host, buffer, size, found, error);
  if (howdah_offload(&call->job) == 0) return answer(call, host, buffer, found, error);
  if (errno == ECANCELED) return cancelled(found, error);
  return howdah_real_gethostbyname_r(name, host, buffer, size, found, error);
}

int howdah_hook_gethostbyname2_r(const char *name, int family, struct hostent *host, char *buffer, size_t size,
                                 struct hostent **found, int *error) {
  lookup *call = howdah_is_numeric(name) || !family || !howdah_hooks_may_park()
                     ? NULL
                     : new_lookup(name, (socklen_t)strlen(name) + 1, family, false, buffer, size);
  if (!call) return howdah_real_gethostbyname2_r(name, family, host, buffer, size, found, error);
  if (howdah_offload(&call->job) == 0) return answer(call, host, buffer, found, error);
  if (errno == ECANCELED) return cancelled(found, error);
  return howdah_real_gethostbyname2_r(name, family, host, buffer, size, found, error);
}

int howdah_hook_gethostbyaddr_r(const void *address, socklen_t len, int type, struct hostent *host, char *buffer, size_t size,
                                struct hostent **found, int *error) {
  lookup *call = howdah_hooks_may_park() ? new_lookup(address, len, type, true, buffer, size) : NULL;
  if (!call) return howdah_real_gethostbyaddr_r(address, len, type, host, buffer, size, found, error);
  if (howdah_offload(&call->job) == 0) return answer(call, host, buffer, found, error);
  if (errno == ECANCELED) return cancelled(found, error);
  return howdah_real_gethostbyaddr_r(address, len, type, host, buffer, size, found, error);
}

/* The job becomes what the realm keeps. */
static struct hostent *keep(lookup *call) {
  howdah_coroutine *coroutine = howdah_coroutine_current();
  h_errno = call->error;
  errno = call->job.error;
  if (!call->found) {
    release(&call->job);
    return NULL;
  }
  if (coroutine->host) release(coroutine->host);
  coroutine->host = &call->job;
  return &call->host;
}

void howdah_host_forget(void *host) {
  if (host) release(host);
}

/* In a coroutine; the original's own buffer would be a neighbour's, too. */
static struct hostent *find(lookup *call, bool at_once) {
  if (at_once) {
    work(&call->job);
    call->job.error = errno;
    return keep(call);
  }
  if (howdah_offload(&call->job) == 0) return keep(call);
  h_errno = TRY_AGAIN;
  return NULL;
}

struct hostent *howdah_hook_gethostbyname(const char *name) {
  lookup *call = howdah_hooks_may_park() ? new_lookup(name, (socklen_t)strlen(name) + 1, 0, false, NULL, 0) : NULL;
  return call ? find(call, howdah_is_numeric(name)) : howdah_real_gethostbyname(name);
}

struct hostent *howdah_hook_gethostbyname2(const char *name, int family) {
  lookup *call =
      family && howdah_hooks_may_park() ? new_lookup(name, (socklen_t)strlen(name) + 1, family, false, NULL, 0) : NULL;
  return call ? find(call, howdah_is_numeric(name)) : howdah_real_gethostbyname2(name, family);
}

struct hostent *howdah_hook_gethostbyaddr(const void *address, socklen_t len, int type) {
  lookup *call = howdah_hooks_may_park() ? new_lookup(address, len, type, true, NULL, 0) : NULL;
  return call ? find(call, false) : howdah_real_gethostbyaddr(address, len, type);
}
