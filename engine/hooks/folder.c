/* chdir, fchdir, umask: what they change is noted, so that each realm keeps its own (engine/state/process/process.h). Kind: note. */
#include "families.h"

#include "../coroutine/coroutine.h"
#include "hook.h"

int (*howdah_real_chdir)(const char *);
int (*howdah_real_fchdir)(int);
mode_t (*howdah_real_umask)(mode_t);

static int note_move(int result) {
  if (result == 0 && howdah_hooks_in_realm()) howdah_process_state_moved(&howdah_coroutine_current()->state->process);
  return result;
}

int howdah_hook_chdir(const char *path) {
  return note_move(howdah_real_chdir(path));
}

int howdah_hook_fchdir(int fd) {
  return note_move(howdah_real_fchdir(fd));
}

mode_t howdah_hook_umask(mode_t mask) {
  mode_t before = howdah_real_umask(mask);
  if (howdah_hooks_in_realm()) howdah_process_state_masked(&howdah_coroutine_current()->state->process, mask & 0777);
  return before;
}
