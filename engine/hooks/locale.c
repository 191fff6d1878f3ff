/* setlocale and textdomain: each realm has its own (engine/state/locale.h). Kind: note. */
#include "families.h"

#include "../coroutine/coroutine.h"
#include "hook.h"

char *(*howdah_real_setlocale)(int, const char *);
char *(*howdah_real_textdomain)(const char *);

char *howdah_hook_setlocale(int category, const char *name) {
  if (!howdah_hooks_in_realm()) return howdah_real_setlocale(category, name);
  return (char *)howdah_locale_set(&howdah_coroutine_current()->state->process.locale, category, name);
}

char *howdah_hook_textdomain(const char *domain) {
  if (!howdah_hooks_in_realm()) return howdah_real_textdomain(domain);
  return howdah_locale_domain(&howdah_coroutine_current()->state->process.locale, domain, howdah_real_textdomain);
}
