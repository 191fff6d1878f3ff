/* Before a child process is started. See spawn.c. */
#ifndef HOWDAH_HOOKS_SPAWN_H
#define HOWDAH_HOOKS_SPAWN_H

/* Makes all descriptors above 2 close-on-exec. Keeps errno. */
void howdah_spawn_prepare(void);

#endif
