/* Thread-local variables of libraries that follow the stack: see thread.c. */
#ifndef HOWDAH_STATE_THREAD_H
#define HOWDAH_STATE_THREAD_H

#include <stddef.h>

enum { HOWDAH_THREAD_WORDS_MAX = 16 };

typedef struct {
  size_t count; /* of those that were known when it was left */
  void *words[HOWDAH_THREAD_WORDS_MAX];
} howdah_thread_words;

/* Looks for those of libraries that were loaded since. On the loop's thread, or on the one that will fork it. */
void howdah_thread_find(void);
/* Puts the realm's own in place, and keeps those of the main stack; a realm that has none yet begins with the main stack's. */
void howdah_thread_enter(howdah_thread_words *own);
/* Takes them. */
void howdah_thread_leave(howdah_thread_words *own);

#endif
