/* What the audit has found: notes in memory that the workers of a server share, written without locks, so that one that dies
 * holds none. */
#ifndef HOWDAH_STATE_AUDIT_NOTES_H
#define HOWDAH_STATE_AUDIT_NOTES_H

#include "audit.h"

#include <stdatomic.h>

enum {
  HOWDAH_AUDIT_WORD = 8, /* bytes */
  HOWDAH_AUDIT_WORDS_MAX = 1 << 16,
  HOWDAH_AUDIT_OBJECTS_MAX = 512,
  HOWDAH_AUDIT_LABELS_MAX = 4096
};

typedef struct {
  _Atomic uint64_t key; /* (object + 1) << 40 | offset; 0: free */
  _Atomic(const howdah_reason *) why;
  atomic_uint seen;
  _Atomic uint16_t first; /* a howdah_label + 1; 0: not yet written */
  atomic_bool unexplained;
} howdah_word_note;

typedef struct {
  char request[192], script[192];
  howdah_audit_moment moment;
  atomic_bool written;
} howdah_label;

typedef struct {
  char name[64], path[256], extension[64];
  size_t bytes;
  bool of_thread;
  atomic_int state; /* 0 free, 1 being written, 2 written */
} howdah_object_note;

typedef struct {
  howdah_word_note words[HOWDAH_AUDIT_WORDS_MAX];
  howdah_object_note objects[HOWDAH_AUDIT_OBJECTS_MAX];
  howdah_label labels[HOWDAH_AUDIT_LABELS_MAX];
  atomic_uint labels_count;
  atomic_ullong middle, ends, lost;
  atomic_ullong changes; /* words noted for the first time */
  atomic_ullong saved;   /* of them, those that the report has */
} howdah_notes;

/* NULL: the audit is off. */
extern howdah_notes *howdah_audit_notes;

/* Before the workers are forked. 0, or -1 with errno. */
int howdah_notes_start(void);
void howdah_notes_stop(void);
/* The same number for the same object in every worker. HOWDAH_AUDIT_OBJECTS_MAX when there is no room. */
unsigned howdah_notes_object(const howdah_segment *segment);
/* The note of this word, which may be a new one; NULL when there is no room. */
howdah_word_note *howdah_notes_word(uint64_t key);
/* When something was seen: its number + 1. */
uint16_t howdah_notes_label(howdah_audit_moment moment, const char *request, const char *script);
/* NULL: nothing explains the word. */
const howdah_reason *howdah_notes_why(const howdah_word_note *note);

#endif
