/* Switching between the main stack and coroutines. See coroutine.h for the invariants. */
#include "coroutine.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#define HOWDAH_ASAN 1
#endif

static howdah_coroutine *current;
static howdah_context main_context;
static howdah_loop *loop;
static uint64_t switches;
static howdah_waits waits[HOWDAH_WAIT_KINDS];
static bool measures_cpu;
static uint64_t entered_cpu_us; /* the thread's CPU time when the one that runs went on */
static howdah_coroutine_end php_end;

#ifdef HOWDAH_ASAN
static const void *main_stack_low;
static size_t main_stack_bytes;
#endif

static void entry(howdah_transfer transfer) {
  howdah_coroutine *self = transfer.data;
#ifdef HOWDAH_ASAN
  __sanitizer_finish_switch_fiber(NULL, &main_stack_low, &main_stack_bytes);
#endif
  main_context = transfer.from;
  self->main(self);
  self->finished = true;
#ifdef HOWDAH_ASAN
  __sanitizer_start_switch_fiber(NULL, main_stack_low, main_stack_bytes);
#endif
  jump_fcontext(main_context, NULL);
  abort(); /* a finished coroutine was resumed */
}

static uint64_t thread_cpu_us(void) {
  struct timespec now;
  if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) < 0) return 0;
  return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static void run_task(howdah_task *task) {
  howdah_coroutine *coroutine = task->data;
  if (coroutine->parked && (coroutine->woken || coroutine->yielding)) howdah_coroutine_resume(coroutine);
}

int howdah_coroutine_init(howdah_coroutine *coroutine, howdah_state *state, void (*main)(howdah_coroutine *),
                          void (*after_run)(howdah_coroutine *)) {
  memset(coroutine, 0, sizeof(*coroutine));
  if (howdah_stack_take(&coroutine->stack) < 0) return -1;
  coroutine->state = state;
  coroutine->main = main;
  coroutine->cpu_left_us = INT64_MAX;
  coroutine->connects = -1;
  coroutine->after_run = after_run;
  coroutine->wake_task.run = run_task;
  coroutine->wake_task.data = coroutine;
  coroutine->context = make_fcontext(coroutine->stack.low + coroutine->stack.bytes, coroutine->stack.bytes, entry);
  return 0;
}

void howdah_coroutine_fini(howdah_coroutine *coroutine) {
  if (loop) howdah_loop_unpost(loop, &coroutine->wake_task);
  if (coroutine->stack.low) howdah_stack_give(&coroutine->stack);
}

void howdah_coroutine_resume(howdah_coroutine *coroutine) {
  assert(current == NULL && !coroutine->finished);
  switches++;
  if (coroutine->before_run) coroutine->before_run(coroutine);
  if (coroutine->parked_us) {
    uint64_t us = howdah_loop_now_us() - coroutine->parked_us;
    coroutine->wait_us += us;
    coroutine->parked_us = 0;
    if (coroutine->waited) coroutine->waited(coroutine, us);
    waits[coroutine->parks_for].count++;
    waits[coroutine->parks_for].us += us;
  }
  howdah_state_enter(coroutine->state);
  current = coroutine;
  coroutine->parked = false;
  coroutine->ticks = coroutine->yielding && coroutine->preempted ? 1 : 0;
  coroutine->held_ticks = 0;
  coroutine->preempted = false;
  /* A wake during a yield is for the next park. */
  if (!coroutine->yielding) coroutine->woken = false;
  coroutine->yielding = false;
  if (coroutine->interrupt) {
    coroutine->interrupt = false;
    php_end.interrupt();
  }
  if (measures_cpu) entered_cpu_us = thread_cpu_us();
#ifdef HOWDAH_ASAN
  void *fake;
  __sanitizer_start_switch_fiber(&fake, coroutine->stack.low, coroutine->stack.bytes);
#endif
  howdah_transfer transfer = jump_fcontext(coroutine->context, coroutine);
#ifdef HOWDAH_ASAN
  __sanitizer_finish_switch_fiber(fake, NULL, NULL);
#endif
  coroutine->context = transfer.from;
  howdah_stack *stack = &coroutine->stack;
  if (howdah_depth_is_open(&stack->depth)) howdah_depth_close(&stack->depth, transfer.from, stack->low + stack->bytes);
  if (measures_cpu) coroutine->cpu_us = howdah_coroutine_cpu_us();
  current = NULL;
  howdah_state_leave();
  coroutine->after_run(coroutine);
}

static void switch_to_main(howdah_coroutine *self) {
  int saved = errno;
  self->parked = true;
#ifdef HOWDAH_ASAN
  __sanitizer_start_switch_fiber(&self->fake_stack, main_stack_low, main_stack_bytes);
#endif
  howdah_transfer transfer = jump_fcontext(main_context, NULL);
#ifdef HOWDAH_ASAN
  __sanitizer_finish_switch_fiber(self->fake_stack, &main_stack_low, &main_stack_bytes);
#endif
  main_context = transfer.from;
  errno = saved;
}

void howdah_coroutine_park(void) {
  howdah_coroutine *self = current;
  if (!self->woken) {
    switch_to_main(self);
    return;
  }
  self->woken = false;
}

void howdah_coroutine_wake(howdah_coroutine *coroutine) {
  if (coroutine->finished) return;
  coroutine->woken = true;
  if (!coroutine->parked || coroutine->yielding) return;
  if (current == NULL)
    howdah_coroutine_resume(coroutine);
  else
    howdah_loop_post(loop, &coroutine->wake_task);
}

void howdah_coroutine_wake_soon(howdah_coroutine *coroutine) {
  if (coroutine->finished) return;
  coroutine->woken = true;
  if (coroutine->parked && !coroutine->yielding) howdah_loop_post(loop, &coroutine->wake_task);
}

void howdah_coroutine_cancel(howdah_coroutine *coroutine) {
  coroutine->cancelled = true;
  coroutine->ending = true;
  coroutine->interrupt = true;
  howdah_coroutine_wake_soon(coroutine);
}

void howdah_coroutine_on_cancel(const howdah_coroutine_end *end) {
  php_end = *end;
}

bool howdah_coroutine_may_wait(void) {
  if (!current->ending) return true;
  if (php_end.refuses()) return false;
  current->cancelled = false;
  return true;
}

void howdah_coroutine_unwind(void) {
  if (!current->hooks_off) php_end.unwind();
}

void howdah_coroutine_yield(void) {
  howdah_coroutine *self = current;
  self->yielding = true;
  if (self->preempted)
    howdah_loop_post_slice(loop, &self->wake_task);
  else
    howdah_loop_post(loop, &self->wake_task);
  switch_to_main(self); /* also when it was woken: that is for the next park */
}

void howdah_coroutine_yield_when_due(void) {
  if (current && current->preempted && !current->hooks_off) howdah_coroutine_yield();
}

howdah_coroutine *howdah_coroutine_current(void) {
  return current;
}

uint64_t howdah_coroutine_switches(void) {
  return switches;
}

void howdah_coroutine_get_waits(howdah_waits copy[HOWDAH_WAIT_KINDS]) {
  memcpy(copy, waits, sizeof(waits));
}

void howdah_coroutine_measure_cpu(bool on) {
  measures_cpu = on;
}

uint64_t howdah_coroutine_cpu_us(void) {
  return measures_cpu && current ? current->cpu_us + thread_cpu_us() - entered_cpu_us : 0;
}

void howdah_coroutine_set_loop(howdah_loop *new_loop) {
  loop = new_loop;
}

howdah_loop *howdah_coroutine_loop(void) {
  return loop;
}
