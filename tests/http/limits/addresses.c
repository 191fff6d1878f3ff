/* Loaded before the C library (LD_PRELOAD): "localhost" has two addresses, as it has in most /etc/hosts: 127.0.0.2, and
 * 127.0.0.1 behind it. */
#include <dlfcn.h>
#include <netdb.h>
#include <string.h>

typedef int look_up(const char *, const char *, const struct addrinfo *, struct addrinfo **);

int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **found) {
  static look_up *original;
  if (!original) original = (look_up *)dlsym(RTLD_NEXT, "getaddrinfo");
  if (!node || strcmp(node, "localhost") != 0) return original(node, service, hints, found);
  struct addrinfo *second;
  int error = original("127.0.0.1", service, hints, &second);
  if (error) return error;
  error = original("127.0.0.2", service, hints, found);
  if (error) {
    freeaddrinfo(second);
    return error;
  }
  struct addrinfo *last = *found;
  while (last->ai_next)
    last = last->ai_next;
  last->ai_next = second;
  return 0;
}
