/* chdir, fchdir, umask: what they change is noted, so that each realm keeps its own (engine/state/process/folder.h). Kind:
 * note. */
#include "hooked.h"

#include "../coroutine/coroutine.h"
#include "caller.h"

static int note_move(int result) {
  howdah_process_state *state = result == 0 ? howdah_hooks_process_state() : NULL;
  if (state) state->folder.moved = true;
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
  howdah_process_state *state = howdah_hooks_process_state();
  if (state) howdah_umask_changed(&state->umask, mask & 0777);
  return before;
}
