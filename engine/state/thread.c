/* Thread-local variables of libraries that follow the stack: they tell what the code that runs is in the middle of, often by an
 * address on its stack. Realms have a stack each and one thread, so a switch carries them. Found by their names, which the
 * libraries export.
 *
 * Other thread-local variables stay the thread's, on purpose. In the libraries that Debian's extensions load (12 and 13) these
 * are: what is read back before anything could park (libcom_err's text, librdkafka's last error); what the processor can
 * (libjpeg); random generators (libsodium, GnuTLS); an identity of the thread (abseil: it takes two realms that wait for one of
 * its locks for a thread that waits twice, and ends the process; seen with gRPC through FFI on Debian 13, when eight realms
 * began at once). OpenSSL's errors are kept by openssl.c, what std::call_once() is to run by ../hooks/once.c.
 *
 * OpenMP's team (libgomp) stays, too: a parallel region ends before the call that began it returns, and a realm that took its
 * team along would leave the threads of the pool to the next one, who believes that they are idle. PHP code runs inside a
 * region only where Imagick::setProgressMonitor() calls it. If it waits there, a neighbour's region is nested in it, and their
 * ends are mixed up: docs/isolation.md says so. */
#include "thread.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const struct {
  const char *library, *symbol;
  size_t words; /* of what the symbol names; 0: it is a function that tells the address of two words */
} known[] = {
    /* __cxa_eh_globals: the exceptions that are being handled, and how many are on their way (C++ ABI for Itanium, 2.2.2). */
    {"libstdc++.so.6", "__cxa_get_globals", 0},
    {"libc++abi.so.1", "__cxa_get_globals", 0},
    /* gRPC 1.51, src/core/lib: what a call has put off, by the address of a list on its stack; and what it works for. */
    {"libgrpc.so.29", "_ZN9grpc_core7ExecCtx9exec_ctx_E", 1},
    {"libgrpc.so.29", "_ZN9grpc_core26ApplicationCallbackExecCtx18callback_exec_ctx_E", 1},
    {"libgrpc.so.29", "_ZN9grpc_core9Timestamp25thread_local_time_source_E", 1},
    {"libgrpc.so.29", "_ZN9grpc_core8Activity19g_current_activity_E", 1},
    {"libgrpc.so.29", "_ZN9grpc_core14promise_detail7ContextINS_11CallContextEE8current_E", 1},
    {"libgrpc.so.29", "_ZN9grpc_core14promise_detail7ContextINS_5ArenaEE8current_E", 1},
    {"libgrpc.so.29", "_ZN9grpc_core14promise_detail7ContextI19grpc_polling_entityE8current_E", 1},
    {"libgrpc.so.29", "_ZN9grpc_core14promise_detail7ContextIN17grpc_event_engine12experimental11EventEngineEE8current_E", 1},
    {"libgrpc.so.29", "_ZN9grpc_core14promise_detail7ContextI25grpc_call_context_elementE8current_E", 1},
    {"libgrpc.so.29", "_ZN9grpc_core14promise_detail7ContextINS_16CallFinalizationEE8current_E", 1},
};
enum { KNOWN = sizeof(known) / sizeof(*known) };

static bool found[KNOWN];
static void **places[HOWDAH_THREAD_WORDS_MAX], *of_main[HOWDAH_THREAD_WORDS_MAX];
static size_t count;

static void add(void **place, size_t words) {
  for (size_t i = 0; i < words && count < HOWDAH_THREAD_WORDS_MAX; i++) {
    places[count] = place + i;
    of_main[count++] = place[i];
  }
}

/* A variable whose first value is computed gets it when the thread first uses it, and only then (C++ ABI for Itanium, 2.8: _ZTH
 * and its name). The realm that did so first would take the value along, and leave none to the others and to the main stack. */
static void initialise(void *library, const char *symbol) {
  char name[128];
  if (strncmp(symbol, "_Z", 2) != 0) return;
  int len = snprintf(name, sizeof(name), "_ZTH%s", symbol + 2);
  void (*compute)(void) = len > 0 && (size_t)len < sizeof(name) ? (void (*)(void))dlsym(library, name) : NULL;
  if (compute) compute();
}

/* A library that is not there yet is not loaded, and one that is there stays. */
static void look_for(size_t number) {
  void *library = dlopen(known[number].library, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
  void *symbol = library ? dlsym(library, known[number].symbol) : NULL;
  if (library) found[number] = true; /* or another version of it, which has no such variable */
  if (symbol) initialise(library, known[number].symbol);
  if (symbol && known[number].words)
    add(symbol, known[number].words);
  else if (symbol)
    add(((void **(*)(void))symbol)(), 2);
  if (library) dlclose(library);
}

void howdah_thread_find(void) {
  for (size_t i = 0; i < KNOWN; i++)
    if (!found[i]) look_for(i);
}

void howdah_thread_enter(howdah_thread_words *own) {
  for (size_t i = 0; i < count; i++) {
    of_main[i] = *places[i];
    if (i < own->count) *places[i] = own->words[i];
  }
}

void howdah_thread_leave(howdah_thread_words *own) {
  for (size_t i = 0; i < count; i++) {
    own->words[i] = *places[i];
    *places[i] = of_main[i];
  }
  own->count = count;
}
