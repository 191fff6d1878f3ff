/* The audit: which memory of PHP, its extensions and their libraries changes while requests run, and lies in no state block.
 *
 * Started in the process that starts PHP, it copies the writable memory of all those objects (objects.h). Whenever a realm is
 * left (always at the end of a request, birth and boot; in the middle as often as costs at most half of the time, because what
 * a request resets at its end hides from a look at its end), each word that changed outside of the state blocks is noted, with
 * the first request that was seen to change it. What is shared on purpose (shared.h) is told apart.
 *
 * The notes are in memory that the workers of a server share, so any of them can write the report of all.
 *
 * A look compares some megabytes. Off, the audit costs one test of a pointer each time that a realm is left. */
#ifndef HOWDAH_STATE_AUDIT_H
#define HOWDAH_STATE_AUDIT_H

#include "shared.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef enum {
  HOWDAH_AUDIT_BIRTH,
  HOWDAH_AUDIT_BOOT,
  HOWDAH_AUDIT_MIDDLE,
  HOWDAH_AUDIT_END,
  HOWDAH_AUDIT_STOP
} howdah_audit_moment;

/* Words that lie together and have all in common. */
typedef struct {
  const howdah_reason *why; /* NULL: nothing explains it */
  char object[64];
  char path[256];
  char extension[64]; /* whose object it is; empty for libphp's and libraries */
  bool of_thread;     /* among its thread-local variables */
  uintptr_t offset;   /* in the object, as its file counts addresses */
  size_t words;
  uint32_t seen;     /* looks that found the first of them changed since the look before */
  const char *place; /* "counter (.bss+0x10)" */
  const char *symbol, *section;
  size_t in_section;
  const char *request, *script; /* "GET /path"; the first that was seen to change it */
  howdah_audit_moment moment;
} howdah_finding;

/* After PHP's start and all that Howdah changes itself; report is where howdah_audit_save() writes, "" for nowhere. 0, or -1
 * with a message. */
int howdah_audit_start(const char *report, char *error, size_t error_size);
bool howdah_audit_is_on(void);
/* Whether a look in the middle of a request is due: when at least as much time has passed as the last one took. */
bool howdah_audit_is_due(void);
/* Compares. request ("GET /path") and script say whose realm was left; both may be empty, and are copied. */
void howdah_audit_look(howdah_audit_moment moment, const char *request, const char *script);
/* Something was found since the report was written. */
bool howdah_audit_is_dirty(void);
/* Writes the report (README.md: JSON): into a new file that takes the old one's place; where the folder cannot be written to (a
 * worker that is not root), into the file itself. 0, or -1 with a message. */
int howdah_audit_save(char *error, size_t error_size);
/* For people. */
void howdah_audit_print(FILE *to);
/* Words that nothing explains. */
size_t howdah_audit_unexplained(void);
void howdah_audit_stop(void);

/* For the report (report.c). */
typedef struct {
  uint64_t middle, ends; /* looks */
  size_t unexplained, shared;
  size_t lost; /* words for which there was no room */
  size_t bytes;
} howdah_audit_totals;

void howdah_audit_get_totals(howdah_audit_totals *totals);
/* Sorted: what nothing explains first. NULL when there are none or memory is short (*count tells); howdah_findings_free(). */
howdah_finding *howdah_audit_findings(size_t *count);
void howdah_findings_free(howdah_finding *findings, size_t count);
/* The name of each object that was compared, and its bytes; false after the last. */
bool howdah_audit_object(size_t index, const char **name, size_t *bytes);
int howdah_audit_write(FILE *to);

#endif
