/* Memory that other threads may still read: it is freed later. */
#ifndef HOWDAH_STATE_RETIRED_H
#define HOWDAH_STATE_RETIRED_H

enum { HOWDAH_RETIRED_SECONDS = 10 };

/* Frees memory of malloc(3)'s, which nobody finds any more, but which another thread may have found a moment ago: at once where
 * the process has no other thread, else with a later call, 10 s from now or more. What it is for is read within microseconds.
 * NULL is nothing. On the loop's thread. */
void howdah_retire(void *memory);

#endif
