/* The text domains of a realm: textdomain(), bindtextdomain() and bind_textdomain_codeset() set the process's, and of several
 * applications or tenants each would read the others' translations. A realm that binds a domain gets its own folder back before
 * its code runs.
 *
 * Invariants:
 *  1. A realm that never names a domain has none of its own and costs nothing; nor does going between realms that bound the same.
 *  2. While no realm that binds a domain is in place, the domain is where the process had it. */
#ifndef HOWDAH_STATE_DOMAIN_H
#define HOWDAH_STATE_DOMAIN_H

#include <stddef.h>

typedef struct {
  char *domain;
  char *folder, *codeset;                 /* NULL: the process's; owned, as all of these */
  char *process_folder, *process_codeset; /* the codeset NULL: the locale's */
} howdah_binding;

typedef struct {
  char *current; /* textdomain(); NULL: the process's; owned */
  howdah_binding *bindings;
  size_t count;
} howdah_domains;

/* textdomain(3), bindtextdomain(3), bind_textdomain_codeset(3) for the realm in place. NULL with errno where memory is short. */
char *howdah_domain_choose(howdah_domains *domains, const char *domain);
char *howdah_domain_bind(howdah_domains *domains, const char *domain, const char *folder);
char *howdah_domain_encode(howdah_domains *domains, const char *domain, const char *codeset);
/* Classic mode, between two requests, with the realm in place: php-fpm's child would keep what its last request chose, which is
 * no request's business here. */
void howdah_domain_forget(howdah_domains *domains);
/* Going from one realm's (or NULL: none's) to another's (or NULL), the locale being the other's already. */
void howdah_domain_switch(const howdah_domains *from, const howdah_domains *to);
/* Not while they are in place. */
void howdah_domain_free(howdah_domains *domains);

#endif
