/* OpenSSL's queue of errors, per realm. See openssl.h.
 *
 * ext/openssl leaves errors in the queue where it does not look for them (php_openssl_validate_iv(), ext/openssl/openssl.c,
 * 8.2); the next openssl_error_string() would tell them to another realm, and nginx would log them. */
#include "openssl.h"

#include <dlfcn.h>
#include <stddef.h>

/* As in openssl/err.h, 3.0, which need not be installed. */
enum { LIBRARY_SYSTEM = 2, LIBRARY_SHIFT = 23, LIBRARY_MASK = 0xff, REASON_MASK = 0x7fffff };
static const unsigned long system_flag = 0x80000000;

static unsigned long (*peek_error)(void), (*get_error)(void);
static void (*new_error)(void), (*set_error)(int library, int reason, const char *format, ...);

void howdah_openssl_start(void) {
  *(void **)&peek_error = dlsym(RTLD_DEFAULT, "ERR_peek_error");
  *(void **)&get_error = dlsym(RTLD_DEFAULT, "ERR_get_error");
  *(void **)&new_error = dlsym(RTLD_DEFAULT, "ERR_new");
  *(void **)&set_error = dlsym(RTLD_DEFAULT, "ERR_set_error");
  if (!get_error || !new_error || !set_error) peek_error = NULL;
}

void howdah_openssl_leave(howdah_openssl_errors *errors) {
  errors->count = 0;
  if (!peek_error || peek_error() == 0) return;
  unsigned long code;
  while ((code = get_error()) != 0)
    if (errors->count < HOWDAH_OPENSSL_ERRORS_MAX) errors->codes[errors->count++] = (uint32_t)code;
}

void howdah_openssl_enter(howdah_openssl_errors *errors) {
  for (unsigned i = 0; i < errors->count; i++) {
    unsigned long code = errors->codes[i];
    new_error();
    if (code & system_flag)
      set_error(LIBRARY_SYSTEM, (int)(code & ~system_flag), NULL);
    else
      set_error((int)(code >> LIBRARY_SHIFT) & LIBRARY_MASK, (int)(code & REASON_MASK), NULL);
  }
  errors->count = 0;
}
