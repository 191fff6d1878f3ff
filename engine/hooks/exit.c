/* exit, _exit, quick_exit, pthread_exit: what ends the process, or the loop's thread, ends the requests of all realms. Kind:
 * note.
 *
 * PHP ends its process where memory is short and it sees no other way (Zend/zend_alloc.c, 8.2.36, 8.4): _exit(137) where an
 * allocation that cannot fail would pass the hard limit, which is twice memory_limit; exit(1) where mmap() or malloc() fail; a
 * panic where the size of an allocation overflows. A php-fpm child has one request to lose. Here that request ends with a fatal
 * error, as it did in every PHP before: by a bailout from within the allocation. Where that is impossible, and where a library
 * ends the process, the log says who did it, and where each request was (engine/sapi/crash.c); the exit status is then never 0
 * (all is well), nor 2, which nginx takes for "do not start another one" (ngx_process_get_status(), src/os/unix/ngx_process.c,
 * 1.22).
 *
 * Not in a forked child: those of proc_open() end by _exit(). abort() is a signal, and needs no hook. */
#include "hooked.h"

#include "exit.h"
#include "caller.h"

#include <stdarg.h>
#include <string.h>
#include <sys/wait.h>

enum { OUT_OF_MEMORY_STATUS = 1, HARD_LIMIT_STATUS = 137, MESSAGE_BYTES = 1024 };

static howdah_exit_ends ends;
static size_t refused_bytes; /* what the hard limit stood against, as PHP has just said */

void howdah_exit_on(const howdah_exit_ends *new_ends) {
  ends = *new_ends;
}

/* Destructors of libraries and of the C library must not run: they would be those of requests that are still there. */
static __attribute__((noreturn)) void end_process(const char *function, int status, void (*real)(int), const void *caller) {
  bool reported = ends.report && ends.report(function, status, caller);
  real = reported ? howdah_real_exit_now : real;
  real(reported ? HOWDAH_EXIT_STATUS : status);
  __builtin_unreachable();
}

void howdah_hook_exit(int status) {
  end_process("exit", status, howdah_real_exit, __builtin_return_address(0));
}

void howdah_hook_exit_now(int status) {
  end_process("_exit", status, howdah_real_exit_now, __builtin_return_address(0));
}

void howdah_hook_quick_exit(int status) {
  end_process("quick_exit", status, howdah_real_quick_exit, __builtin_return_address(0));
}

/* On the loop's thread it would leave a process that serves nobody, and that nginx takes for alive. */
void howdah_hook_thread_exit(void *value) {
  if (howdah_hooks_are_ours()) end_process("pthread_exit", 0, howdah_real_exit_now, __builtin_return_address(0));
  howdah_real_thread_exit(value);
  __builtin_unreachable();
}

void howdah_hook_php_exit(int status) {
  if (status == OUT_OF_MEMORY_STATUS && howdah_hooks_are_ours() && ends.memory) ends.memory();
  end_process("exit", status, howdah_real_exit, NULL);
}

void howdah_hook_php_exit_now(int status) {
  if (status == HARD_LIMIT_STATUS && howdah_hooks_are_ours() && ends.limit) {
    size_t bytes = refused_bytes;
    refused_bytes = 0;
    ends.limit(bytes);
  }
  end_process("_exit", status, howdah_real_exit_now, NULL);
}

bool howdah_exit_says(FILE *stream, const char *format, va_list arguments) {
  static const char start[] = "Hard memory limit of %zu bytes exhausted (tried to allocate %zu bytes)";
  if (stream != stderr || !howdah_hooks_in_realm() || strncmp(format, start, sizeof(start) - 1) != 0) return false;
  va_list copy;
  va_copy(copy, arguments);
  (void)va_arg(copy, size_t);
  refused_bytes = va_arg(copy, size_t);
  va_end(copy);
  return true;
}

/* zend_mm_delayed_error_or_panic(): with delay the error waits until PHP code goes on, without it the process aborts. Its
 * message is as long there, too. */
void howdah_hook_memory_panic(bool delay, const char *format, ...) {
  char message[MESSAGE_BYTES];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof(message), format, arguments);
  va_end(arguments);
  if (!delay && howdah_hooks_are_ours() && ends.overflow) ends.overflow(message);
  howdah_real_memory_panic(delay, "%s", message);
}
