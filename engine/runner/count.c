/* See count.h. */
#include "count.h"

#include <unistd.h>

#if defined(__has_include) && __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#define CAN_COUNT 1
#endif

/* One write() each: valgrind's own lines are on the same stream. */
static void tell(const char *line, size_t len) {
  if (write(STDERR_FILENO, line, len) < 0) return; /* there is nowhere to say it, and who reads it misses it */
}

#define TELL(line) tell(line, sizeof(line) - 1)

bool runner_can_count(void) {
#ifdef CAN_COUNT
  return true;
#else
  return false;
#endif
}

void runner_count_begins(void) {
  TELL("howdah-run: the count begins\n");
#ifdef CAN_COUNT
  CALLGRIND_START_INSTRUMENTATION;
#endif
}

void runner_count_ends(void) {
#ifdef CAN_COUNT
  CALLGRIND_STOP_INSTRUMENTATION;
#endif
  TELL("howdah-run: the count ends\n");
}
