/* What gethostbyname() found for a realm. */
#ifndef HOWDAH_HOOKS_HOST_H
#define HOWDAH_HOOKS_HOST_H

/* Frees it, at the end of the realm; NULL is nothing. */
void howdah_host_forget(void *host);

#endif
