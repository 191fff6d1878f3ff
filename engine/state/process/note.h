/* What a realm had of what the process has once, noted to be compared with later: whether a request has changed it. */
#ifndef HOWDAH_STATE_NOTE_H
#define HOWDAH_STATE_NOTE_H

#include "process.h"

#include <stdbool.h>
#include <sys/types.h>

typedef struct {
  dev_t device;
  ino_t inode; /* of the working directory; 0: it could not be looked at */
  howdah_folder folder;
  howdah_umask umask;
  void *locale;
  char **entries; /* of its own environment, which are the same strings; NULL: it has none. Owned */
  size_t count;
  char *texts; /* what they said, each with a zero at its end: memory that is freed may be another string's. Owned */
  bool log_is_open;
  char *domain;
  size_t bindings;
  howdah_signals signals;
} howdah_process_note;

/* Of the realm in place, in its coroutine. False: no memory. */
bool howdah_process_note_take(howdah_process_note *note, const howdah_process_state *state);
/* The same place: what has changed since, in words; NULL: nothing but what the next one puts back. */
const char *howdah_process_note_misfit(howdah_process_note *note, const howdah_process_state *state);
/* What the realm then had the process's of is the process's again: locale, file-creation mask. */
void howdah_process_note_return(const howdah_process_note *note, howdah_process_state *state);
void howdah_process_note_free(howdah_process_note *note);

#endif
