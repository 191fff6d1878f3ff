/* What is done when PHP or a library ends the process from within a request: see exit.c. */
#ifndef HOWDAH_HOOKS_EXIT_H
#define HOWDAH_HOOKS_EXIT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { HOWDAH_EXIT_STATUS = 70 }; /* of a worker that was ended from within; EX_SOFTWARE of <sysexits.h> */

/* The first three are called on the loop's thread, in a coroutine or not, where PHP would end the process because of memory.
 * They end the request by a bailout, or return where that cannot be done; then the process ends. */
typedef struct {
  void (*limit)(size_t bytes);           /* the hard limit stood against an allocation of so many bytes (0: unknown) */
  void (*memory)(void);                  /* the kernel, or the C library, gave no more */
  void (*overflow)(const char *message); /* the size of an allocation cannot be computed, or is absurd */
  /* Says in the log that somebody called a function that ends the process, and which requests end with it. False: this is no
   * process that serves (a child that was forked). caller is an address in the code that called, or NULL. */
  bool (*report)(const char *function, int status, const void *caller);
} howdah_exit_ends;

/* Once, before the hooks are installed. */
void howdah_exit_on(const howdah_exit_ends *ends);

/* fprintf() of what PHP says before it ends the process: true where the request's own error will say it. */
bool howdah_exit_says(FILE *stream, const char *format, va_list arguments);

#endif
