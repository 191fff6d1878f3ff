/* A library that blocks, as PHP's libraries do: its calls go through slots that the engine patches. Each call checks results,
 * errno and times, and is run twice by the tests: in a realm, and by php-cli, where the functions are the C library's own. */
#ifndef HOWDAH_TESTS_CALLS_H
#define HOWDAH_TESTS_CALLS_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* NULL, or what went wrong. */
typedef const char *(*call)(void);

typedef struct {
  const char *name;
  call run;
} named_call;

/* Each file has a table that ends with a NULL name. */
extern const named_call beside_calls[], child_calls[], exception_calls[], fifo_calls[], limit_calls[], lock_calls[],
    name_calls[], signal_calls[], socket_calls[], stream_calls[], theft_calls[], thread_calls[], user_calls[];

/* What fails because something took too long begins with "late: " (CallsTest). */
const char *failed(const char *file, int line, const char *what);
/* Something took too long: false, for CHECK(). */
bool too_late(void);
void in_time(void);
#define CHECK(condition)                                                                                                       \
  do {                                                                                                                         \
    in_time();                                                                                                                 \
    if (!(condition)) return failed(__FILE__, __LINE__, #condition);                                                           \
  } while (0)

int64_t now_ms(void);
/* Whether something begun then has taken as long as it should, and not much longer. */
bool took_ms(int64_t since_ms, int64_t wanted_ms);
/* Whether it has taken less; on a busy machine less than so much more as the process had to wait for a processor. */
bool took_less_ms(int64_t since_ms, int64_t limit_ms);
/* Runs work on a thread of its own after so many milliseconds, asleep in a way that is not hooked. */
void later(int delay_ms, void (*work)(void *data), void *data);
/* Forks; the child calls work and exits with what it returns. */
int child(int (*work)(void *data), void *data);
void nap_ms(int ms);
/* By a bad pointer. */
void crash(void);

#endif
