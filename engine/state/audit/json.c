/* The little of JSON that reports need. See json.h. */
#include "json.h"

void howdah_json_text(FILE *to, const char *text) {
  fputc('"', to);
  for (const unsigned char *at = (const unsigned char *)text; *at; at++)
    if (*at == '"' || *at == '\\')
      fprintf(to, "\\%c", *at);
    else if (*at < 0x20 || *at > 0x7e)
      fprintf(to, "\\u%04x", *at);
    else
      fputc(*at, to);
  fputc('"', to);
}

void howdah_json_field(FILE *to, const char *name, const char *value, const char *end) {
  fprintf(to, "\"%s\": ", name);
  howdah_json_text(to, value ? value : "");
  fputs(end, to);
}
