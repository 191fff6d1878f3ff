/* What a switch from one realm to another costs, in nanoseconds, as JSON: PHP is started, realms are born, and the main stack
 * lets them go on in turns. Each parks at once: what is left is the copy of one realm's state out, of the other's in, and two
 * stack switches. */
#include "coroutine/coroutine.h"
#include "howdah.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { REALMS = 512, BATCH = 512, ROUNDS = 301 };

typedef struct {
  howdah_coroutine coroutine;
  howdah_state state;
} realm;

static realm realms[REALMS];

static void park_again(howdah_coroutine *coroutine) {
  (void)coroutine;
  for (;;)
    howdah_coroutine_park();
}

static void nothing(howdah_coroutine *coroutine) {
  (void)coroutine;
}

static void log_line(howdah_log_level level, const char *message, size_t len, howdah_request *request) {
  (void)request;
  if (level <= HOWDAH_LOG_WARNING) fprintf(stderr, "%.*s\n", (int)len, message);
}

static long now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000L + now.tv_nsec;
}

static void let_go_on(size_t among) {
  for (size_t i = 0; i < BATCH; i++)
    howdah_coroutine_resume(&realms[i % among].coroutine);
}

static void copy(size_t among) {
  for (size_t i = 0; i < BATCH; i++)
    howdah_state_enter(&realms[i % among].state);
  howdah_state_leave();
}

static int compare(const void *a, const void *b) {
  long x = *(const long *)a, y = *(const long *)b;
  return x < y ? -1 : x > y;
}

/* The median: what else runs on the machine makes single rounds long. */
static double measure(void (*work)(size_t among), size_t among) {
  static long rounds[ROUNDS];
  work(among);
  for (size_t i = 0; i < ROUNDS; i++) {
    long start_ns = now_ns();
    work(among);
    rounds[i] = now_ns() - start_ns;
  }
  qsort(rounds, ROUNDS, sizeof(*rounds), compare);
  return (double)rounds[ROUNDS / 2] / BATCH;
}

static int give_birth(char *error, size_t error_size) {
  for (size_t i = 0; i < REALMS; i++) {
    if (howdah_coroutine_init(&realms[i].coroutine, &realms[i].state, park_again, nothing) < 0) {
      snprintf(error, error_size, "no stack for realm %zu", i);
      return -1;
    }
    if (howdah_state_birth(&realms[i].state, error, error_size) < 0) return -1;
    howdah_state_leave();
    howdah_coroutine_resume(&realms[i].coroutine);
  }
  return 0;
}

int main(void) {
  char error[512] = "no memory for a loop";
  howdah_engine_options options = {.log = log_line};
  howdah_loop *loop = howdah_epoll_loop_new();
  if (!loop || howdah_engine_start(&options, error, sizeof(error)) < 0 ||
      howdah_engine_attach(loop, error, sizeof(error)) < 0 || give_birth(error, sizeof(error)) < 0) {
    fprintf(stderr, "switch-cost: %s\n", error);
    return 1;
  }
  uint64_t loads = howdah_state_loads();
  double two = measure(let_go_on, 2);
  if (howdah_state_loads() - loads != (uint64_t)(ROUNDS + 1) * BATCH) {
    fprintf(stderr, "switch-cost: realms went on without their state being copied\n");
    return 1;
  }
  printf("{\"one realm after the other, of two\": %.0f, \"of them, the copies\": %.0f, \"the same realm again\": %.0f, "
         "\"one realm after the other, of %d\": %.0f}\n",
         two, measure(copy, 2), measure(let_go_on, 1), REALMS, measure(let_go_on, REALMS));
  fflush(stdout);
  /* The realms are in the middle of parking, and go with the process. */
  _Exit(0);
}
