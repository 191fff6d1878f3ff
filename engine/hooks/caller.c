/* Who calls a replacement: see caller.h. */
#include "caller.h"

#include "../coroutine/coroutine.h"

/* Libraries start threads of their own (librdkafka, gRPC): theirs never park. */
static __thread bool is_loop_thread;

void howdah_hooks_are_for(bool this_thread) {
  is_loop_thread = this_thread;
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
