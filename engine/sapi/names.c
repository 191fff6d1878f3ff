/* A table of interned names: see names.h. Without it each request makes, hashes and frees a string for each of its variables. */
#include "names.h"

#include <string.h>

enum { SLOTS = 1024, KEPT_MAX = 512, NAME_MAX_BYTES = 64 };

static zend_string *slots[SLOTS];
static unsigned kept;

/* Names differ in length and at their end; the start is HTTP_ for most. */
static unsigned slot_of(howdah_str name) {
  uint64_t end = 0;
  size_t bytes = name.len < sizeof(end) ? name.len : sizeof(end);
  memcpy(&end, name.data + name.len - bytes, bytes);
  return (unsigned)((end ^ name.len) * UINT64_C(0x9E3779B97F4A7C15) >> 54) % SLOTS;
}

static zend_string *intern(howdah_str name) {
  zend_string *string = pemalloc(_ZSTR_STRUCT_SIZE(name.len), 1);
  GC_SET_REFCOUNT(string, 2);
  GC_TYPE_INFO(string) = GC_STRING | ((IS_STR_INTERNED | IS_STR_PERMANENT) << GC_FLAGS_SHIFT);
  ZSTR_H(string) = 0;
  ZSTR_LEN(string) = name.len;
  memcpy(ZSTR_VAL(string), name.data, name.len);
  ZSTR_VAL(string)[name.len] = 0;
  zend_string_hash_val(string);
  return string;
}

zend_string *howdah_name(howdah_str name) {
  if (name.len == 0 || name.len > NAME_MAX_BYTES) return NULL;
  for (unsigned slot = slot_of(name);; slot = (slot + 1) % SLOTS) {
    zend_string *string = slots[slot];
    if (!string) {
      if (kept == KEPT_MAX) return NULL;
      kept++;
      return slots[slot] = intern(name);
    }
    if (ZSTR_LEN(string) == name.len && memcmp(ZSTR_VAL(string), name.data, name.len) == 0) return string;
  }
}
