/* The hook table, and who may park. */
#include "hooked.h"
#include "condition.h"
#include "pipe.h"

#include "../coroutine/coroutine.h"
#include "held.h"
#include "hook.h"
#include "spawn.h"

#define REPLACEMENT(ours)            (void *)howdah_hook_##ours
#define ORIGINAL(ours)               (void **)&howdah_real_##ours
#define HOOKED(function, ours, kind) {#function, REPLACEMENT(ours), ORIGINAL(ours), HOWDAH_HOOK_##kind, NULL, NULL, NULL},
#define HOOKED_IN(function, ours, kind, object)                                                                                \
  {#function, REPLACEMENT(ours), ORIGINAL(ours), HOWDAH_HOOK_##kind, object, NULL, NULL},
#define HOOKED_IN_NGINX(function, ours, kind, nginx)                                                                           \
  {#function, REPLACEMENT(ours), ORIGINAL(ours), HOWDAH_HOOK_##kind, NULL, REPLACEMENT(nginx), NULL},
#define HOOKED_IN_NGINX_ONLY(function, ours, kind, nginx)                                                                      \
  {#function, NULL, ORIGINAL(ours), HOWDAH_HOOK_##kind, NULL, REPLACEMENT(nginx), NULL},
#define HOOKED_AND_TABLES(function, ours, kind, table)                                                                         \
  {#function, REPLACEMENT(ours), ORIGINAL(ours), HOWDAH_HOOK_##kind, NULL, NULL, REPLACEMENT(table)},

const howdah_hook howdah_hooks[] = {
#include "list.h"
    {NULL, NULL, NULL, HOWDAH_HOOK_NOTE, NULL, NULL, NULL},
};

/* Libraries start threads of their own (librdkafka, gRPC): theirs never park. */
static __thread bool is_loop_thread;

/* In a child that a library forks (mail programs, mongocryptd) in a coroutine: it must not park, for the loop and its epoll set are the
 * parent's. It gets the original functions and, in general, another program soon. vfork() and posix_spawn() do not come here and
 * need not: what they run before the other program does not wait. */
static void in_forked_child(void) {
  is_loop_thread = false;
  howdah_condition_forget();
  howdah_pipes_in_child();
  howdah_spawn_in_child();
}

void howdah_hooks_attach(void) {
  static bool registered;
  is_loop_thread = true;
  howdah_held_attach();
  if (!registered) registered = pthread_atfork(howdah_spawn_before_fork, howdah_spawn_after_fork, in_forked_child) == 0;
}

bool howdah_hooks_are_ours(void) {
  return is_loop_thread;
}

bool howdah_hooks_in_realm(void) {
  return is_loop_thread && howdah_coroutine_current();
}

howdah_process_state *howdah_hooks_process_state(void) {
  if (!howdah_hooks_in_realm()) return NULL;
  howdah_process_state *state = &howdah_coroutine_current()->state->process;
  state->touched = true;
  return state;
}

/* Which coroutine runs is the loop's thread's to read. */
bool howdah_hooks_may_park(void) {
  const howdah_coroutine *coroutine = is_loop_thread ? howdah_coroutine_current() : NULL;
  return coroutine && coroutine->hooks_off == 0;
}
