/* putenv and its relatives: each realm has its own environment (engine/state/process/environment.h). Kind: note. */
#include "hooked.h"

#include "../coroutine/coroutine.h"
#include "caller.h"

static howdah_environment *own(void) {
  howdah_process_state *state = howdah_hooks_process_state();
  return state ? &state->environment : NULL;
}

int howdah_hook_putenv(char *entry) {
  howdah_environment *environment = own();
  return environment ? howdah_environment_put(environment, entry) : howdah_real_putenv(entry);
}

int howdah_hook_setenv(const char *name, const char *value, int overwrite) {
  howdah_environment *environment = own();
  return environment ? howdah_environment_set(environment, name, value, overwrite) : howdah_real_setenv(name, value, overwrite);
}

int howdah_hook_unsetenv(const char *name) {
  howdah_environment *environment = own();
  return environment ? howdah_environment_unset(environment, name) : howdah_real_unsetenv(name);
}

int howdah_hook_clearenv(void) {
  howdah_environment *environment = own();
  return environment ? howdah_environment_clear(environment) : howdah_real_clearenv();
}
