/* The writable memory of loaded libraries, to be copied and compared: for the finder of hidden statics and for the audit.
 *
 * A segment is a part of one writable PT_LOAD of an ELF object that stays writable: without what the linker protects after
 * relocation (PT_GNU_RELRO), which holds constants and no state, and without the slots for calls of other objects' functions.
 * In an object that was linked without -z now the linker writes those at each function's first call, and hooks replace them
 * (../hooks/install.c): both for the process, whichever realm is in place. Or it is the object's block of thread-local
 * variables of the thread that asks. */
#ifndef HOWDAH_STATE_SEGMENTS_H
#define HOWDAH_STATE_SEGMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
  char object[64]; /* "libphp8.2.so" */
  char *path;      /* of its file, as the linker knows it; owned */
  uintptr_t base;  /* what the linker added to the file's addresses */
  bool of_thread;  /* its thread-local variables, of the thread that asked: realms of a process run on one */
  char *start;
  size_t size;
  char *copy; /* as it was at howdah_segments_copy(); NULL before */
} howdah_segment;

typedef struct {
  howdah_segment *items;
  size_t count;
} howdah_segments;

/* Adds the writable segments of the loaded object that holds this address (code or data); nothing when they are there already.
 * 0, or -1 with a message. Starts from a zeroed howdah_segments. */
int howdah_segments_add(howdah_segments *segments, const void *inside, char *error, size_t error_size);
/* The same for each loaded object whose file's name begins so; none may be. */
int howdah_segments_add_named(howdah_segments *segments, const char *name, char *error, size_t error_size);
/* Remembers what the memory holds now, in place of what was remembered before. 0, or -1 with a message. */
int howdah_segments_copy(howdah_segments *segments, char *error, size_t error_size);
/* Calls changed() for each aligned word of eight bytes that differs from the copy, in the order of memory. */
void howdah_segments_compare(const howdah_segments *segments,
                             void (*changed)(const howdah_segment *segment, const void *now, const void *before, void *data),
                             void *data);
/* The segment that holds this address, or NULL. */
const howdah_segment *howdah_segments_find(const howdah_segments *segments, const void *address);
void howdah_segments_free(howdah_segments *segments);

#endif
