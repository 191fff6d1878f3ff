/* pthread_once() and what is made of it: C11's call_once(), std::call_once(). Kind: timer.
 *
 * An initialiser that parks (it connects, it looks up a name) leaves its control "running". A second realm would wait for it
 * inside libc, on the thread on which the first one has to go on: for ever. So it parks until the initialiser is done, and then
 * asks the original, which knows whether it has to run it again (it threw an exception). The original's order is kept: nobody
 * passes before the initialiser has run once. */
#include "hooked.h"

#include "caller.h"
#include "pause.h"

#include <dlfcn.h>
#include <threads.h>

/* What a control says while its initialiser runs is known to libc alone, and is another number in each child process (so that a
 * child runs those again that a lost thread had begun): it is found by its effect. */
static __thread pthread_once_t trial;
static __thread int running;
/* What it says when it is done is the same for all. PTHREAD_ONCE_INIT: nobody has looked. */
static int done = PTHREAD_ONCE_INIT;

static void look(void) {
  running = __atomic_load_n(&trial, __ATOMIC_RELAXED);
}

static int value_of_running(void) {
  trial = PTHREAD_ONCE_INIT;
  howdah_real_once(&trial, look);
  __atomic_store_n(&done, trial, __ATOMIC_RELAXED);
  return running;
}

/* Where std::call_once() leaves what the original is to run (bits/mutex, libstdc++ 12): the thread's, so a neighbour's call
 * changes it. */
static void **place_of(const char *symbol) {
  void *library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_NOLOAD);
  if (!library) return NULL;
  void **place = dlsym(library, symbol);
  dlclose(library);
  return place;
}

static void wait_for_initialiser(const pthread_once_t *control, int value) {
  void **callable = place_of("_ZSt15__once_callable"), **call = place_of("_ZSt11__once_call");
  void *own_callable = callable ? *callable : NULL, *own_call = call ? *call : NULL;
  howdah_patience patience = {.until_us = UINT64_MAX, .steadfast = true, .kind = HOWDAH_WAIT_THREAD};
  while (__atomic_load_n(control, __ATOMIC_ACQUIRE) == value)
    howdah_pause(&patience);
  if (callable) *callable = own_callable;
  if (call) *call = own_call;
}

/* Not inlined: it would have a frame made for each call that needs none. */
static __attribute__((noinline)) int run(pthread_once_t *control, void (*initialiser)(void), int now) {
  if (now == PTHREAD_ONCE_INIT) return howdah_real_once(control, initialiser);
  int value = value_of_running();
  if (now == value && howdah_hooks_may_park()) wait_for_initialiser(control, value);
  return howdah_real_once(control, initialiser);
}

/* Those that are done are the most frequent by far: OpenSSL asks two of them each time that a realm is left. */
int howdah_hook_once(pthread_once_t *control, void (*initialiser)(void)) {
  int now = __atomic_load_n(control, __ATOMIC_ACQUIRE);
  if (now != PTHREAD_ONCE_INIT && now == __atomic_load_n(&done, __ATOMIC_RELAXED)) return 0;
  return run(control, initialiser, now);
}

/* The same object in glibc (nptl/call_once.c, 2.36). */
void howdah_hook_call_once(once_flag *flag, void (*initialiser)(void)) {
  howdah_hook_once((pthread_once_t *)flag, initialiser);
}
