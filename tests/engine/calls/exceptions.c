/* C++ exceptions that are being handled while their code waits, and gRPC's contexts. Without a C++ compiler: by the functions
 * that it would call (C++ ABI for Itanium, 2.4 and 2.5). */
#include "calls.h"

#include <dlfcn.h>
#include <unistd.h>

enum { UNWIND_HEADER_BYTES = 32, TYPES = 3 };

typedef struct {
  void *caught;
  unsigned uncaught;
} globals;

/* Each caller throws and catches a value of another type. */
static const char *exception(void) {
  static const char *const names[TYPES] = {"_ZTIi", "_ZTId", "_ZTIc"};
  static unsigned callers;
  unsigned caller = callers++;
  void *library = dlopen("libstdc++.so.6", RTLD_NOW);
  CHECK(library);
  globals *(*get_globals)(void) = dlsym(library, "__cxa_get_globals");
  char *(*allocate)(size_t) = dlsym(library, "__cxa_allocate_exception");
  void *(*init)(void *, void *, void (*)(void *)) = dlsym(library, "__cxa_init_primary_exception");
  void *(*begin_catch)(void *) = dlsym(library, "__cxa_begin_catch");
  void (*end_catch)(void) = dlsym(library, "__cxa_end_catch");
  const void *(*current_type)(void) = dlsym(library, "__cxa_current_exception_type");
  void *type = dlsym(library, names[caller % TYPES]);
  CHECK(get_globals && allocate && init && begin_catch && end_catch && current_type && type);
  CHECK(current_type() == NULL && get_globals()->uncaught == 0);
  char *value = allocate(sizeof(int));
  init(value, type, NULL);
  get_globals()->uncaught++; /* __cxa_throw() */
  usleep(20000);
  CHECK(get_globals()->uncaught == 1 && current_type() == NULL);
  begin_catch(value - UNWIND_HEADER_BYTES);
  CHECK(current_type() == type);
  usleep(caller % 2 ? 20000 : 80000);
  CHECK(current_type() == type && get_globals()->uncaught == 0);
  end_catch();
  CHECK(current_type() == NULL);
  return NULL;
}

static const char *context(void) {
  static const char *const names[] = {"_ZN9grpc_core7ExecCtx9exec_ctx_E", "_ZN9grpc_core8Activity19g_current_activity_E"};
  static void *library;
  if (!library) library = dlopen("libgrpc.so.29", RTLD_NOW);
  if (!library) return NULL; /* it is for tests/waiting */
  void **words[2], *before[2], *here = &library;
  for (int i = 0; i < 2; i++) {
    CHECK((words[i] = dlsym(library, names[i])));
    before[i] = *words[i];
    *words[i] = here;
  }
  usleep(20000);
  for (int i = 0; i < 2; i++) {
    CHECK(before[i] == NULL && *words[i] == here);
    *words[i] = NULL;
  }
  return NULL;
}

const named_call exception_calls[] = {{"exception", exception}, {"context", context}, {NULL, NULL}};
