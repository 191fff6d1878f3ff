/* What getpwnam() and its like found for a realm. */
#ifndef HOWDAH_HOOKS_NSS_H
#define HOWDAH_HOOKS_NSS_H

enum { HOWDAH_NSS_DATABASES = 4 };

/* Frees them, at the end of the realm; NULL is nothing. */
void howdah_nss_forget(void *records[HOWDAH_NSS_DATABASES]);

#endif
