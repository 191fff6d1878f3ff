/* See note.h. */
#include "note.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static size_t count_of(char *const *list) {
  size_t count = 0;
  while (list && list[count])
    count++;
  return count;
}

bool howdah_process_note_take(howdah_process_note *note, const howdah_process_state *state) {
  struct stat status;
  bool found = stat(".", &status) == 0;
  *note = (howdah_process_note){.device = found ? status.st_dev : 0,
                                .inode = found ? status.st_ino : 0,
                                .folder = state->folder,
                                .umask = state->umask,
                                .locale = state->locale.own,
                                .count = count_of(state->environment.list),
                                .log_is_open = state->log.is_open,
                                .domain = state->domains.current,
                                .bindings = state->domains.count,
                                .signals = state->signals};
  if (!state->environment.list) return true;
  note->entries = malloc((note->count + 1) * sizeof(*note->entries));
  if (!note->entries) return false;
  memcpy(note->entries, state->environment.list, note->count * sizeof(*note->entries));
  size_t bytes = 1;
  for (size_t i = 0; i < note->count; i++)
    bytes += strlen(note->entries[i]) + 1;
  char *to = note->texts = malloc(bytes);
  for (size_t i = 0; i < note->count && to; i++)
    to = stpcpy(to, note->entries[i]) + 1;
  return to != NULL;
}

/* One that was left meanwhile has its folder held (folder.c). One that was not says only that it has moved, to wherever: twice the
 * same, then, tells nothing. */
static bool is_elsewhere(howdah_process_note *note, const howdah_process_state *state) {
  struct stat status;
  const bool is_known = !state->folder.moved && !note->folder.moved;
  if (is_known && state->folder.held == note->folder.held) return false;
  if (!note->inode || stat(".", &status) < 0) return true;
  if (status.st_dev != note->device || status.st_ino != note->inode) return true;
  note->folder = state->folder; /* the same, said otherwise */
  return false;
}

static bool has_other_environment(const howdah_process_note *note, const howdah_process_state *state) {
  char *const *list = state->environment.list;
  if (!list || !note->entries) return list || note->entries;
  if (count_of(list) != note->count || memcmp(list, note->entries, note->count * sizeof(*list)) != 0) return true;
  const char *text = note->texts;
  for (size_t i = 0; i < note->count; i++, text += strlen(text) + 1)
    if (strcmp(list[i], text) != 0) return true;
  return false;
}

static void return_locale(const howdah_process_note *note, howdah_process_state *state) {
  if (note->locale || !state->locale.own) return;
  howdah_locale none = {0};
  howdah_locale_switch(&state->locale, &none);
  howdah_locale_free(&state->locale);
}

static void return_umask(const howdah_process_note *note, howdah_process_state *state) {
  if (note->umask.own || !state->umask.own) return;
  state->umask = note->umask;
  howdah_umask_switch(&state->umask);
}

void howdah_process_note_return(const howdah_process_note *note, howdah_process_state *state) {
  return_locale(note, state);
  return_umask(note, state);
}

const char *howdah_process_note_misfit(howdah_process_note *note, const howdah_process_state *state) {
  if (is_elsewhere(note, state)) return "the working directory";
  if (note->umask.own && (!state->umask.own || state->umask.mask != note->umask.mask))
    return "the file-creation mask, which the boot had set";
  if (note->locale && state->locale.own != note->locale) return "the locale, which the boot had set";
  if (has_other_environment(note, state)) return "the environment (putenv())";
  if (state->log.is_open != note->log_is_open) return "the system log's name (openlog())";
  if (state->domains.current != note->domain || state->domains.count != note->bindings) return "gettext's text domains";
  if (state->signals.own != note->signals.own || state->signals.mask != note->signals.mask) return "the signal mask";
  return NULL;
}

void howdah_process_note_free(howdah_process_note *note) {
  free(note->entries);
  free(note->texts);
  note->entries = NULL;
  note->texts = NULL;
}
