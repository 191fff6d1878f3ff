/* setlocale, and gettext's domains: each realm has its own (engine/state/process/locale.h, domain.h). Kind: note.
 *
 * bindtextdomain is PHP's only: a library (libpq) says once for all its callers where its own messages are. */
#include "hooked.h"

#include "../coroutine/coroutine.h"
#include "caller.h"

char *howdah_hook_setlocale(int category, const char *name) {
  howdah_process_state *state = howdah_hooks_process_state();
  return state ? (char *)howdah_locale_set(&state->locale, category, name) : howdah_real_setlocale(category, name);
}

char *howdah_hook_textdomain(const char *domain) {
  howdah_process_state *state = howdah_hooks_process_state();
  return state ? howdah_domain_choose(&state->domains, domain) : howdah_real_textdomain(domain);
}

char *howdah_hook_bindtextdomain(const char *domain, const char *folder) {
  howdah_process_state *state = howdah_hooks_process_state();
  return state ? howdah_domain_bind(&state->domains, domain, folder) : howdah_real_bindtextdomain(domain, folder);
}

char *howdah_hook_bind_textdomain_codeset(const char *domain, const char *codeset) {
  howdah_process_state *state = howdah_hooks_process_state();
  return state ? howdah_domain_encode(&state->domains, domain, codeset) : howdah_real_bind_textdomain_codeset(domain, codeset);
}
