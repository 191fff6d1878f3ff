/* Text that clients and scripts have chosen, as people and programs may read it.
 *
 * Control characters could make a terminal do things, and lines of their own that look like nginx's: of those that one puts in,
 * what is seen is that they were there. U+0080 to U+009F are obeyed as well: in UTF-8, and by terminals of 8 bits as single
 * bytes. Such a byte within another character stays: it is what most of the world writes with. */
#include "module.h"

/* Of the character at this place; 0: it is no UTF-8, or cut. */
static size_t character_bytes(const u_char *at, const u_char *end) {
  if (*at < 0x80) return 1;
  u_char *next = (u_char *)at;
  return ngx_utf8_decode(&next, (size_t)(end - at)) > 0x10ffff ? 0 : (size_t)(next - at);
}

static bool is_control(const u_char *at, size_t bytes) {
  if (bytes == 0) return *at <= 0x9f;
  if (bytes == 1) return *at < ' ' || *at == 0x7f;
  return at[0] == 0xc2 && at[1] <= 0x9f;
}

static u_char *put_escaped(u_char *to, u_char byte) {
  static const u_char digits[] = "0123456789ABCDEF";
  *to++ = '\\';
  *to++ = 'x';
  *to++ = digits[byte >> 4];
  *to++ = digits[byte & 15];
  return to;
}

size_t howdah_put_character(u_char **to, const u_char *at, const u_char *end) {
  size_t bytes = character_bytes(at, end);
  bool escapes = *at != '\t' && is_control(at, bytes);
  if (bytes == 0) bytes = 1;
  for (size_t i = 0; i < bytes; i++)
    if (escapes)
      *to = put_escaped(*to, at[i]);
    else
      *(*to)++ = at[i];
  return bytes;
}

u_char *howdah_put_text(u_char *to, const u_char *room_end, const ngx_str_t *text) {
  const u_char *at = text->data, *end = text->data + text->len;
  while (at < end && room_end - to >= HOWDAH_CHARACTER_MOST)
    at += howdah_put_character(&to, at, end);
  return to;
}
