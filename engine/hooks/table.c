/* The hook table, and who may park. */
#include "families.h"

#include "../coroutine/coroutine.h"
#include "hook.h"

#define HOOK(function, real, kind) HOOK_IN(function, real, kind, NULL)
#define HOOK_IN(function, real, kind, object)                                                                                  \
  { #function, (void *)howdah_hook_##real, (void **)&howdah_real_##real, kind, object }

const howdah_hook howdah_hooks[] = {
    HOOK(poll, poll, HOWDAH_HOOK_READY),
    HOOK(__poll_chk, poll_chk, HOWDAH_HOOK_READY),
    HOOK(select, select, HOWDAH_HOOK_READY),
    HOOK(sleep, sleep, HOWDAH_HOOK_TIMER),
    HOOK(usleep, usleep, HOWDAH_HOOK_TIMER),
    HOOK(nanosleep, nanosleep, HOWDAH_HOOK_TIMER),
    HOOK(clock_nanosleep, clock_nanosleep, HOWDAH_HOOK_TIMER),
    HOOK(flock, flock, HOWDAH_HOOK_TIMER),
    HOOK(setitimer, setitimer, HOWDAH_HOOK_NOTE),
    HOOK(sigaction, sigaction, HOWDAH_HOOK_NOTE),
    HOOK(chdir, chdir, HOWDAH_HOOK_NOTE),
    HOOK(fchdir, fchdir, HOWDAH_HOOK_NOTE),
    HOOK(umask, umask, HOWDAH_HOOK_NOTE),
    HOOK(dlopen, dlopen, HOWDAH_HOOK_NOTE),
    HOOK_IN(fcntl, fcntl, HOWDAH_HOOK_NOTE, "/opcache.so"),
    HOOK_IN(fcntl64, fcntl, HOWDAH_HOOK_NOTE, "/opcache.so"),
    {NULL, NULL, NULL, HOWDAH_HOOK_NOTE, NULL},
};

/* Libraries start threads of their own (librdkafka, gRPC): theirs never park. */
static __thread bool is_loop_thread;

void howdah_hooks_attach(void) {
  is_loop_thread = true;
}

bool howdah_hooks_may_park(void) {
  howdah_coroutine *coroutine = howdah_coroutine_current();
  return is_loop_thread && coroutine && coroutine->compiling == 0;
}
