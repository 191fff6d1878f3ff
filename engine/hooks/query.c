/* The resolver's own calls: dns_get_record(), checkdnsrr() (res_nsearch), LDAP and Kerberos (SRV records). Kind: offload.
 *
 * A resolver's state belongs to the caller, who may be gone before the answer comes, and holds references that cannot be copied
 * (resolv_conf.c, glibc 2.36): the job makes its own from the same settings, with what the caller has changed in it. */
#include "hooked.h"

#include "caller.h"
#include "offload.h"

#include <arpa/nameser.h>
#include <errno.h>
#include <netinet/in.h>
#include <resolv.h>
#include <stdlib.h>
#include <string.h>

typedef int (*asker)(struct __res_state *, const char *, int, int, unsigned char *, int);

typedef struct {
  howdah_job job;
  asker ask;
  struct __res_state wanted; /* plain members only */
  bool is_set;
  char *name;
  int class, type, size, result, host_error;
  unsigned char answer[];
} query;

static void work(howdah_job *job) {
  query *self = (query *)job;
  struct __res_state state;
  memset(&state, 0, sizeof(state));
  self->result = -1;
  if (res_ninit(&state) < 0) {
    self->host_error = NETDB_INTERNAL;
    return;
  }
  if (self->is_set) {
    state.retrans = self->wanted.retrans;
    state.retry = self->wanted.retry;
    state.options = self->wanted.options;
    state.ndots = self->wanted.ndots;
    state.nscount = self->wanted.nscount;
    memcpy(state.nsaddr_list, self->wanted.nsaddr_list, sizeof(state.nsaddr_list));
  }
  self->result = self->ask(&state, self->name, self->class, self->type, self->answer, self->size);
  self->host_error = state.res_h_errno;
  res_nclose(&state);
}

static void release(howdah_job *job) {
  query *self = (query *)job;
  free(self->name);
  free(self);
}

/* state NULL: the thread's own, which nobody here changes. */
static query *new_query(asker ask, const struct __res_state *state, const char *name, int class, int type, int size) {
  if (size < 0 || size > 1024 * 1024) return NULL;
  query *self = calloc(1, sizeof(*self) + (size_t)size);
  if (!self) return NULL;
  self->job = (howdah_job){.work = work, .release = release};
  self->ask = ask;
  if (state && (state->options & RES_INIT)) {
    self->wanted = *state;
    self->is_set = true;
  }
  self->name = strdup(name);
  self->job.name = self->name;
  self->class = class;
  self->type = type;
  self->size = size;
  if (self->name) return self;
  free(self);
  return NULL;
}

/* 0: asked; -1: nothing was, the original has to. */
static int ask(query *call, unsigned char *answer, int *result) {
  if (!call) return -1;
  int size = call->size;
  if (howdah_offload(&call->job) < 0) {
    if (errno != ECANCELED) return -1;
    *result = -1;
    h_errno = TRY_AGAIN;
    return 0;
  }
  *result = call->result;
  /* What was not written to is not, either: an answer may be longer than the buffer. */
  if (call->result > 0) memcpy(answer, call->answer, (size_t)(call->result < size ? call->result : size));
  h_errno = call->host_error;
  errno = call->job.error;
  release(&call->job);
  return 0;
}

static int with_state(asker original, struct __res_state *state, const char *name, int class, int type, unsigned char *answer,
                      int size) {
  int result;
  query *call = howdah_hooks_may_park() ? new_query(original, state, name, class, type, size) : NULL;
  if (ask(call, answer, &result) < 0) return original(state, name, class, type, answer, size);
  state->res_h_errno = h_errno;
  return result;
}

int howdah_hook_res_nsearch(struct __res_state *state, const char *name, int class, int type, unsigned char *answer, int size) {
  return with_state(howdah_real_res_nsearch, state, name, class, type, answer, size);
}

int howdah_hook_res_nquery(struct __res_state *state, const char *name, int class, int type, unsigned char *answer, int size) {
  return with_state(howdah_real_res_nquery, state, name, class, type, answer, size);
}

int howdah_hook_res_search(const char *name, int class, int type, unsigned char *answer, int size) {
  int result;
  query *call = howdah_hooks_may_park() ? new_query(howdah_real_res_nsearch, NULL, name, class, type, size) : NULL;
  return ask(call, answer, &result) < 0 ? howdah_real_res_search(name, class, type, answer, size) : result;
}

int howdah_hook_res_query(const char *name, int class, int type, unsigned char *answer, int size) {
  int result;
  query *call = howdah_hooks_may_park() ? new_query(howdah_real_res_nquery, NULL, name, class, type, size) : NULL;
  return ask(call, answer, &result) < 0 ? howdah_real_res_query(name, class, type, answer, size) : result;
}
