/* dlopen: what is loaded later (iconv's converters, an authentication plugin of a database library) is patched too. Kind: note. */
#include "families.h"

#include "hook.h"

void *(*howdah_real_dlopen)(const char *, int);

void *howdah_hook_dlopen(const char *path, int flags) {
  void *handle = howdah_real_dlopen(path, flags);
  if (handle) howdah_hooks_refresh();
  return handle;
}
