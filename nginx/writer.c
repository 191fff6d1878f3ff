/* JSON, in memory of a fixed size. See writer.h. */
#include "writer.h"

void howdah_json_put(howdah_json *json, const char *text, size_t len) {
  if (json->full || len > json->size - json->len) {
    json->full = true;
    return;
  }
  ngx_memcpy(json->text + json->len, text, len);
  json->len += len;
}

void howdah_json_add(howdah_json *json, const char *format, ...) {
  u_char text[256];
  va_list arguments;
  va_start(arguments, format);
  u_char *end = ngx_vslprintf(text, text + sizeof text, format, arguments);
  va_end(arguments);
  howdah_json_put(json, (const char *)text, (size_t)(end - text));
}

/* JSON is UTF-8: what a client has sent, or a script is called, need not be. */
void howdah_json_add_characters(howdah_json *json, const u_char *text, size_t len, size_t most) {
  static const char unknown[] = "\xef\xbf\xbd"; /* U+FFFD */
  const u_char *end = text + ngx_min(len, most);
  while (text < end) {
    bool is_visible;
    size_t bytes = howdah_look_at_character(text, end, &is_visible);
    if (*text == '"' || *text == '\\') howdah_json_put(json, "\\", 1);
    if (*text < 0x20)
      howdah_json_add(json, "\\u%04xd", (unsigned)*text);
    else if (bytes == 1 && *text >= 0x80)
      howdah_json_put(json, unknown, sizeof(unknown) - 1);
    else
      howdah_json_put(json, (const char *)text, bytes);
    text += bytes;
  }
}

void howdah_json_add_string(howdah_json *json, const u_char *text, size_t len, size_t most) {
  howdah_json_put(json, "\"", 1);
  howdah_json_add_characters(json, text, len, most);
  howdah_json_put(json, "\"", 1);
}
