/* Memory that is freed later. See retired.h. */
#include "retired.h"

#include <stdlib.h>
#include <sys/single_threaded.h>
#include <time.h>

typedef struct retired retired;
struct retired {
  void *memory;
  time_t since_s;
  retired *next;
};

static retired *first, *last;

static time_t now_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return now.tv_sec;
}

static void free_old(time_t now) {
  while (first && now - first->since_s > HOWDAH_RETIRED_SECONDS) {
    retired *old = first;
    first = old->next;
    free(old->memory);
    free(old);
  }
  if (!first) last = NULL;
}

void howdah_retire(void *memory) {
  if (!memory) return;
  if (__libc_single_threaded) {
    free(memory);
    return;
  }
  time_t now = now_s();
  free_old(now);
  retired *self = malloc(sizeof(*self));
  if (!self) return; /* lost, and not read by anybody who must not */
  *self = (retired){.memory = memory, .since_s = now};
  if (last)
    last->next = self;
  else
    first = self;
  last = self;
}
