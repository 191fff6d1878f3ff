/* What descriptor numbers are, as far as hooks remember it, until they are closed. */
#ifndef HOWDAH_HOOKS_CLOSE_H
#define HOWDAH_HOOKS_CLOSE_H

#include <stdint.h>

typedef enum {
  HOWDAH_KIND_UNKNOWN,
  HOWDAH_KIND_SOCKET,
  HOWDAH_KIND_STREAM, /* read and written without waiting when asked so: pipes, some devices */
  HOWDAH_KIND_POLLED, /* asked with poll() first: terminals, timers */
  HOWDAH_KIND_FILE    /* never waits: disk files, folders */
} howdah_kind;

enum { HOWDAH_KINDS_MAX = 65536 };

/* By number. Unknown whenever the number may have become another file. Any thread closes one: to be read and written by atomic operations. */
extern uint8_t howdah_kinds[HOWDAH_KINDS_MAX];

#endif
