/* dlopen: what is loaded later (iconv's converters, an authentication plugin of a database library) is patched too. Kind: note. */
#include "families.h"

#include "../state/thread.h"
#include "hook.h"

void *(*howdah_real_dlopen)(const char *, int);

void *howdah_hook_dlopen(const char *path, int flags) {
  void *handle = howdah_real_dlopen(path, flags);
  if (handle) howdah_hooks_refresh();
  if (handle && howdah_hooks_are_ours()) howdah_thread_find();
  return handle;
}
