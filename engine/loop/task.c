/* Tasks: three queues for the loop's own thread (those posted, those of the turn that runs, slices) and one for all other
 * threads.
 *
 * A task belongs to one way of posting at a time. Its posted flag is atomic because a thread may post a task again while the
 * loop is about to call it. */
#include "driver.h"

#include <stdint.h>
#include <unistd.h>

/* Turns from one slice to the next: nginx accepts a connection in one and hears of its request in the next one. */
enum { LOOKS = 2 };

static void append(howdah_task_queue *queue, howdah_task *task) {
  task->next = NULL;
  if (queue->last) {
    queue->last->next = task;
  } else {
    queue->first = task;
  }
  queue->last = task;
}

static bool take_out(howdah_task_queue *queue, howdah_task *task) {
  howdah_task *before = NULL;
  for (howdah_task *each = queue->first; each; before = each, each = each->next) {
    if (each != task) continue;
    if (before) {
      before->next = task->next;
    } else {
      queue->first = task->next;
    }
    if (queue->last == task) queue->last = before;
    return true;
  }
  return false;
}

static void post(howdah_loop *loop, howdah_task_queue *queue, howdah_task *task) {
  if (__atomic_load_n(&task->posted, __ATOMIC_RELAXED)) return;
  __atomic_store_n(&task->posted, true, __ATOMIC_RELAXED);
  bool first = !queue->first;
  append(queue, task);
  if (first) loop->driver->hurry(loop);
}

static void run_first(howdah_task_queue *queue) {
  howdah_task *task = queue->first;
  take_out(queue, task);
  __atomic_store_n(&task->posted, false, __ATOMIC_RELEASE);
  task->run(task);
}

void howdah_loop_post(howdah_loop *loop, howdah_task *task) {
  post(loop, &loop->tasks, task);
}

void howdah_loop_post_slice(howdah_loop *loop, howdah_task *task) {
  post(loop, &loop->slices, task);
}

void howdah_loop_unpost(howdah_loop *loop, howdah_task *task) {
  if (!__atomic_load_n(&task->posted, __ATOMIC_RELAXED)) return;
  if (take_out(&loop->tasks, task) || take_out(&loop->running, task) || take_out(&loop->slices, task)) {
    __atomic_store_n(&task->posted, false, __ATOMIC_RELAXED);
  }
}

void howdah_loop_run_tasks(howdah_loop *loop) {
  loop->running = loop->tasks;
  loop->tasks = (howdah_task_queue){NULL, NULL};
  while (loop->running.first) {
    run_first(&loop->running);
    howdah_loop_has_called(loop);
  }
}

void howdah_loop_run_slice(howdah_loop *loop) {
  if (!loop->slices.first) return;
  if (++loop->looks >= LOOKS) {
    loop->looks = 0;
    run_first(&loop->slices);
  }
  if (loop->slices.first) loop->driver->hurry(loop);
}

void howdah_loop_post_from_thread(howdah_loop *loop, howdah_task *task) {
  if (__atomic_exchange_n(&task->posted, true, __ATOMIC_ACQ_REL)) return;
  pthread_mutex_lock(&loop->thread_lock);
  bool first = !loop->thread_tasks.first;
  append(&loop->thread_tasks, task);
  pthread_mutex_unlock(&loop->thread_lock);
  if (!first) return;
  /* Fails only when the counter is full, and then the loop is awake anyway. */
  uint64_t one = 1;
  ssize_t ignored = write(loop->wake_fd, &one, sizeof one);
  (void)ignored;
}

/* The counter is cleared before the queue is read: what is posted in between wakes the loop once for nothing. */
void howdah_loop_take_thread_tasks(howdah_loop *loop) {
  uint64_t count;
  ssize_t ignored = read(loop->wake_fd, &count, sizeof count);
  (void)ignored;
  pthread_mutex_lock(&loop->thread_lock);
  howdah_task_queue taken = loop->thread_tasks;
  loop->thread_tasks = (howdah_task_queue){NULL, NULL};
  pthread_mutex_unlock(&loop->thread_lock);
  bool first = !loop->tasks.first && taken.first;
  while (taken.first) {
    howdah_task *task = taken.first;
    taken.first = task->next;
    append(&loop->tasks, task);
  }
  if (first) loop->driver->hurry(loop);
}
