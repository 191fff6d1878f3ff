/* dlopen: what is loaded later (iconv's converters, an authentication plugin of a database library) is patched too. Kind: note.
 *
 * dlclose in ext/ffi only, which lets a library go with the last object that names it (zend_ffi_dtor(), 8.2): the library
 * stays. A request that ends by a fatal error, by its time limit or because its client has gone has not stopped the threads
 * that the library started (librdkafka's, gRPC's). They would go on in memory that is no longer there, and their worker would
 * crash, with all of its requests. */
#include "hooked.h"

#include "../state/thread.h"
#include "caller.h"
#include "hook.h"

void *howdah_hook_dlopen(const char *path, int flags) {
  void *handle = howdah_real_dlopen(path, flags);
  if (handle) howdah_hooks_refresh();
  if (handle && howdah_hooks_are_ours()) howdah_thread_find();
  return handle;
}

int howdah_hook_ffi_dlclose(void *handle) {
  return howdah_hooks_are_ours() ? 0 : howdah_real_ffi_dlclose(handle);
}
