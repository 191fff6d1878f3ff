/* OpenSSL's queue of errors: one per thread, which realms share. A realm's errors go with it when it leaves.
 * Data that OpenSSL attached to an error stays behind: PHP does not ask for it. */
#ifndef HOWDAH_STATE_OPENSSL_H
#define HOWDAH_STATE_OPENSSL_H

enum { HOWDAH_OPENSSL_ERRORS_MAX = 16 }; /* ERR_NUM_ERRORS, openssl/err.h */

typedef struct {
  unsigned count;
  unsigned long codes[HOWDAH_OPENSSL_ERRORS_MAX];
} howdah_openssl_errors;

/* Once per process; without OpenSSL 3 the others do nothing. */
void howdah_openssl_start(void);
/* Takes what is in the queue. */
void howdah_openssl_leave(howdah_openssl_errors *errors);
/* Puts it back. */
void howdah_openssl_enter(howdah_openssl_errors *errors);

#endif
