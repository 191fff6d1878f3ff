/* Timers: a binary heap, the earliest first; each timer has a ticket, which knows its place, so that stopping one is O(log n).
 *
 * Neither comparing two timers nor moving one looks at the timers themselves: they lie on the stacks of those who wait,
 * thousands of them, and each look would be a cache miss on a page of its own. */
#include "driver.h"

#include <errno.h>
#include <stdlib.h>

/* More than A_TURN that are due are left for the next turn: what became ready meanwhile has its turn in between. All at once,
 * those who are served at the same time stay together for ever, and wait for each other again and again. */
enum { FIRST_TIMERS = 64, A_TURN = 8 };

/* Timers of one time fire in the order in which they were started: else what a clock reads would decide (of two realms that
 * yield by usleep(0) within a microsecond), and a seed of the chaos scheduler would not reproduce a run. */
static bool is_before(const howdah_loop *loop, howdah_loop_due a, howdah_loop_due b) {
  return a.us != b.us ? a.us < b.us : loop->tickets[a.ticket].order < loop->tickets[b.ticket].order;
}

static void place(howdah_loop *loop, howdah_loop_due due, size_t index) {
  loop->heap[index] = due;
  loop->tickets[due.ticket].index = index;
}

static void move_up(howdah_loop *loop, howdah_loop_due due, size_t index) {
  while (index > 0) {
    size_t parent = (index - 1) / 2;
    if (!is_before(loop, due, loop->heap[parent])) break;
    place(loop, loop->heap[parent], index);
    index = parent;
  }
  place(loop, due, index);
}

static void move_down(howdah_loop *loop, howdah_loop_due due, size_t index) {
  for (;;) {
    size_t child = 2 * index + 1;
    if (child >= loop->timer_count) break;
    if (child + 1 < loop->timer_count && is_before(loop, loop->heap[child + 1], loop->heap[child])) child++;
    if (!is_before(loop, loop->heap[child], due)) break;
    place(loop, loop->heap[child], index);
    index = child;
  }
  place(loop, due, index);
}

/* Room for one more timer. 0, or -1 with ENOMEM. */
static int reserve(howdah_loop *loop) {
  if (loop->timer_count < loop->heap_size) return 0;
  size_t size = loop->heap_size ? loop->heap_size * 2 : FIRST_TIMERS;
  howdah_loop_due *heap = realloc(loop->heap, size * sizeof *heap);
  if (heap) loop->heap = heap;
  howdah_loop_ticket *tickets = heap ? realloc(loop->tickets, size * sizeof *tickets) : NULL;
  if (!tickets) {
    errno = ENOMEM;
    return -1;
  }
  loop->tickets = tickets;
  /* All tickets are taken: the new ones are the list of those that are free. */
  for (size_t i = loop->heap_size; i < size; i++)
    tickets[i].index = i + 1;
  loop->free_ticket = loop->heap_size;
  loop->heap_size = size;
  return 0;
}

static size_t take_ticket(howdah_loop *loop, howdah_timer *timer) {
  size_t ticket = loop->free_ticket;
  loop->free_ticket = loop->tickets[ticket].index;
  loop->tickets[ticket].timer = timer;
  loop->tickets[ticket].order = loop->timers_started++;
  timer->slot = ticket + 1;
  return ticket;
}

static void take_out(howdah_loop *loop, howdah_timer *timer) {
  size_t ticket = timer->slot - 1, index = loop->tickets[ticket].index;
  timer->slot = 0;
  loop->tickets[ticket].index = loop->free_ticket;
  loop->free_ticket = ticket;
  howdah_loop_due filler = loop->heap[--loop->timer_count];
  if (filler.ticket == ticket) return;
  if (index > 0 && is_before(loop, filler, loop->heap[(index - 1) / 2])) {
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
  if (reserve(loop) < 0) return -1;
  uint64_t now_us = howdah_loop_now_us();
  /* One microsecond short of "never", which is howdah_loop_next_due_us()'s word for no timer. */
  howdah_loop_due due = {.us = delay_us < UINT64_MAX - now_us ? now_us + delay_us : UINT64_MAX - 1};
  /* Else a timer that restarts itself without delay could keep its turn from ending. */
  if (due.us <= loop->timers_run_until_us) due.us = loop->timers_run_until_us + 1;
  due.ticket = take_ticket(loop, timer);
  move_up(loop, due, loop->timer_count++);
  if (howdah_loop_next_due_us(loop) != earliest_before_us) tell_driver(loop);
  return 0;
}

void howdah_loop_timer_stop(howdah_loop *loop, howdah_timer *timer) {
  if (!timer->slot) return;
  bool earliest = loop->tickets[timer->slot - 1].index == 0;
  take_out(loop, timer);
  if (earliest) tell_driver(loop);
}

uint64_t howdah_loop_next_due_us(const howdah_loop *loop) {
  return loop->timer_count ? loop->heap[0].us : UINT64_MAX;
}

/* While one is served, the next one's memory comes nearer, and the timers themselves of those that may follow. */
static void announce(const howdah_loop *loop) {
  enum { SOON_US = 100 };
  for (size_t i = 1; i < 3 && i < loop->timer_count; i++)
    __builtin_prefetch(loop->tickets[loop->heap[i].ticket].timer);
  if (!loop->timer_count || loop->heap[0].us > loop->timers_run_until_us + SOON_US) return;
  const howdah_timer *next = loop->tickets[loop->heap[0].ticket].timer;
  if (next->soon) next->soon(next->data);
}

void howdah_loop_run_timers(howdah_loop *loop) {
  if (!loop->timer_count || loop->timers_run_until_us) return;
  loop->timers_run_until_us = howdah_loop_now_us();
  for (int i = 0; i < A_TURN && loop->timer_count && loop->heap[0].us <= loop->timers_run_until_us; i++) {
    howdah_timer *timer = loop->tickets[loop->heap[0].ticket].timer;
    take_out(loop, timer);
    announce(loop);
    timer->fire(timer);
    howdah_loop_has_called(loop);
  }
  loop->timers_run_until_us = 0;
  loop->driver->timer_changed(loop);
}
