/* What `howdah top` reads: memory that the master and its workers share, and that who may open the master's descriptors can
 * open: its owner and root. cli/src/Top/Window.php knows this layout; a change of it needs another magic. Numbers are of 8
 * bytes, as the machine has them.
 *
 * Invariants:
 *  1. A reader writes `asked` alone, and nothing that it writes can make a worker do more than look.
 *  2. An area has one writer, its worker. A text is whole, and UTF-8, where its turn was even before it was copied and is the
 *     same after that: readers look again until it is. It has no length where nothing was told.
 *  3. What a worker that has requests has told holds where it has answered. Where it has not: `held` does if it was told since
 *     the worker is deaf, and `all` if it was told at most `recent_us` before that; of those that it told of earlier, some may
 *     have ended.
 *  4. While nobody asks, nothing is written but two words for each callback of the loop. A worker that has requests looks each
 *     LOOK_MS whether somebody does. */
#ifndef HOWDAH_NGINX_TOP_H
#define HOWDAH_NGINX_TOP_H

#include "module.h"

#include <stdatomic.h>

enum { HOWDAH_TOP_HEAD_BYTES = 4096, HOWDAH_TOP_AREA_BYTES = 4 * 1024 * 1024, HOWDAH_TOP_HELD_BYTES = 16 * 1024 };

#define HOWDAH_TOP_NAME  "howdah-top"
#define HOWDAH_TOP_MAGIC "howdah02"

typedef _Atomic uint64_t howdah_word;

typedef struct {
  howdah_word turn, len, told_us; /* CLOCK_MONOTONIC */
} howdah_top_text;

typedef struct {
  howdah_word owner;    /* the worker's process; 0: nobody's */
  howdah_word active;   /* requests that it has */
  howdah_word deaf_us;  /* it runs PHP since then; 0: it does not */
  howdah_word answered; /* the value of `asked` that its text answers */
  howdah_top_text all;  /* its requests: {"requests":[...],"more":N,"brief":N}; brief: of so many the stack is left out */
  howdah_top_text held; /* the one that runs, while C code holds the worker: {...} */
} howdah_top_area_head;
_Static_assert(offsetof(howdah_top_area_head, all) == 32 && offsetof(howdah_top_area_head, held) == 56,
               "Window.php knows the layout");

typedef struct {
  char magic[8];
  howdah_word asked;
  uint64_t count, area_bytes, held_at, text_at; /* of areas; the places of their texts in each */
  uint64_t recent_us;
} howdah_top_head;

/* In a worker. NULL: there is none, the log has said why. */
howdah_top_head *howdah_top_memory(void);
howdah_top_area_head *howdah_top_area(uint64_t number);
/* Whether a worker that lives has it. */
bool howdah_top_is_there(howdah_top_area_head *area);

#endif
