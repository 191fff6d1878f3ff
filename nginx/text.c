/* Text that clients and scripts have chosen, as people and programs may read it.
 *
 * Control characters could make a terminal do things, and lines of their own that look like nginx's; what is not seen, or turns
 * the direction of what follows, makes a text look like another. Of all that one puts in, what is seen is that it was there. So
 * it is with bytes that are no UTF-8: a terminal of 8 bits obeys 0x80 to 0x9F, and one of UTF-8 may take the next character for
 * a part of them. */
#include "module.h"

/* Unicode's Default_Ignorable_Code_Point (15.0, DerivedCoreProperties.txt) without U+FE00 to U+FE0F, which choose how the
 * character before them is drawn; the controls, the ends of lines (U+2028, U+2029), what annotates (U+FFF9 to U+FFFB).
 * cli/src/VisibleText.php has the same. */
static const struct {
  uint32_t first, last;
} hidden[] = {{0x00, 0x1f},     {0x7f, 0x9f},     {0xad, 0xad},     {0x34f, 0x34f},     {0x61c, 0x61c},     {0x115f, 0x1160},
              {0x17b4, 0x17b5}, {0x180b, 0x180f}, {0x200b, 0x200f}, {0x2028, 0x202e},   {0x2060, 0x206f},   {0x3164, 0x3164},
              {0xfeff, 0xfeff}, {0xffa0, 0xffa0}, {0xfff0, 0xfffb}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff}};

static bool is_hidden(uint32_t character) {
  for (size_t i = 0; i < sizeof hidden / sizeof *hidden && character >= hidden[i].first; i++)
    if (character <= hidden[i].last) return true;
  return false;
}

/* How many bytes the character at this place has; 0: it is no UTF-8, or cut. ngx_utf8_decode() takes whatever is above 0x7F for
 * the bytes that follow, and so a control character for a part of another one. */
static size_t decode(const u_char *at, const u_char *end, uint32_t *character) {
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  *character = *at;
  if (*at < 0x80) return 1;
  size_t bytes = *at >= 0xf8 ? 0 : *at >= 0xf0 ? 4 : *at >= 0xe0 ? 3 : *at >= 0xc0 ? 2 : 0;
  if (bytes == 0 || (size_t)(end - at) < bytes) return 0;
  *character = *at & (0x7fU >> bytes);
  for (size_t i = 1; i < bytes; i++) {
    if ((at[i] & 0xc0) != 0x80) return 0;
    *character = *character << 6 | (at[i] & 0x3f);
  }
  bool is_surrogate = *character >= 0xd800 && *character <= 0xdfff; /* UTF-8 has none (RFC 3629, 3) */
  return *character < least[bytes] || *character > 0x10ffff || is_surrogate ? 0 : bytes;
}

size_t howdah_look_at_character(const u_char *at, const u_char *end, bool *is_visible) {
  uint32_t character;
  size_t bytes = decode(at, end, &character);
  *is_visible = bytes && !is_hidden(character);
  return bytes ? bytes : 1;
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
  bool is_visible;
  size_t bytes = howdah_look_at_character(at, end, &is_visible);
  for (size_t i = 0; i < bytes; i++)
    if (is_visible || *at == '\t')
      *(*to)++ = at[i];
    else
      *to = put_escaped(*to, at[i]);
  return bytes;
}

u_char *howdah_put_text(u_char *to, const u_char *room_end, const ngx_str_t *text) {
  const u_char *at = text->data, *end = text->data + text->len;
  while (at < end && room_end - to >= HOWDAH_CHARACTER_MOST)
    at += howdah_put_character(&to, at, end);
  return to;
}
