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
/* Turns until *flag is at least wanted, for two seconds at most, and then checks that it is exactly that. */
void turn_until(const int *flag, int wanted);

int run_watch_tests(const char *driver);
int run_timer_tests(const char *driver);
int run_task_tests(const char *driver);
int run_slice_tests(const char *driver);

int make_loop(void **state);
int destroy_loop(void **state);

#endif
