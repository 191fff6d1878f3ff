/* Streams of pipes, for those who write to them: see pipe.c. */
#ifndef HOWDAH_HOOKS_PIPE_H
#define HOWDAH_HOOKS_PIPE_H

#include <stdbool.h>
#include <stdio.h>

/* Writes out what the stream has buffered, which fits into a pipe that is writable. False: errno says why not; when cancelled
 * it is forgotten. Parks. */
bool howdah_flush(FILE *stream);
/* In a forked child, where other threads are no more. */
void howdah_pipes_in_child(void);

#endif
