/* The text domains of a realm. See domain.h. */
#include "domain.h"

#include <langinfo.h>
#include <libintl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool same(const char *a, const char *b) {
  return a == b || (a && b && strcmp(a, b) == 0);
}

/* NULL stays NULL and is no failure. */
static bool copy_of(const char *text, char **copy) {
  *copy = text ? strdup(text) : NULL;
  return !text || *copy;
}

/* ---- The current domain ---- */

/* What every process begins with (gettext(3)). */
static const char *name_of(const howdah_domains *domains) {
  return domains && domains->current ? domains->current : "messages";
}

char *howdah_domain_choose(howdah_domains *domains, const char *domain) {
  if (!domain) return textdomain(NULL);
  char *copy = strdup(domain), *result = copy ? textdomain(domain) : NULL;
  if (!result) {
    free(copy);
    return NULL;
  }
  free(domains->current);
  domains->current = copy;
  return result;
}

/* ---- Where domains are ---- */

static const howdah_binding *find(const howdah_domains *domains, const char *domain) {
  for (size_t i = 0; domains && i < domains->count; i++)
    if (strcmp(domains->bindings[i].domain, domain) == 0) return &domains->bindings[i];
  return NULL;
}

static void free_binding(howdah_binding *binding) {
  free(binding->domain);
  free(binding->folder);
  free(binding->codeset);
  free(binding->process_folder);
  free(binding->process_codeset);
}

/* The realm's own binding, made where there is none: what libc says now is the process's then. NULL when memory is short. */
static howdah_binding *own(howdah_domains *domains, const char *domain) {
  howdah_binding *there = (howdah_binding *)find(domains, domain), made = {0};
  if (there) return there;
  howdah_binding *bindings = realloc(domains->bindings, (domains->count + 1) * sizeof(*bindings));
  if (!bindings) return NULL;
  domains->bindings = bindings;
  if (!copy_of(domain, &made.domain) || !copy_of(bindtextdomain(domain, NULL), &made.process_folder) ||
      !copy_of(bind_textdomain_codeset(domain, NULL), &made.process_codeset)) {
    free_binding(&made);
    return NULL;
  }
  bindings[domains->count] = made;
  return &bindings[domains->count++];
}

/* Keeps `now` in place of what a binding held, where libc has taken it. */
static char *keep(char *result, char **place, char *now) {
  if (!result) {
    free(now);
    return NULL;
  }
  free(*place);
  *place = now;
  return result;
}

char *howdah_domain_bind(howdah_domains *domains, const char *domain, const char *folder) {
  if (!domain || !*domain || !folder) return bindtextdomain(domain, folder);
  howdah_binding *binding = own(domains, domain);
  char *copy = binding ? strdup(folder) : NULL;
  return copy ? keep(bindtextdomain(domain, folder), &binding->folder, copy) : NULL;
}

char *howdah_domain_encode(howdah_domains *domains, const char *domain, const char *codeset) {
  if (!domain || !*domain || !codeset) return bind_textdomain_codeset(domain, codeset);
  howdah_binding *binding = own(domains, domain);
  char *copy = binding ? strdup(codeset) : NULL;
  return copy ? keep(bind_textdomain_codeset(domain, codeset), &binding->codeset, copy) : NULL;
}

/* What a realm reads, or would read without a binding of its own: `known` is anybody's binding of the same domain. A codeset
 * cannot be taken back once there was one: the locale's, which is what having none means. */
static const char *folder_for(const howdah_binding *binding, const howdah_binding *known) {
  return binding && binding->folder ? binding->folder : known->process_folder;
}

static const char *codeset_for(const howdah_binding *binding, const howdah_binding *known) {
  if (binding && binding->codeset) return binding->codeset;
  return known->process_codeset ? known->process_codeset : nl_langinfo(CODESET);
}

static void apply(const howdah_binding *before, const howdah_binding *after) {
  const howdah_binding *known = after ? after : before;
  const char *folder = folder_for(after, known), *codeset = codeset_for(after, known);
  const char *own_before = before ? before->codeset : NULL, *own_after = after ? after->codeset : NULL;
  /* Out of memory: the domain stays where it is. The other realm's translations are shown, and nothing else can be done here. */
  if (folder && !same(folder, folder_for(before, known))) bindtextdomain(known->domain, folder);
  if (!same(own_before, own_after)) bind_textdomain_codeset(known->domain, codeset);
}

void howdah_domain_switch(const howdah_domains *from, const howdah_domains *to) {
  for (size_t i = 0; from && i < from->count; i++)
    apply(&from->bindings[i], find(to, from->bindings[i].domain));
  for (size_t i = 0; to && i < to->count; i++)
    if (!find(from, to->bindings[i].domain)) apply(NULL, &to->bindings[i]);
  if (!same(name_of(from), name_of(to))) textdomain(name_of(to));
}

void howdah_domain_forget(howdah_domains *domains) {
  if (!domains->current && domains->count == 0) return;
  howdah_domain_switch(domains, NULL);
  howdah_domain_free(domains);
}

void howdah_domain_free(howdah_domains *domains) {
  for (size_t i = 0; i < domains->count; i++)
    free_binding(&domains->bindings[i]);
  free(domains->bindings);
  free(domains->current);
  *domains = (howdah_domains){0};
}
