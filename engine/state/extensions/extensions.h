/* The table of known extensions, and what is done about the others.
 *
 * A known extension was looked at: how it keeps what belongs to a request, and what showed that. Any other is judged by the
 * evidence (evidence.h): one that has memory which could be a request's and which it does not register is refused where
 * requests run at once. One that seems clean is served and watched (watch.h). A known one of a version that was not looked at
 * is said to be so, and watched. */
#ifndef HOWDAH_STATE_EXTENSIONS_H
#define HOWDAH_STATE_EXTENSIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* How a known extension keeps its state. */
typedef enum {
  HOWDAH_KEEPS_NOTHING,   /* in module globals, which it registers, or none */
  HOWDAH_KEEPS_HIDDEN,    /* in what hidden/ finds */
  HOWDAH_KEEPS_ALL_OF_IT, /* in globals that it does not register: all that it may write to is a state block */
  HOWDAH_KEEPS_LIBRARY, /* in a library that is not made for threads: all that the library may write to is a state block, too */
  HOWDAH_KEEPS_SETTINGS, /* in memory of the process: settings or tables that are the same for all */
} howdah_keeps;

typedef enum {
  HOWDAH_SHOWN_TESTED,  /* Howdah's tests use it */
  HOWDAH_SHOWN_AUDITED, /* its functions, or its own tests, ran under the audit */
  HOWDAH_SHOWN_LOADED,  /* it was loaded, and judged by the evidence */
  HOWDAH_SHOWN_READ,    /* its source was read */
} howdah_shown;

typedef struct {
  const char *name;         /* as in PHP's registry: in small letters */
  const char *from, *below; /* versions that were looked at; NULL: it comes with PHP, and has its version */
  howdah_keeps keeps;
  howdah_shown shown;
  const char *note;    /* NULL: nothing more to say */
  const char *library; /* HOWDAH_KEEPS_LIBRARY: how its file's name begins; otherwise NULL */
  /* HOWDAH_KEEPS_LIBRARY: has the library give back what realms would free one after the other, before the base image is taken.
   * Or NULL. `handle` is the extension's. 0, or -1 with a message. */
  int (*prepare)(void *handle, char *error, size_t error_size);
  /* The same: what a realm needs beyond a copy of the library's memory as it was then. Or NULL. As a block's (block.h). */
  void (*birth)(void *block);
  void (*death)(void *block);
  bool
      /* its memory, and its library's, which nobody else uses, change in calls of its functions and methods alone */
      only_in_calls;
} howdah_known_extension;

const howdah_known_extension *howdah_extensions_known(size_t *count);
/* By its name in small letters, or NULL. */
const howdah_known_extension *howdah_extension_known(const char *name);
/* Whether this version of it was looked at. */
bool howdah_extension_covers(const howdah_known_extension *known, const char *version);

typedef enum {
  HOWDAH_EXTENSION_KNOWN,
  HOWDAH_EXTENSION_OTHER_VERSION, /* watched */
  HOWDAH_EXTENSION_CLEAN,         /* unknown; watched */
  HOWDAH_EXTENSION_LISTED,        /* unknown; the user says that it may be shared */
  HOWDAH_EXTENSION_REFUSED        /* unknown, with memory that could be a request's */
} howdah_verdict;

typedef struct {
  char name[64], version[32], file[256];
  howdah_verdict verdict;
  const howdah_known_extension *known; /* NULL: unknown */
  char found[512];                     /* where the suspects are, or why it could not be examined; empty: nowhere */
} howdah_extension;

/* Judges the extensions that are loaded; listed: names of extensions that may be shared, one a line, or NULL. without_table: as
 * if none were known (a test's lever). After the block table is built. 0, or -1 with a message. */
int howdah_extensions_judge(const char *listed, bool without_table, char *error, size_t error_size);
const howdah_extension *howdah_extensions_all(size_t *count);
/* The first that is refused, or NULL. */
const howdah_extension *howdah_extensions_refused(void);
/* Why, and what can be done, in one line. */
void howdah_extensions_explain(const howdah_extension *extension, char *text, size_t size);
/* Adds those that are to be watched to the watch, and those that the user lists to what is shared. 0, or -1 with a message. */
int howdah_extensions_watch(char *error, size_t error_size);
/* JSON (README.md): a list. */
void howdah_extensions_write(FILE *to);
void howdah_extensions_free(void);

#endif
