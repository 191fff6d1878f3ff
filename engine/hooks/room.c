/* See room.h. */
#include "room.h"

#include <stdint.h>
#include <stdlib.h>

enum { FIRST_BYTES = 1024, ALIGNMENT = 16 };

bool howdah_room_make(howdah_room *room, const char *buffer, size_t size, size_t most) {
  *room = (howdah_room){.size = buffer ? size : FIRST_BYTES, .most = buffer ? 0 : most};
  if (room->size > SIZE_MAX - ALIGNMENT || !(room->memory = malloc(room->size + ALIGNMENT))) return false;
  room->buffer = room->memory + (uintptr_t)buffer % ALIGNMENT;
  return true;
}

bool howdah_room_grow(howdah_room *room) {
  char *more = room->size < room->most ? malloc(room->size * 2) : NULL;
  if (!more) return false;
  free(room->memory);
  room->memory = room->buffer = more;
  room->size *= 2;
  return true;
}

void howdah_room_free(howdah_room *room) {
  free(room->memory);
}
