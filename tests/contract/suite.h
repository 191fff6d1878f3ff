/* The contract of engine/howdah.h's loop, as sentences. A driver passes when run_loop_contract() returns 0. */
#ifndef HOWDAH_LOOP_CONTRACT_H
#define HOWDAH_LOOP_CONTRACT_H

#include "../../engine/howdah.h"

typedef struct {
  const char *name;
  howdah_loop *(*make)(void);
  void (*destroy)(howdah_loop *loop);
  /* One turn of the process that the loop lives in, asleep for at most max_wait_ms. */
  void (*turn)(howdah_loop *loop, int max_wait_ms);
} contract_driver;

/* The number of tests that failed. */
int run_loop_contract(const contract_driver *driver);

/* Shared by the files of the suite: the loop under test, made anew for each test. */
extern howdah_loop *loop;
void turn(int max_wait_ms);
/* Turns until *flag is at least wanted, for PATIENCE_MS at most, and then checks that it is exactly that. */
void turn_until(const int *flag, int wanted);

/* However busy the machine is, what a sentence waits for comes sooner, and no two moments of a sentence lie so far apart: a
 * sentence may depend on the order of events, never on how long they take. What is to come later than another event comes after
 * NEVER_US. */
enum { PATIENCE_MS = 60000 };
#define NEVER_US ((uint64_t)3600 * 1000000)

/* The same with turns that could sleep for PATIENCE_MS, and do not: what is wanted wakes the loop. */
void turn_without_sleep_until(const int *flag, int wanted);

int run_watch_tests(const char *driver);
int run_timer_tests(const char *driver);
int run_task_tests(const char *driver);
int run_slice_tests(const char *driver);

int make_loop(void **state);
int destroy_loop(void **state);

#endif
