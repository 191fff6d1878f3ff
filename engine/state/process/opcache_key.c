/* opcache's key of what a realm includes. See opcache_key.h. */
#include "opcache_key.h"
#include "../hidden/hidden.h"
#include "../php_headers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static zend_string *shared; /* accel_globals.key (8.2.32, 8.4.24); NULL: no opcache */

void howdah_opcache_key_start(void) {
  size_t count;
  const howdah_shared *items = howdah_hidden_shared(&count);
  shared = NULL;
  for (size_t i = 0; i < count; i++)
    if (strcmp(items[i].name, HOWDAH_HIDDEN_OPCACHE_KEY) == 0) shared = items[i].address;
}

static void save(howdah_opcache_key *key) {
  size_t size = ZSTR_LEN(shared) ? _ZSTR_STRUCT_SIZE(ZSTR_LEN(shared)) : 0;
  key->lost = false;
  key->size = size;
  if (size > key->room) {
    int saved = errno;
    char *bytes = realloc(key->bytes, size);
    errno = saved;
    key->lost = !bytes;
    if (!bytes) return;
    key->bytes = bytes;
    key->room = size;
  }
  if (size) memcpy(key->bytes, shared, size);
}

static void restore(const howdah_opcache_key *key) {
  /* No file has such a name, so nobody looks under it. */
  static const char nobodys[] = "\0lost";
  if (key->lost) {
    ZSTR_H(shared) = 0;
    ZSTR_LEN(shared) = sizeof(nobodys) - 1;
    memcpy(ZSTR_VAL(shared), nobodys, sizeof(nobodys));
  } else if (key->size) {
    memcpy(shared, key->bytes, key->size);
  } else {
    ZSTR_LEN(shared) = 0;
  }
}

void howdah_opcache_key_switch(howdah_opcache_key *from, const howdah_opcache_key *to) {
  static const howdah_opcache_key none;
  if (!shared) return;
  if (from) save(from);
  restore(to ? to : &none);
}

void howdah_opcache_key_free(howdah_opcache_key *key) {
  free(key->bytes);
  *key = (howdah_opcache_key){0};
}
