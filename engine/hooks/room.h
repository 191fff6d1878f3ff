/* Memory for what libc's look-ups find: their records point into a buffer that the caller brings (nss.c, host.c). */
#ifndef HOWDAH_HOOKS_ROOM_H
#define HOWDAH_HOOKS_ROOM_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
  char *memory;
  char *buffer; /* lies in memory as the caller's lies in its page: libc aligns what it puts there */
  size_t size;  /* of the buffer */
  size_t most;  /* to which it grows; 0: it is as large as the caller's */
} howdah_room;

/* As large as the caller's buffer, or, where that is NULL, some that grows up to so many bytes. false: memory is short. */
bool howdah_room_make(howdah_room *room, const char *buffer, size_t size, size_t most);
/* Twice as large, what it holds is lost. false: it does not grow any more, or memory is short; it is as it was. On any thread. */
bool howdah_room_grow(howdah_room *room);
void howdah_room_free(howdah_room *room);

#endif
