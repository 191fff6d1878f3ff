/* Rules that do not hold. See check.h. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGE_MAX = 1024 };

#ifndef HOWDAH_CHECKED
bool howdah_checks_on;
#endif

static void say(const char *message) {
  fprintf(stderr, "%s\n", message);
}

static void (*tell)(const char *message) = say;

void howdah_check_failed(const char *condition, const char *file, int line, const char *meaning) {
  char message[MESSAGE_MAX];
  snprintf(message, sizeof(message), "howdah: %s. This is a fault of Howdah: please report it with this line: %s:%d: %s",
           meaning, file, line, condition);
  tell(message);
  abort();
}

#ifndef HOWDAH_CHECKED
static bool is_asked_for(void) {
  const char *value = getenv("HOWDAH_CHECKS");
  return value && strcmp(value, "1") == 0;
}
#endif

void howdah_checks_start(bool wanted, void (*new_tell)(const char *message)) {
  tell = new_tell;
#ifndef HOWDAH_CHECKED
  howdah_checks_on = wanted || is_asked_for();
#else
  (void)wanted;
#endif
}
