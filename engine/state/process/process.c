/* Goes from one realm's to another's, or to the process's. See process.h. */
#include "process.h"

#include <errno.h>
#include <stddef.h>

static howdah_process_state *in_effect; /* whose is, of what the process has; NULL: the process's */
static howdah_process_state *of_php;    /* the same of what is only PHP's */
static bool folder_is_lent;

int howdah_process_state_start(void) {
  return howdah_folder_start();
}

static bool owns_more_than_a_folder(const howdah_process_state *state) {
  return state->umask.own || state->locale.own || state->environment.list || state->log.is_open;
}

static void put_in_effect(howdah_process_state *to) {
  howdah_process_state *from = in_effect;
  int saved = errno;
  howdah_folder_switch(from ? &from->folder : NULL, to ? &to->folder : NULL);
  howdah_umask_switch(to ? &to->umask : NULL);
  howdah_locale_switch(from ? &from->locale : NULL, to ? &to->locale : NULL);
  howdah_environment_switch(from ? &from->environment : NULL, to ? &to->environment : NULL);
  howdah_syslog_switch(from ? &from->log : NULL, to ? &to->log : NULL);
  in_effect = to;
  if (from) from->touched = from->folder.held || owns_more_than_a_folder(from);
  errno = saved;
}

static void give_to_php(howdah_process_state *to) {
  howdah_process_state *from = of_php;
  int saved = errno;
  howdah_domain_switch(from ? &from->domains : NULL, to ? &to->domains : NULL);
  howdah_browscap_switch(from ? from->browscap : NULL, to ? to->browscap : NULL);
  howdah_opcache_key_switch(from ? &from->opcache_key : NULL, to ? &to->opcache_key : NULL);
  of_php = to;
  errno = saved;
}

void howdah_process_state_enter(howdah_process_state *state) {
  if (in_effect != state) put_in_effect(state);
  if (of_php != state) give_to_php(state);
}

void howdah_process_state_leave(void) {
  if (!in_effect || !in_effect->touched) return;
  if (!folder_is_lent || owns_more_than_a_folder(in_effect)) put_in_effect(NULL);
}

void howdah_process_state_take_back(void) {
  if (in_effect && in_effect->touched) put_in_effect(NULL);
}

void howdah_process_state_lend_folder(bool lent) {
  folder_is_lent = lent;
  if (!lent) howdah_process_state_take_back();
}

void howdah_process_state_free(howdah_process_state *state) {
  if (in_effect == state) put_in_effect(NULL);
  if (of_php == state) give_to_php(NULL);
  howdah_folder_free(&state->folder);
  howdah_locale_free(&state->locale);
  howdah_domain_free(&state->domains);
  howdah_environment_free(&state->environment);
  howdah_syslog_free(&state->log);
  howdah_browscap_free(&state->browscap);
  howdah_opcache_key_free(&state->opcache_key);
  state->umask = (howdah_umask){0};
}
