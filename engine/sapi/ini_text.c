/* Settings given one by one, as text that PHP's parser of php.ini takes.
 *
 * A value with an apostrophe, a bracket or an exclamation mark is an error of syntax there, and what comes behind it is lost:
 * other settings of the same server, and Howdah's own. So a value is quoted, as `php -d` does (sapi/cli/php_cli.c, 8.2, which
 * looks at its first character only), unless the parser must see what is in it: numbers, words (On, null, a constant),
 * constants that are added up (E_ALL & ~E_NOTICE), and what has quotes already. */
#include "ini_text.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A line each, and every character may become two. */
enum { QUOTES_AND_NEWLINE = 3 };

static bool consists_of(const char *text, size_t size, const char *characters) {
  for (size_t i = 0; i < size; i++)
    if (!strchr(characters, text[i])) return false;
  return true;
}

static bool is_quoted(const char *value, size_t size) {
  char quote = value[0];
  if (size < 2 || (quote != '"' && quote != '\'') || value[size - 1] != quote) return false;
  for (size_t i = 1; i < size - 1; i++) {
    if (quote == '"' && value[i] == '\\') {
      if (++i == size - 1) return false; /* it takes the last quote */
    } else if (value[i] == quote) {
      return false;
    }
  }
  return true;
}

#define DIGITS  "0123456789"
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

static bool stays(const char *value, size_t size) {
  static const char word[] = LETTERS DIGITS "_.,:/@%+- ", sum[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ" DIGITS "_~&|^!() ";
  if (!size || is_quoted(value, size)) return true;
  return (consists_of(value, 1, LETTERS DIGITS "_.") && consists_of(value, size, word)) || consists_of(value, size, sum);
}

static char *put(char *to, const char *text, size_t size) {
  memcpy(to, text, size);
  return to + size;
}

/* In double quotes a backslash takes the meaning of a quote and of a backslash (zend_ini_escape_string(),
 * Zend/zend_ini_scanner.l, 8.2). */
static char *put_quoted(char *to, const char *value, size_t size) {
  *to++ = '"';
  for (size_t i = 0; i < size; i++) {
    if (value[i] == '"' || value[i] == '\\') *to++ = '\\';
    *to++ = value[i];
  }
  *to++ = '"';
  return to;
}

char *howdah_ini_text(const char *lines, const char *more) {
  size_t bytes = 1 + strlen(more);
  for (const char *at = lines ? lines : ""; *at; at++)
    bytes += *at == '\n' ? QUOTES_AND_NEWLINE : 2;
  char *text = malloc(bytes + QUOTES_AND_NEWLINE), *to = text;
  if (!text) return NULL;
  while (lines && *lines) {
    size_t size = strcspn(lines, "\n");
    const char *equals = memchr(lines, '=', size), *value = equals ? equals + 1 : lines + size;
    while (value < lines + size && (*value == ' ' || *value == '\t'))
      value++;
    size_t value_size = (size_t)(lines + size - value);
    to = put(to, lines, (size_t)(value - lines));
    to = stays(value, value_size) ? put(to, value, value_size) : put_quoted(to, value, value_size);
    *to++ = '\n';
    lines += size + (lines[size] == '\n');
  }
  strcpy(to, more);
  return text;
}
