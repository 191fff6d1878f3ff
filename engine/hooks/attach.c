/* A worker's thread takes the hooks into use, and a child that it forks gives them up. */
#include "caller.h"
#include "condition.h"
#include "held.h"
#include "hook.h"
#include "pipe.h"
#include "spawn.h"

#include <pthread.h>
#include <stdbool.h>

/* In a child that a library forks (mail programs, mongocryptd) in a coroutine: it must not park, for the loop and its epoll set
 * are the parent's. It gets the original functions and, in general, another program soon. vfork() and posix_spawn() do not come
 * here and need not: what they run before the other program does not wait. */
static void in_forked_child(void) {
  howdah_hooks_are_for(false);
  howdah_condition_forget();
  howdah_pipes_in_child();
  howdah_spawn_in_child();
}

void howdah_hooks_attach(void) {
  static bool registered;
  howdah_hooks_are_for(true);
  howdah_held_attach();
  if (!registered) registered = pthread_atfork(howdah_spawn_before_fork, howdah_spawn_after_fork, in_forked_child) == 0;
}
