/* ImageMagick's limits. See magick.h. */
#include "magick.h"

#include <dlfcn.h>
#include <stddef.h>

static uint64_t (*get)(int);
static int (*set)(int, uint64_t);

bool howdah_magick_find(void) {
  if (get) return true;
  *(void **)&set = dlsym(RTLD_DEFAULT, "SetMagickResourceLimit");
  if (set) *(void **)&get = dlsym(RTLD_DEFAULT, "GetMagickResourceLimit");
  return get != NULL;
}

int64_t howdah_magick_get(int which) {
  return (int64_t)get(which);
}

void howdah_magick_set(int which, int64_t value) {
  set(which, (uint64_t)value);
}
