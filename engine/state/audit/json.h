/* The little of JSON that reports need. */
#ifndef HOWDAH_STATE_JSON_H
#define HOWDAH_STATE_JSON_H

#include <stdio.h>

/* A string in quotes, in ASCII: bytes above 0x7f are written as Latin-1, as a request's URI may hold any. */
void howdah_json_text(FILE *to, const char *text);
/* "name": "value" and what follows it; a NULL value is an empty one. */
void howdah_json_field(FILE *to, const char *name, const char *value, const char *end);

#endif
