/* What `howdah top` reads: memory that the master and its workers share, and that who may open the master's descriptors can
 * open: its owner and root. cli/src/Top/Window.php knows this layout; a change of it needs another magic. Numbers are of 8
 * bytes, as the machine has them.
 *
 * Invariants:
 *  1. A reader writes `asked`, and orders to end requests, one reader at a time (flock(2) of this memory's file). Nothing that it
 *     writes can make a worker do more than look, and end requests of its own.
 *  2. An area has one writer, its worker. A text is whole, and UTF-8, where its turn was even before it was copied and is the
 *     same after that: readers look again until it is. It has no length where nothing was told.
 *  3. What a worker that has requests has told holds where it has answered. Where it has not: `held` does if it was told since
 *     the worker is deaf, and `all` if it was told at most `recent_us` before that; of those that it told of earlier, some may
 *     have ended.
 *  4. A number is no other request's of this nginx: a worker goes on from the highest one that any worker has given. So an order
 *     ends nothing where its request has gone, also when another worker has the process's number, or the area, by then.
 *  5. While nobody asks, nothing is written but two words for each callback of the loop. A worker that has requests looks each
 *     LOOK_MS whether somebody does. */
#ifndef HOWDAH_NGINX_TOP_H
#define HOWDAH_NGINX_TOP_H

#include "module.h"
#include "writer.h"

#include <stdatomic.h>

enum {
  HOWDAH_TOP_HEAD_BYTES = 4096,
  HOWDAH_TOP_AREA_BYTES = 4 * 1024 * 1024,
  HOWDAH_TOP_HELD_BYTES = 16 * 1024,
  HOWDAH_TOP_ORDERS = 16
};

#define HOWDAH_TOP_NAME  "howdah-top"
#define HOWDAH_TOP_MAGIC "howdah03"

typedef _Atomic uint64_t howdah_word;

typedef struct {
  howdah_word turn, len, told_us; /* CLOCK_MONOTONIC */
} howdah_top_text;

typedef struct {
  howdah_word owner;       /* the worker's process; 0: nobody's */
  howdah_word active;      /* requests that it has */
  howdah_word deaf_us;     /* it runs PHP since then; 0: it does not */
  howdah_word answered;    /* the value of `asked` that its text answers */
  howdah_top_text all;     /* its requests: {"requests":[...],"more":N,"brief":N}; brief: of so many the stack is left out */
  howdah_top_text held;    /* the one that runs, while C code holds the worker: {...} */
  howdah_word last_number; /* of its requests */
  /* Requests that are to end: so many orders so far, by readers, and so many of them obeyed, by the worker. Each has a place that
   * the next but HOWDAH_TOP_ORDERS takes: the request's number, and what became of it. */
  howdah_word ordered, obeyed;
  howdah_word orders[HOWDAH_TOP_ORDERS], results[HOWDAH_TOP_ORDERS];
} howdah_top_area_head;
_Static_assert(offsetof(howdah_top_area_head, all) == 32 && offsetof(howdah_top_area_head, held) == 56 &&
                   offsetof(howdah_top_area_head, ordered) == 88 && offsetof(howdah_top_area_head, orders) == 104 &&
                   offsetof(howdah_top_area_head, results) == 232 && sizeof(howdah_top_area_head) == 360,
               "Window.php knows the layout");

/* cli/src/Top/Ending.php has them, too. */
typedef enum { HOWDAH_TOP_TOLD = 1, HOWDAH_TOP_ENDS_ALREADY, HOWDAH_TOP_GONE } howdah_top_result;

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

/* Without its backtrace; with it; also with what costs more: who holds the lock that it waits for, where it has waited. */
typedef enum { HOWDAH_TOP_BRIEF, HOWDAH_TOP_STACK, HOWDAH_TOP_WHOLE } howdah_top_detail;
/* Writes what a request does. in_c: it is in C code that holds the worker; in a signal handler then, and not whole. */
void howdah_top_tell(howdah_json *to, const howdah_exchange *exchange, bool in_c, howdah_top_detail detail);
/* Ends the requests of this worker that readers have ordered to end. On the main stack, not in the midst of a request. */
void howdah_top_obey(howdah_top_area_head *mine, const howdah_main_conf *conf);

#endif
