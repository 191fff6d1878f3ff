/* A realm's private state: one image of all blocks, one heap, its own tables. Knows nothing of requests.
 *
 * Invariants:
 *  1. At any time the bytes of exactly one state (or of the base image) are in place: howdah_state_in_place().
 *  2. A state's image is true only while another state is in place.
 *  3. Zend's current heap is the state's own between enter and leave, and the process's first heap otherwise: nothing outside a
 *     realm may emalloc on a realm's heap. */
#ifndef HOWDAH_STATE_STATE_H
#define HOWDAH_STATE_STATE_H

#include "libraries/settings.h"
#include "openssl.h"
#include "process/process.h"
#include "thread.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
  char *image;
  void *heap;                       /* zend_mm_heap */
  char *pages;                      /* base pages; NULL: none */
  bool closed;                      /* howdah_state_close() */
  struct howdah_snapshot *snapshot; /* its taker's (snapshot.h); NULL: it is not put back */
  /* Each switch looks at the beginnings of these: what is rarely used is at their ends. */
  howdah_settings settings;
  howdah_process_state process;
  howdah_openssl_errors openssl;
  howdah_thread_words thread;
} howdah_state;

/* Once per process, after PHP's module startup: the table of blocks and the base image. 0, or -1 with a message. */
int howdah_state_start(const char *without_block, char *error, size_t error_size);
/* Once per process, after the hooks were installed and before workers are forked: what realms share until they write to it. */
void howdah_state_share(void);
/* Makes a state and enters it. 0, or -1 with a message: then nothing is left of it. */
int howdah_state_birth(howdah_state *state, char *error, size_t error_size);
/* Puts the state's bytes in place (nothing is copied when they are) and sets its heap. */
void howdah_state_enter(howdah_state *state);
/* Sets the process's heap. The bytes stay in place. */
void howdah_state_leave(void);
/* Called whenever a state is left, with its bytes and its heap in place, and what the process and libraries have put back;
 * NULL: nothing. For the audit. */
void howdah_state_on_leave(void (*look)(const howdah_state *state));
/* The ends of the extensions, after the last request shutdown of the state in place: persistent connections, then what
 * destructors of module globals end. They talk to servers, so this belongs into the realm's coroutine. May park. */
void howdah_state_close(howdah_state *state);
/* Ends a state that was entered, closing it where it is not: everything is freed, the base image is in place. */
void howdah_state_death(howdah_state *state);
const howdah_state *howdah_state_in_place(void);
/* Where the state's own bytes of this address of a state block are now: there, or in its image. May be called in a signal
 * handler. */
const void *howdah_state_find(const howdah_state *state, const void *address);
/* How often another state had to be copied in. */
uint64_t howdah_state_loads(void);
/* Puts the base image in place and frees the table: for the end of the process. */
void howdah_state_stop(void);

#endif
