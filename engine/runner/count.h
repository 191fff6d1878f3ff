/* What valgrind counts: only requests that are warm. */
#ifndef HOWDAH_RUNNER_COUNT_H
#define HOWDAH_RUNNER_COUNT_H

#include <stdbool.h>

/* Whether this program can ask valgrind for it; without it nothing would be counted. */
bool runner_can_count(void);

/* Callgrind, started with --instr-atstart=no, counts between the two; a line on stderr says each, for who reads --trace-syscalls. */
void runner_count_begins(void);
void runner_count_ends(void);

#endif
