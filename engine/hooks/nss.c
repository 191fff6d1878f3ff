/* Users, groups, services and protocols: look-ups that may ask a server (LDAP, SSSD, NIS), inside libc. Kind: offload.
 *
 * As in host.c, a job owns what it works on. libc's records point into a buffer, so they are moved to the caller's, or, for the
 * functions that keep it themselves, stay with the realm until its next call on that database. */
#include "nss.h"

#include "../coroutine/coroutine.h"
#include "hooked.h"
#include "caller.h"
#include "local.h"
#include "offload.h"
#include "room.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LAST_BYTES = 16 * 1024 * 1024 };
_Static_assert(sizeof((howdah_coroutine){0}.records) == HOWDAH_NSS_DATABASES * sizeof(void *), "a place for each database");

typedef union {
  struct passwd user;
  struct group group;
  struct servent service;
  struct protoent protocol;
} record;

/* What is asked for. */
typedef struct {
  howdah_database in;
  bool by_number;
  const char *name, *protocol; /* protocol: a service's, or NULL */
  unsigned number;
} question;

typedef struct {
  howdah_job job;
  question asked; /* its strings are the job's */
  record answer;
  void *found;
  howdah_room room;
  int result;
} lookup;

static int look_up(lookup *self) {
  const question *asked = &self->asked;
  record *to = &self->answer;
  char *buffer = self->room.buffer;
  size_t size = self->room.size;
  switch (asked->in) {
  case HOWDAH_USERS:
    return !asked->by_number ? getpwnam_r(asked->name, &to->user, buffer, size, (struct passwd **)&self->found)
                             : getpwuid_r((uid_t)asked->number, &to->user, buffer, size, (struct passwd **)&self->found);
  case HOWDAH_GROUPS:
    return !asked->by_number ? getgrnam_r(asked->name, &to->group, buffer, size, (struct group **)&self->found)
                             : getgrgid_r((gid_t)asked->number, &to->group, buffer, size, (struct group **)&self->found);
  case HOWDAH_SERVICES:
    return !asked->by_number
               ? getservbyname_r(asked->name, asked->protocol, &to->service, buffer, size, (struct servent **)&self->found)
               : getservbyport_r((int)asked->number, asked->protocol, &to->service, buffer, size,
                                 (struct servent **)&self->found);
  default:
    return !asked->by_number
               ? getprotobyname_r(asked->name, &to->protocol, buffer, size, (struct protoent **)&self->found)
               : getprotobynumber_r((int)asked->number, &to->protocol, buffer, size, (struct protoent **)&self->found);
  }
}

static void work(howdah_job *job) {
  lookup *self = (lookup *)job;
  while ((self->result = look_up(self)) == ERANGE && howdah_room_grow(&self->room)) {
  }
}

static bool is_local(const howdah_job *job) {
  const question *asked = &((const lookup *)job)->asked;
  return howdah_local_entry("/etc", asked->in, asked->by_number ? NULL : asked->name, asked->number);
}

static void release(howdah_job *job) {
  lookup *self = (lookup *)job;
  free((char *)self->asked.name);
  free((char *)self->asked.protocol);
  howdah_room_free(&self->room);
  free(self);
}

/* buffer: the caller's, NULL: one that grows. NULL when memory is short. */
static lookup *new_lookup(const question *asked, const char *buffer, size_t size) {
  lookup *self = calloc(1, sizeof(*self));
  if (!self) return NULL;
  self->job = (howdah_job){.work = work, .release = release, .is_local = is_local};
  self->asked = *asked;
  self->asked.name = asked->name ? strdup(asked->name) : NULL;
  self->job.name = self->asked.name;
  self->asked.protocol = asked->protocol ? strdup(asked->protocol) : NULL;
  bool has_room = (!buffer || size <= LAST_BYTES) && howdah_room_make(&self->room, buffer, size, LAST_BYTES);
  if (has_room && !self->asked.name == !asked->name && !self->asked.protocol == !asked->protocol) return self;
  release(&self->job);
  return NULL;
}

/* Asks on another thread. NULL with *cancelled, or when the original has to be called. Parks. */
static lookup *ask(const question *asked, char *buffer, size_t size, bool *cancelled) {
  *cancelled = false;
  bool valid = asked->by_number || asked->name;
  lookup *self = valid && howdah_hooks_may_park() ? new_lookup(asked, buffer, size) : NULL;
  if (!self || howdah_offload(&self->job) == 0) return self;
  *cancelled = errno == ECANCELED;
  return NULL;
}

/* ---- Into the caller's buffer ---- */

static void *moved(void *address, const lookup *from, char *to) {
  char *at = address;
  return at && at >= from->room.buffer && at < from->room.buffer + from->room.size ? to + (at - from->room.buffer) : address;
}

static void move_user(const lookup *from, struct passwd *user, char *buffer) {
  *user = from->answer.user;
  user->pw_name = moved(user->pw_name, from, buffer);
  user->pw_passwd = moved(user->pw_passwd, from, buffer);
  user->pw_gecos = moved(user->pw_gecos, from, buffer);
  user->pw_dir = moved(user->pw_dir, from, buffer);
  user->pw_shell = moved(user->pw_shell, from, buffer);
}

/* The list itself has been copied already. */
static void move_group(const lookup *from, struct group *group, char *buffer) {
  *group = from->answer.group;
  group->gr_name = moved(group->gr_name, from, buffer);
  group->gr_passwd = moved(group->gr_passwd, from, buffer);
  group->gr_mem = moved(group->gr_mem, from, buffer);
  for (char **each = group->gr_mem; each && *each; each++)
    *each = moved(*each, from, buffer);
}

/* A function with _r: its error number, which errno says as well (nss/getXXbyYY_r.c, glibc 2.36), and its record. */
static int answer(lookup *self, bool cancelled, void *to, char *buffer, void **found) {
  *found = NULL;
  if (cancelled) return ECANCELED;
  int result = self->result, error = self->job.error;
  if (self->found) {
    memcpy(buffer, self->room.buffer, self->room.size);
    if (self->asked.in == HOWDAH_USERS)
      move_user(self, to, buffer);
    else
      move_group(self, to, buffer);
    *found = to;
  }
  release(&self->job);
  errno = error;
  return result;
}

int howdah_hook_getpwnam_r(const char *name, struct passwd *user, char *buffer, size_t size, struct passwd **found) {
  bool cancelled;
  lookup *self = ask(&(question){.in = HOWDAH_USERS, .name = name}, buffer, size, &cancelled);
  if (!self && !cancelled) return howdah_real_getpwnam_r(name, user, buffer, size, found);
  return answer(self, cancelled, user, buffer, (void **)found);
}

int howdah_hook_getpwuid_r(uid_t id, struct passwd *user, char *buffer, size_t size, struct passwd **found) {
  bool cancelled;
  lookup *self = ask(&(question){.in = HOWDAH_USERS, .by_number = true, .number = id}, buffer, size, &cancelled);
  if (!self && !cancelled) return howdah_real_getpwuid_r(id, user, buffer, size, found);
  return answer(self, cancelled, user, buffer, (void **)found);
}

int howdah_hook_getgrnam_r(const char *name, struct group *group, char *buffer, size_t size, struct group **found) {
  bool cancelled;
  lookup *self = ask(&(question){.in = HOWDAH_GROUPS, .name = name}, buffer, size, &cancelled);
  if (!self && !cancelled) return howdah_real_getgrnam_r(name, group, buffer, size, found);
  return answer(self, cancelled, group, buffer, (void **)found);
}

int howdah_hook_getgrgid_r(gid_t id, struct group *group, char *buffer, size_t size, struct group **found) {
  bool cancelled;
  lookup *self = ask(&(question){.in = HOWDAH_GROUPS, .by_number = true, .number = id}, buffer, size, &cancelled);
  if (!self && !cancelled) return howdah_real_getgrgid_r(id, group, buffer, size, found);
  return answer(self, cancelled, group, buffer, (void **)found);
}

/* ---- Kept for the realm ---- */

/* The job becomes what the realm keeps. */
static void *keep(lookup *self, bool cancelled) {
  if (cancelled) return NULL;
  void **place = &howdah_coroutine_current()->records[self->asked.in];
  errno = self->job.error;
  if (!self->found) {
    release(&self->job);
    return NULL;
  }
  if (*place) release(*place);
  *place = &self->job;
  return &self->answer;
}

void howdah_nss_forget(void *records[HOWDAH_NSS_DATABASES]) {
  for (int i = 0; i < HOWDAH_NSS_DATABASES; i++) {
    if (records[i]) release(records[i]);
    records[i] = NULL;
  }
}

struct passwd *howdah_hook_getpwnam(const char *name) {
  bool cancelled;
  lookup *self = ask(&(question){.in = HOWDAH_USERS, .name = name}, NULL, 0, &cancelled);
  return self || cancelled ? keep(self, cancelled) : howdah_real_getpwnam(name);
}

struct passwd *howdah_hook_getpwuid(uid_t id) {
  bool cancelled;
  lookup *self = ask(&(question){.in = HOWDAH_USERS, .by_number = true, .number = id}, NULL, 0, &cancelled);
  return self || cancelled ? keep(self, cancelled) : howdah_real_getpwuid(id);
}

struct group *howdah_hook_getgrnam(const char *name) {
  bool cancelled;
  lookup *self = ask(&(question){.in = HOWDAH_GROUPS, .name = name}, NULL, 0, &cancelled);
  return self || cancelled ? keep(self, cancelled) : howdah_real_getgrnam(name);
}

struct group *howdah_hook_getgrgid(gid_t id) {
  bool cancelled;
  lookup *self = ask(&(question){.in = HOWDAH_GROUPS, .by_number = true, .number = id}, NULL, 0, &cancelled);
  return self || cancelled ? keep(self, cancelled) : howdah_real_getgrgid(id);
}

struct servent *howdah_hook_getservbyname(const char *name, const char *protocol) {
  bool cancelled;
  lookup *self = ask(&(question){.in = HOWDAH_SERVICES, .name = name, .protocol = protocol}, NULL, 0, &cancelled);
  return self || cancelled ? keep(self, cancelled) : howdah_real_getservbyname(name, protocol);
}

struct servent *howdah_hook_getservbyport(int port, const char *protocol) {
  bool cancelled;
  lookup *self = ask(&(question){.in = HOWDAH_SERVICES, .by_number = true, .number = (unsigned)port, .protocol = protocol},
                     NULL, 0, &cancelled);
  return self || cancelled ? keep(self, cancelled) : howdah_real_getservbyport(port, protocol);
}

struct protoent *howdah_hook_getprotobyname(const char *name) {
  bool cancelled;
  lookup *self = ask(&(question){.in = HOWDAH_PROTOCOLS, .name = name}, NULL, 0, &cancelled);
  return self || cancelled ? keep(self, cancelled) : howdah_real_getprotobyname(name);
}

struct protoent *howdah_hook_getprotobynumber(int number) {
  bool cancelled;
  lookup *self = ask(&(question){.in = HOWDAH_PROTOCOLS, .by_number = true, .number = (unsigned)number}, NULL, 0, &cancelled);
  return self || cancelled ? keep(self, cancelled) : howdah_real_getprotobynumber(number);
}
