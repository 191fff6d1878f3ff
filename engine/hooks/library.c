/* What a realm is about to set in a library, without a handle, or to open by a name that the whole process shares: noted, so
 * that it is the realm's own (engine/state/libraries). Kind: note. */
#include "hooked.h"

#include "../coroutine/coroutine.h"
#include "../state/libraries/sqlite.h"
#include "caller.h"

#include <dlfcn.h>

static howdah_settings *own(howdah_library_use use) {
  if (!howdah_hooks_in_realm()) return NULL;
  howdah_settings *settings = &howdah_coroutine_current()->state->settings;
  settings->used |= use;
  return settings;
}

/* Without a VFS of its own (out of memory) the database might be a neighbour's. */
int howdah_hook_sqlite_open(const char *name, struct sqlite3 **database, int flags, const char *vfs) {
  enum { OUT_OF_MEMORY = 7 }; /* SQLITE_NOMEM */
  howdah_settings *settings = own(HOWDAH_USES_SQLITE);
  const char *realms = settings ? howdah_sqlite_vfs(&settings->sqlite) : NULL;
  if (settings && !realms) {
    *database = NULL;
    return OUT_OF_MEMORY;
  }
  return howdah_real_sqlite_open(name, database, flags, vfs ? vfs : realms);
}

/* A new object. ICU keeps what it found out first, which is the server's zone (engine/state/libraries/defaults.h);
 * icu::TimeZone::detectHostTimeZone() looks anew. */
void *howdah_hook_icu_zone(void) {
  static void *(*detect)(void);
  const howdah_coroutine *coroutine = howdah_hooks_in_realm() ? howdah_coroutine_current() : NULL;
  if (!coroutine || !howdah_environment_has_own_zone(&coroutine->state->process.environment)) return howdah_real_icu_zone();
  if (!detect) *(void **)&detect = dlsym(RTLD_DEFAULT, "_ZN6icu_728TimeZone18detectHostTimeZoneEv");
  if (!detect) *(void **)&detect = dlsym(RTLD_DEFAULT, "_ZN6icu_768TimeZone18detectHostTimeZoneEv");
  return detect ? detect() : howdah_real_icu_zone();
}

unsigned howdah_hook_magick_limit(int which, uint64_t limit) {
  own(HOWDAH_USES_MAGICK);
  return howdah_real_magick_limit(which, limit);
}

unsigned howdah_hook_magick_own_limit(int which, uint64_t limit) {
  own(HOWDAH_USES_MAGICK);
  return howdah_real_magick_own_limit(which, limit);
}

/* What cannot be noted is not written. Of the types ext/imagick writes texts alone. */
int howdah_hook_magick_text(int type, const char *key, const void *value, void *exception) {
  howdah_settings *settings = own(HOWDAH_USES_MAGICK);
  if (settings && !(key && value && howdah_magick_note(&settings->texts, key, value))) return 0;
  return howdah_real_magick_text(type, key, value, exception);
}
