/* Rules that are checked while the program runs: in builds with a sanitizer always; elsewhere with the chaos scheduler, and
 * where the environment has HOWDAH_CHECKS=1, as all suites of tests/ have. A rule that does not hold ends the process: what
 * comes after it would only hide what was wrong.
 *
 * Off, a rule costs a look at one byte, and its condition is not evaluated: rules belong also where requests pass. */
#ifndef HOWDAH_CHECK_H
#define HOWDAH_CHECK_H

#include <stdbool.h>

#ifdef HOWDAH_CHECKED
static inline bool howdah_is_checked(void) {
  return true;
}
#else
extern bool howdah_checks_on;
/* Whether rules are checked now: for those that cost more than a condition. */
static inline bool howdah_is_checked(void) {
  return __builtin_expect(howdah_checks_on, false);
}
#endif

/* The rule that must hold here, and what it means when it does not: a string, for whoever reads the log. The condition has no
 * side effects. */
#define howdah_assert(condition, meaning)                                                                                      \
  do {                                                                                                                         \
    if (howdah_is_checked() && !(condition)) howdah_check_failed(#condition, __FILE__, __LINE__, meaning);                     \
  } while (0)

/* Says that a rule does not hold, and ends the process by abort(). */
void howdah_check_failed(const char *condition, const char *file, int line, const char *meaning)
    __attribute__((noreturn, cold));

/* Rules are checked from now on where wanted, or where the environment says so; a failure is told by tell(), else on standard
 * error. */
void howdah_checks_start(bool wanted, void (*tell)(const char *message));

#endif
