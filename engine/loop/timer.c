/* Timers: a binary heap, the earliest first; each timer knows its place, so that stopping one is O(log n).
 *
 * The heap keeps each timer's time beside the pointer: timers lie on the stacks of those who wait, thousands of them, and looking at
 * each one's own memory to compare would be a cache miss for each comparison. */
#include "driver.h"

#include <errno.h>
#include <stdlib.h>

enum { FIRST_TIMERS = 64 };

/* Timers of one time fire in the order in which they were started: else what a clock reads would decide (of two realms that yield by
 * usleep(0) within a microsecond), and a seed of the chaos scheduler would not reproduce a run. */
static bool is_before(howdah_loop_due a, howdah_loop_due b) {
  return a.us != b.us ? a.us < b.us : a.timer->order < b.timer->order;
}

static void place(howdah_loop *loop, howdah_loop_due due, size_t index) {
  loop->heap[index] = due;
  due.timer->slot = index + 1;
}

static void move_up(howdah_loop *loop, howdah_loop_due due, size_t index) {
  while (index > 0) {
    size_t parent = (index - 1) / 2;
    if (!is_before(due, loop->heap[parent])) break;
    place(loop, loop->heap[parent], index);
    index = parent;
  }
  place(loop, due, index);
}

static void move_down(howdah_loop *loop, howdah_loop_due due, size_t index) {
  for (;;) {
    size_t child = 2 * index + 1;
    if (child >= loop->timer_count) break;
    if (child + 1 < loop->timer_count && is_before(loop->heap[child + 1], loop->heap[child])) child++;
    if (!is_before(loop->heap[child], due)) break;
    place(loop, loop->heap[child], index);
    index = child;
  }
  place(loop, due, index);
}

static void take_out(howdah_loop *loop, howdah_timer *timer) {
  size_t index = timer->slot - 1;
  timer->slot = 0;
  howdah_loop_due filler = loop->heap[--loop->timer_count];
  if (filler.timer == timer) return;
  if (index > 0 && is_before(filler, loop->heap[(index - 1) / 2])) {
    move_up(loop, filler, index);
  } else {
    move_down(loop, filler, index);
  }
}

/* While timers run, the driver is told once, at the end. */
static void tell_driver(howdah_loop *loop) {
  if (!loop->timers_run_until_us) loop->driver->timer_changed(loop);
}

int howdah_loop_timer_start(howdah_loop *loop, howdah_timer *timer, uint64_t delay_us) {
  uint64_t earliest_before_us = howdah_loop_next_due_us(loop);
  if (timer->slot) take_out(loop, timer);
  if (loop->timer_count == loop->heap_size) {
    size_t size = loop->heap_size ? loop->heap_size * 2 : FIRST_TIMERS;
    howdah_loop_due *heap = realloc(loop->heap, size * sizeof *heap);
    if (!heap) {
      errno = ENOMEM;
      return -1;
    }
    loop->heap = heap;
    loop->heap_size = size;
  }
  uint64_t now_us = howdah_loop_now_us();
  /* One microsecond short of "never", which is howdah_loop_next_due_us()'s word for no timer. */
  howdah_loop_due due = {.us = delay_us < UINT64_MAX - now_us ? now_us + delay_us : UINT64_MAX - 1, .timer = timer};
  /* Else a timer that restarts itself without delay could keep its turn from ending. */
  if (due.us <= loop->timers_run_until_us) due.us = loop->timers_run_until_us + 1;
  timer->order = loop->timers_started++;
  move_up(loop, due, loop->timer_count++);
  if (howdah_loop_next_due_us(loop) != earliest_before_us) tell_driver(loop);
  return 0;
}

void howdah_loop_timer_stop(howdah_loop *loop, howdah_timer *timer) {
  if (!timer->slot) return;
  bool earliest = timer->slot == 1;
  take_out(loop, timer);
  if (earliest) tell_driver(loop);
}

uint64_t howdah_loop_next_due_us(const howdah_loop *loop) {
  return loop->timer_count ? loop->heap[0].us : UINT64_MAX;
}

void howdah_loop_run_timers(howdah_loop *loop) {
  if (!loop->timer_count || loop->timers_run_until_us) return;
  loop->timers_run_until_us = howdah_loop_now_us();
  while (loop->timer_count && loop->heap[0].us <= loop->timers_run_until_us) {
    howdah_timer *timer = loop->heap[0].timer;
    take_out(loop, timer);
    timer->fire(timer);
  }
  loop->timers_run_until_us = 0;
  loop->driver->timer_changed(loop);
}
