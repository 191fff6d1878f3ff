/* c-client's last look-up. See libc_client.h. */
#include "libc_client.h"
#include "../../advice.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { NAME_MAX_LENGTH = 1024 }; /* MAILTMPLEN, src/c-client/mail.h: a longer one is no name, and not looked up */

typedef void *look_up(char *name, size_t *length, int *family, char **canonical, void **next);

int howdah_libc_client_prepare(void *handle, char *error, size_t error_size) {
  look_up *ip_nametoaddr = (look_up *)(uintptr_t)dlsym(handle, "ip_nametoaddr");
  char name[NAME_MAX_LENGTH + 1], way_out[HOWDAH_ADVICE_MAX];
  memset(name, 'x', NAME_MAX_LENGTH);
  name[NAME_MAX_LENGTH] = '\0';
  if (ip_nametoaddr && !ip_nametoaddr(name, NULL, NULL, NULL, NULL)) return 0;
  snprintf(
      error, error_size,
      "howdah: the PHP extension imap has a c-client library whose memory cannot be private to each request: %s; disable the "
      "extension for this server (%s)",
      ip_nametoaddr ? "ip_nametoaddr() finds what is no name" : "it does not export ip_nametoaddr()",
      howdah_advice_leave_out("imap", way_out));
  return -1;
}
