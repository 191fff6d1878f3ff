/* Hidden state of libgd: its cache of fonts (gdft.c), which ext/gd empties at a request's end.
 *
 * A font is found again by the name that the script gave, and what a relative name means depends on the request: on its
 * GDFONTPATH and its current directory. Two realms that share the cache draw with each other's fonts. */
#include "probe.h"

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

static const char what[] = "libgd's cache of fonts";

typedef struct {
  int (*setup)(void);     /* 0, also where it is set up */
  void (*shutdown)(void); /* does nothing where it is not */
  void **cache;
} fonts;

/* ---- gdCache_head_t *fontCache ------------------------------------------------------------------------------------------- */

static bool cache_move(howdah_probe *probe, int step, void *data) {
  const fonts *gd = data;
  (void)probe;
  if (step % 2 == 0) return gd->setup() == 0;
  gd->shutdown();
  return true;
}

static bool is_pointer(const void *now) {
  uintptr_t value = *(const uintptr_t *)now;
  return value && value % sizeof(void *) == 0 && howdah_probe_readable((const void *)value, sizeof(void *));
}

static bool cache_holds(const void *now, const void *before, int step, void *data) {
  (void)before;
  (void)data;
  return step % 2 == 0 ? is_pointer(now) : !*(void *const *)now;
}

/* Where there is a cache none is made: "Already set up". */
static bool cache_confirm(void *place, void *data) {
  const fonts *gd = data;
  void **cache = place, *before = *cache;
  char other;
  *cache = &other;
  bool kept = gd->setup() == 0 && *cache == &other;
  *cache = before;
  return kept;
}

/* ---- FT_Library library -------------------------------------------------------------------------------------------------- */

/* Each cache gets a new one, and the last is still there. */
static bool library_move(howdah_probe *probe, int step, void *data) {
  const fonts *gd = data;
  (void)probe;
  (void)step;
  *gd->cache = NULL;
  return gd->setup() == 0;
}

static bool library_holds(const void *now, const void *before, int step, void *data) {
  const fonts *gd = data;
  (void)step;
  return now != gd->cache && *(void *const *)now != *(void *const *)before && is_pointer(now);
}

static bool library_confirm(void *place, void *data) {
  *(void **)place = NULL;
  return library_move(NULL, 0, data) && is_pointer(place);
}

/* ---- pthread_mutex_t gdFontCacheMutex ------------------------------------------------------------------------------------ */

/* pthread_mutex_destroy() (glibc, nptl/pthread_mutex_destroy.c) makes its kind an invalid one. */
static bool lock_holds(const void *now, const void *before, int step, void *data) {
  (void)before;
  (void)data;
  return *(const int *)now == (step % 2 == 0 ? 0 : -1);
}

static bool add(howdah_probe *probe, void *address, size_t size) {
  return howdah_probe_add(probe,
                          (howdah_hidden){.name = "gdFontCache", .address = address, .size = size, .source = "libgd, gdft.c"});
}

static bool find_in(howdah_probe *probe, howdah_segments *memory, fonts *gd) {
  howdah_lever cache = {.what = what,
                        .width = sizeof(void *),
                        .steps = 6,
                        .memory = memory,
                        .move = cache_move,
                        .holds = cache_holds,
                        .confirm = cache_confirm,
                        .data = gd};
  /* A libgd may have been built without it. */
  howdah_lever lock = {.what = "the lock of libgd's cache of fonts",
                       .width = sizeof(int),
                       .steps = 6,
                       .memory = memory,
                       .optional = true,
                       .move = cache_move,
                       .holds = lock_holds,
                       .data = gd};
  howdah_lever library = {.what = "the FreeType library of libgd's cache of fonts",
                          .width = sizeof(void *),
                          .steps = 3,
                          .memory = memory,
                          .move = library_move,
                          .holds = library_holds,
                          .confirm = library_confirm,
                          .data = gd};
  gd->shutdown();
  char *kind = howdah_probe_search(probe, &lock);
  gd->cache = howdah_probe_search(probe, &cache);
  if (probe->error[0] || !gd->cache) return false;
  if (gd->setup() != 0) return howdah_probe_fail(probe, what, "FreeType does not start");
  void *freetype = howdah_probe_search(probe, &library);
  gd->shutdown();
  if (!freetype || (kind && !add(probe, kind - offsetof(pthread_mutex_t, __data.__kind), sizeof(pthread_mutex_t))))
    return false;
  return add(probe, gd->cache, sizeof(void *)) && add(probe, freetype, sizeof(void *));
}

bool howdah_find_gd(howdah_probe *probe) {
  char error[128];
  if (!howdah_probe_module("gd")) return true;
  fonts gd = {.setup = (int (*)(void))(uintptr_t)howdah_probe_function("gd", "gdFontCacheSetup"),
              .shutdown = (void (*)(void))(uintptr_t)howdah_probe_function("gd", "gdFontCacheShutdown")};
  /* A libgd without FreeType has no fonts; one that is part of the extension does not show its functions. */
  if (!gd.setup || !gd.shutdown) return true;
  howdah_segments memory = {0};
  bool done = howdah_segments_add(&memory, (const void *)(uintptr_t)gd.setup, error, sizeof(error)) == 0
                  ? find_in(probe, &memory, &gd)
                  : howdah_probe_fail(probe, what, "%s", error);
  howdah_segments_free(&memory);
  return done;
}
