/* What descriptor numbers are, as far as hooks remember it, until they are closed. */
#ifndef HOWDAH_HOOKS_KINDS_H
#define HOWDAH_HOOKS_KINDS_H

#include <stdint.h>

typedef enum {
  HOWDAH_KIND_UNKNOWN,
  HOWDAH_KIND_SOCKET,
  HOWDAH_KIND_STREAM, /* read and written without waiting when asked so: pipes, some devices */
  HOWDAH_KIND_POLLED, /* asked with poll() first: terminals, timers */
  HOWDAH_KIND_FILE    /* never waits: disk files, folders */
} howdah_kind;

enum { HOWDAH_KINDS_MAX = 65536 };

/* By number. Unknown whenever the number may have become another file. Any thread closes one, so these are atomic. */
extern uint8_t howdah_kinds[HOWDAH_KINDS_MAX];

/* What is remembered of it, which may be nothing. A number that is none, or beyond the table, is unknown. */
static inline howdah_kind howdah_kind_known(int fd) {
  if (fd < 0 || fd >= HOWDAH_KINDS_MAX) return HOWDAH_KIND_UNKNOWN;
  return (howdah_kind)__atomic_load_n(&howdah_kinds[fd], __ATOMIC_RELAXED);
}

/* HOWDAH_KIND_UNKNOWN forgets it. */
static inline void howdah_kind_note(int fd, howdah_kind kind) {
  if (fd >= 0 && fd < HOWDAH_KINDS_MAX) __atomic_store_n(&howdah_kinds[fd], (uint8_t)kind, __ATOMIC_RELAXED);
}

#endif
