/* Tables of interned strings: see names.h. Without them each request makes, hashes and frees two strings for each of its
 * variables; and those that were made before a wait have left the processor's caches when they are freed after it. */
#include "names.h"

#include <string.h>

enum { SLOTS = 1024, KEPT_MAX = 512, TEXT_MAX_BYTES = 64 };

typedef struct {
  zend_string *slots[SLOTS];
  unsigned kept;
  bool (*takes)(howdah_str text); /* NULL: all */
} table;

/* Names differ in length and at their end; the start is HTTP_ for most. */
static unsigned slot_of(howdah_str text) {
  uint64_t end = 0;
  size_t bytes = text.len < sizeof(end) ? text.len : sizeof(end);
  memcpy(&end, text.data + text.len - bytes, bytes);
  return (unsigned)((end ^ text.len) * UINT64_C(0x9E3779B97F4A7C15) >> 54) % SLOTS;
}

zend_string *howdah_string_for_ever(howdah_str text) {
  zend_string *string = pemalloc(_ZSTR_STRUCT_SIZE(text.len), 1);
  GC_SET_REFCOUNT(string, 2);
  GC_TYPE_INFO(string) = GC_STRING | ((IS_STR_INTERNED | IS_STR_PERMANENT) << GC_FLAGS_SHIFT);
  ZSTR_H(string) = 0;
  ZSTR_LEN(string) = text.len;
  memcpy(ZSTR_VAL(string), text.data, text.len);
  ZSTR_VAL(string)[text.len] = 0;
  zend_string_hash_val(string);
  return string;
}

static zend_string *find(table *in, howdah_str text) {
  if (text.len == 0 || text.len > TEXT_MAX_BYTES) return NULL;
  for (unsigned slot = slot_of(text);; slot = (slot + 1) % SLOTS) {
    zend_string *string = in->slots[slot];
    if (!string) {
      if (in->kept == KEPT_MAX || (in->takes && !in->takes(text))) return NULL;
      in->kept++;
      return in->slots[slot] = howdah_string_for_ever(text);
    }
    if (ZSTR_LEN(string) == text.len && memcmp(ZSTR_VAL(string), text.data, text.len) == 0) return string;
  }
}

bool howdah_is_plain_name(howdah_str name) {
  for (size_t i = 0; i < name.len; i++)
    if (name.data[i] == ' ' || name.data[i] == '.' || name.data[i] == '[' || !name.data[i]) return false;
  const char first = name.len > 1 && name.data[0] == '-' ? name.data[1] : name.len ? name.data[0] : '0';
  return first < '0' || first > '9';
}

zend_string *howdah_name(howdah_str name) {
  static table names = {.takes = howdah_is_plain_name};
  return find(&names, name);
}

zend_string *howdah_value(howdah_str value) {
  static table values;
  return find(&values, value);
}
