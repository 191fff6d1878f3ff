/* Loaded before the C library (LD_PRELOAD): memory is short for whoever copies the text NO_COPY_OF, while there is a file of
 * that name and ".copies-fail". */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char refused[PATH_MAX], file[PATH_MAX];

/* nginx clears its environment later. */
__attribute__((constructor)) static void remember(void) {
  const char *named = getenv("NO_COPY_OF");
  if (!named) return;
  snprintf(refused, sizeof refused, "%s", named);
  snprintf(file, sizeof file, "%s.copies-fail", named);
}

char *strdup(const char *text) {
  static char *(*original)(const char *);
  if (refused[0] && strcmp(text, refused) == 0 && access(file, F_OK) == 0) {
    errno = ENOMEM;
    return NULL;
  }
  if (!original) original = (char *(*)(const char *))dlsym(RTLD_NEXT, "strdup");
  return original(text);
}
