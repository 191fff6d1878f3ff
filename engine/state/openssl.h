/* OpenSSL's queue of errors: one per thread, which realms share. A realm's errors go with it when it leaves.
 * Data that OpenSSL attached to an error stays behind: PHP does not ask for it. */
#ifndef HOWDAH_STATE_OPENSSL_H
#define HOWDAH_STATE_OPENSSL_H

#include <stdint.h>

enum { HOWDAH_OPENSSL_ERRORS_MAX = 16 }; /* ERR_NUM_ERRORS, openssl/err.h */

typedef struct {
  unsigned count;
  uint32_t codes
      [HOWDAH_OPENSSL_ERRORS_MAX]; /* ERR_get_error() gives a long, of which 32 bits are used (ERR_PACK(), openssl/err.h, 3.0) */
} howdah_openssl_errors;

/* Once per process; without OpenSSL 3 the others do nothing. */
void howdah_openssl_start(void);
/* Takes what is in the queue. */
void howdah_openssl_leave(howdah_openssl_errors *errors);
/* Puts it back. */
void howdah_openssl_enter(howdah_openssl_errors *errors);

#endif
