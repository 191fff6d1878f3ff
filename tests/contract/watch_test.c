/* Watches: descriptors that become ready. */
#include "suite.h"
#include "cmocka_includes.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

typedef struct {
  howdah_watch watch;
  int calls;
  unsigned events;
  bool sure;
  howdah_watch *stops; /* stopped by the callback */
  int restarts_on;     /* watched again by the callback, unless -1 */
} probe;

static void probe_ready(howdah_watch *watch, unsigned events) {
  probe *self = watch->data;
  self->calls++;
  self->events = events;
  self->sure = watch->sure;
  if (self->stops) howdah_loop_unwatch(loop, self->stops);
  if (self->restarts_on >= 0) assert_int_equal(howdah_loop_watch(loop, watch, self->restarts_on, HOWDAH_READABLE), 0);
}

static void probe_init(probe *self) {
  memset(self, 0, sizeof *self);
  self->watch.ready = probe_ready;
  self->watch.data = self;
  self->restarts_on = -1;
}

static void make_pair(int pair[2]) {
  assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair), 0);
}

static void close_pair(const int pair[2]) {
  close(pair[0]);
  close(pair[1]);
}

static void put(int fd, const char *text) {
  assert_int_equal(write(fd, text, strlen(text)), (int)strlen(text));
}

static void test_a_watch_fires_when_its_descriptor_becomes_readable(void **state) {
  (void)state;
  int pair[2];
  make_pair(pair);
  probe reader;
  probe_init(&reader);
  assert_int_equal(howdah_loop_watch(loop, &reader.watch, pair[0], HOWDAH_READABLE), 0);
  turn(20);
  assert_int_equal(reader.calls, 0);
  put(pair[1], "x");
  turn_until(&reader.calls, 1);
  assert_int_equal(reader.events, HOWDAH_READABLE);
  close_pair(pair);
}

static void test_a_descriptor_that_is_ready_already_fires_in_the_next_turn(void **state) {
  (void)state;
  int pair[2];
  make_pair(pair);
  put(pair[1], "x");
  probe reader, writer;
  probe_init(&reader);
  probe_init(&writer);
  assert_int_equal(howdah_loop_watch(loop, &reader.watch, pair[0], HOWDAH_READABLE), 0);
  assert_int_equal(howdah_loop_watch(loop, &writer.watch, pair[1], HOWDAH_WRITABLE), 0);
  turn(0);
  assert_int_equal(reader.calls, 1);
  assert_int_equal(writer.calls, 1);
  assert_int_equal(writer.events, HOWDAH_WRITABLE);
  close_pair(pair);
}

static void test_who_is_alone_on_a_descriptor_is_sure_of_what_is_told(void **state) {
  (void)state;
  int pair[2];
  make_pair(pair);
  probe reader, other;
  probe_init(&reader);
  probe_init(&other);
  assert_int_equal(howdah_loop_watch(loop, &reader.watch, pair[0], HOWDAH_READABLE), 0);
  put(pair[1], "x");
  turn_until(&reader.calls, 1);
  assert_true(reader.sure);
  /* What the first one takes the second one does not find. */
  assert_int_equal(howdah_loop_watch(loop, &reader.watch, pair[0], HOWDAH_READABLE), 0);
  assert_int_equal(howdah_loop_watch(loop, &other.watch, pair[0], HOWDAH_READABLE), 0);
  turn_until(&reader.calls, 2);
  turn_until(&other.calls, 1);
  assert_false(reader.sure || other.sure);
  /* poll(2) tells of errors that nobody asked for. */
  close(pair[1]);
  assert_int_equal(howdah_loop_watch(loop, &reader.watch, pair[0], HOWDAH_READABLE), 0);
  turn_until(&reader.calls, 3);
  assert_false(reader.sure);
  assert_int_equal(howdah_loop_watch(loop, &other.watch, pair[0], HOWDAH_PRIORITY), 0);
  close(pair[0]);
  other.watch.sure = true;
  howdah_loop_closed(loop, pair[0]);
  turn_until(&other.calls, 2);
  assert_false(other.sure);
}

static void test_a_watch_fires_once_and_again_when_it_is_started_again(void **state) {
  (void)state;
  int pair[2];
  make_pair(pair);
  put(pair[1], "x");
  probe reader;
  probe_init(&reader);
  for (int round = 1; round <= 3; round++) {
    assert_int_equal(howdah_loop_watch(loop, &reader.watch, pair[0], HOWDAH_READABLE), 0);
    turn_until(&reader.calls, round);
    assert_false(reader.watch.active);
    turn(0);
    turn(0);
    assert_int_equal(reader.calls, round);
  }
  close_pair(pair);
}

static void test_a_watch_restarted_in_its_callback_fires_in_a_later_turn(void **state) {
  (void)state;
  int pair[2];
  make_pair(pair);
  put(pair[1], "x");
  probe reader;
  probe_init(&reader);
  reader.restarts_on = pair[0];
  assert_int_equal(howdah_loop_watch(loop, &reader.watch, pair[0], HOWDAH_READABLE), 0);
  turn(0);
  assert_int_equal(reader.calls, 1);
  turn(0);
  assert_int_equal(reader.calls, 2);
  howdah_loop_unwatch(loop, &reader.watch);
  close_pair(pair);
}

static void test_two_watches_on_one_descriptor_are_both_told(void **state) {
  (void)state;
  int pair[2];
  make_pair(pair);
  probe first, second;
  probe_init(&first);
  probe_init(&second);
  assert_int_equal(howdah_loop_watch(loop, &first.watch, pair[0], HOWDAH_READABLE), 0);
  assert_int_equal(howdah_loop_watch(loop, &second.watch, pair[0], HOWDAH_READABLE), 0);
  put(pair[1], "x");
  turn_until(&first.calls, 1);
  assert_int_equal(second.calls, 1);
  close_pair(pair);
}

static void test_a_reader_stays_when_a_writer_on_the_same_descriptor_has_fired(void **state) {
  (void)state;
  int pair[2];
  make_pair(pair);
  probe reader, writer;
  probe_init(&reader);
  probe_init(&writer);
  assert_int_equal(howdah_loop_watch(loop, &reader.watch, pair[0], HOWDAH_READABLE), 0);
  assert_int_equal(howdah_loop_watch(loop, &writer.watch, pair[0], HOWDAH_WRITABLE), 0);
  turn_until(&writer.calls, 1);
  assert_int_equal(reader.calls, 0);
  turn(0);
  put(pair[1], "x");
  turn_until(&reader.calls, 1);
  close_pair(pair);
}

static void test_a_reader_stays_when_a_writer_on_the_same_descriptor_was_stopped(void **state) {
  (void)state;
  int pair[2];
  make_pair(pair);
  probe reader, writer;
  probe_init(&reader);
  probe_init(&writer);
  assert_int_equal(howdah_loop_watch(loop, &reader.watch, pair[0], HOWDAH_READABLE), 0);
  assert_int_equal(howdah_loop_watch(loop, &writer.watch, pair[0], HOWDAH_WRITABLE), 0);
  howdah_loop_unwatch(loop, &writer.watch);
  turn(0);
  turn(0);
  assert_int_equal(writer.calls, 0);
  put(pair[1], "x");
  turn_until(&reader.calls, 1);
  close_pair(pair);
}

static void test_a_watch_that_was_stopped_is_not_called(void **state) {
  (void)state;
  int pair[2];
  make_pair(pair);
  put(pair[1], "x");
  probe *reader = malloc(sizeof *reader);
  assert_non_null(reader);
  probe_init(reader);
  howdah_loop_unwatch(loop, &reader->watch);
  assert_int_equal(howdah_loop_watch(loop, &reader->watch, pair[0], HOWDAH_READABLE), 0);
  howdah_loop_unwatch(loop, &reader->watch);
  howdah_loop_unwatch(loop, &reader->watch);
  free(reader);
  turn(0);
  turn(0);
  close_pair(pair);
}

static void test_a_watch_that_is_stopped_in_another_callback_is_not_called(void **state) {
  (void)state;
  for (int same = 0; same < 2; same++) {
    int pairs[2][2];
    make_pair(pairs[0]);
    make_pair(pairs[1]);
    put(pairs[0][1], "x");
    put(pairs[1][1], "x");
    probe one, other;
    probe_init(&one);
    probe_init(&other);
    one.stops = &other.watch;
    other.stops = &one.watch;
    assert_int_equal(howdah_loop_watch(loop, &one.watch, pairs[0][0], HOWDAH_READABLE), 0);
    assert_int_equal(howdah_loop_watch(loop, &other.watch, pairs[same][0], HOWDAH_READABLE), 0);
    turn(0);
    turn(0);
    assert_int_equal(one.calls + other.calls, 1);
    assert_false(one.watch.active || other.watch.active);
    close_pair(pairs[0]);
    close_pair(pairs[1]);
  }
}

static int freed;

static void free_ready(howdah_watch *watch, unsigned events) {
  (void)events;
  howdah_watch *other = watch->data;
  if (other) {
    howdah_loop_unwatch(loop, other);
    free(other);
    freed++;
  }
  free(watch);
  freed++;
}

static void test_a_callback_may_free_its_watch_and_another_that_is_about_to_be_called(void **state) {
  (void)state;
  int pair[2];
  make_pair(pair);
  put(pair[1], "x");
  howdah_watch *first = calloc(1, sizeof *first), *second = calloc(1, sizeof *second);
  assert_non_null(first);
  assert_non_null(second);
  first->ready = second->ready = free_ready;
  first->data = second;
  freed = 0;
  assert_int_equal(howdah_loop_watch(loop, first, pair[0], HOWDAH_READABLE), 0);
  assert_int_equal(howdah_loop_watch(loop, second, pair[0], HOWDAH_READABLE), 0);
  turn_until(&freed, 2);
  close_pair(pair);
}

static void test_a_watch_moves_to_another_descriptor(void **state) {
  (void)state;
  int one[2], other[2];
  make_pair(one);
  make_pair(other);
  probe reader;
  probe_init(&reader);
  assert_int_equal(howdah_loop_watch(loop, &reader.watch, one[0], HOWDAH_READABLE), 0);
  assert_int_equal(howdah_loop_watch(loop, &reader.watch, other[0], HOWDAH_READABLE), 0);
  put(one[1], "x");
  turn(0);
  assert_int_equal(reader.calls, 0);
  put(other[1], "x");
  turn_until(&reader.calls, 1);
  close_pair(one);
  close_pair(other);
}

static void test_a_descriptor_that_was_closed_and_reused_is_watched_anew(void **state) {
  (void)state;
  for (int round = 0; round < 4; round++) {
    int pair[2];
    make_pair(pair);
    probe reader;
    probe_init(&reader);
    assert_int_equal(howdah_loop_watch(loop, &reader.watch, pair[0], HOWDAH_READABLE), 0);
    turn(0);
    if (round % 2) howdah_loop_unwatch(loop, &reader.watch); /* else closed while it is watched */
    int reused = pair[0];
    close_pair(pair);
    make_pair(pair);
    assert_int_equal(pair[0], reused);
    assert_int_equal(howdah_loop_watch(loop, &reader.watch, pair[0], HOWDAH_READABLE), 0);
    turn(0);
    assert_int_equal(reader.calls, 0);
    put(pair[1], "x");
    turn_until(&reader.calls, 1);
    close_pair(pair);
  }
}

/* The old open file lives on under another number and stays in the kernel's set under the old one: it may wake the new watch
 * for nothing, which is not sure then, but must not eat the new one's wake-up. */
static void test_a_stale_duplicate_costs_at_most_a_spurious_wake_up(void **state) {
  (void)state;
  int old[2], new[2];
  make_pair(old);
  probe reader;
  probe_init(&reader);
  assert_int_equal(howdah_loop_watch(loop, &reader.watch, old[0], HOWDAH_READABLE), 0);
  int duplicate = dup(old[0]);
  assert_true(duplicate >= 0);
  howdah_loop_unwatch(loop, &reader.watch);
  int reused = old[0];
  close(old[0]);
  make_pair(new);
  assert_int_equal(new[0], reused);
  assert_int_equal(howdah_loop_watch(loop, &reader.watch, new[0], HOWDAH_READABLE), 0);
  put(old[1], "stale");
  turn(0);
  turn(0);
  assert_uint_in_range(reader.calls, 0, 1);
  int spurious = reader.calls;
  assert_false(spurious && reader.sure);
  if (spurious) assert_int_equal(howdah_loop_watch(loop, &reader.watch, new[0], HOWDAH_READABLE), 0);
  put(new[1], "x");
  turn_until(&reader.calls, spurious + 1);
  assert_true(reader.sure);
  close(duplicate);
  close(old[1]);
  close_pair(new);
}

static void test_two_numbers_of_one_socket_are_both_told(void **state) {
  (void)state;
  int pair[2];
  make_pair(pair);
  int duplicate = dup(pair[0]);
  assert_true(duplicate >= 0);
  probe one, other;
  probe_init(&one);
  probe_init(&other);
  assert_int_equal(howdah_loop_watch(loop, &one.watch, pair[0], HOWDAH_READABLE), 0);
  assert_int_equal(howdah_loop_watch(loop, &other.watch, duplicate, HOWDAH_READABLE), 0);
  put(pair[1], "x");
  turn_until(&one.calls, 1);
  turn_until(&other.calls, 1);
  close(duplicate);
  close_pair(pair);
}

static void test_a_disk_file_is_refused_as_always_ready(void **state) {
  (void)state;
  char path[] = "/tmp/howdah-contract-XXXXXX";
  int fd = mkstemp(path);
  assert_true(fd >= 0);
  probe reader;
  probe_init(&reader);
  assert_int_equal(howdah_loop_watch(loop, &reader.watch, fd, HOWDAH_READABLE), -1);
  assert_int_equal(errno, EPERM);
  assert_false(reader.watch.active);
  close(fd);
  unlink(path);
}

static void test_a_closed_descriptor_is_refused(void **state) {
  (void)state;
  int pair[2];
  make_pair(pair);
  close_pair(pair);
  probe reader;
  probe_init(&reader);
  assert_int_equal(howdah_loop_watch(loop, &reader.watch, pair[0], HOWDAH_READABLE), -1);
  assert_int_equal(errno, EBADF);
  assert_int_equal(howdah_loop_watch(loop, &reader.watch, -1, HOWDAH_READABLE), -1);
  assert_int_equal(errno, EBADF);
  assert_false(reader.watch.active);
  turn(0);
}

static void test_whoever_watches_a_descriptor_that_is_closed_is_told(void **state) {
  (void)state;
  int pair[2];
  make_pair(pair);
  probe reader, writer, stopped;
  probe_init(&reader);
  probe_init(&writer);
  probe_init(&stopped);
  assert_int_equal(howdah_loop_watch(loop, &reader.watch, pair[0], HOWDAH_READABLE), 0);
  assert_int_equal(howdah_loop_watch(loop, &writer.watch, pair[0], HOWDAH_PRIORITY), 0);
  assert_int_equal(howdah_loop_watch(loop, &stopped.watch, pair[0], HOWDAH_READABLE), 0);
  close(pair[0]);
  howdah_loop_closed(loop, pair[0]);
  howdah_loop_unwatch(loop, &stopped.watch);
  assert_int_equal(reader.calls, 0);
  turn_until(&reader.calls, 1);
  turn_until(&writer.calls, 1);
  assert_int_equal(reader.events, HOWDAH_ERROR);
  assert_int_equal(writer.events, HOWDAH_ERROR);
  assert_int_equal(stopped.calls, 0);
  close(pair[1]);
}

static void test_a_number_that_is_closed_and_reused_in_the_same_turn_is_watched_for_both(void **state) {
  (void)state;
  int old[2], new[2];
  make_pair(old);
  probe before, after;
  probe_init(&before);
  probe_init(&after);
  assert_int_equal(howdah_loop_watch(loop, &before.watch, old[0], HOWDAH_READABLE), 0);
  close(old[0]);
  howdah_loop_closed(loop, old[0]);
  make_pair(new);
  assert_int_equal(new[0], old[0]);
  assert_int_equal(howdah_loop_watch(loop, &after.watch, new[0], HOWDAH_READABLE), 0);
  turn_until(&before.calls, 1);
  assert_int_equal(after.calls, 0);
  put(new[1], "x");
  turn_until(&after.calls, 1);
  assert_int_equal(after.events, HOWDAH_READABLE);
  assert_int_equal(before.calls, 1);
  close(old[1]);
  close_pair(new);
}

static void test_a_callback_of_a_closed_descriptor_may_watch_again_and_stop_others(void **state) {
  (void)state;
  int pair[2], other[2];
  make_pair(pair);
  make_pair(other);
  put(other[1], "x");
  probe first, second;
  probe_init(&first);
  probe_init(&second);
  first.stops = &second.watch;
  first.restarts_on = other[0];
  assert_int_equal(howdah_loop_watch(loop, &first.watch, pair[0], HOWDAH_READABLE), 0);
  assert_int_equal(howdah_loop_watch(loop, &second.watch, pair[0], HOWDAH_READABLE), 0);
  close(pair[0]);
  howdah_loop_closed(loop, pair[0]);
  turn_until(&first.calls, 2);
  assert_int_equal(second.calls, 0);
  first.restarts_on = -1;
  howdah_loop_unwatch(loop, &first.watch);
  howdah_loop_closed(loop, -1);
  howdah_loop_closed(loop, 100000);
  close(pair[1]);
  close_pair(other);
}

static void test_a_hang_up_is_told_to_whoever_watches(void **state) {
  (void)state;
  int pair[2];
  make_pair(pair);
  probe reader, other;
  probe_init(&reader);
  probe_init(&other);
  assert_int_equal(howdah_loop_watch(loop, &reader.watch, pair[0], HOWDAH_READABLE), 0);
  assert_int_equal(howdah_loop_watch(loop, &other.watch, pair[0], HOWDAH_PRIORITY), 0);
  close(pair[1]);
  turn_until(&reader.calls, 1);
  assert_int_equal(reader.events, HOWDAH_READABLE | HOWDAH_ERROR);
  assert_int_equal(other.calls, 1);
  assert_int_equal(other.events, HOWDAH_ERROR);
  close(pair[0]);
}

static void test_an_error_alone_is_told(void **state) {
  (void)state;
  int ends[2];
  assert_int_equal(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
  probe writer;
  probe_init(&writer);
  assert_int_equal(howdah_loop_watch(loop, &writer.watch, ends[1], 0), 0);
  close(ends[0]);
  turn_until(&writer.calls, 1);
  assert_int_equal(writer.events, HOWDAH_ERROR);
  close(ends[1]);
}

static void test_urgent_data_is_priority(void **state) {
  (void)state;
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  assert_true(listener >= 0 && client >= 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof address;
  assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof address), 0);
  assert_int_equal(listen(listener, 1), 0);
  assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &size), 0);
  assert_int_equal(connect(client, (struct sockaddr *)&address, sizeof address), 0);
  int server = accept(listener, NULL, NULL);
  assert_true(server >= 0);
  probe urgent;
  probe_init(&urgent);
  assert_int_equal(howdah_loop_watch(loop, &urgent.watch, server, HOWDAH_PRIORITY), 0);
  turn(10);
  assert_int_equal(urgent.calls, 0);
  assert_int_equal(send(client, "!", 1, MSG_OOB), 1);
  turn_until(&urgent.calls, 1);
  assert_int_equal(urgent.events, HOWDAH_PRIORITY);
  close(server);
  close(client);
  close(listener);
}

static void test_high_descriptor_numbers_are_watched(void **state) {
  (void)state;
  int pair[2];
  make_pair(pair);
  struct rlimit limit;
  assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
  int high = fcntl(pair[0], F_DUPFD_CLOEXEC, (int)(limit.rlim_cur < 1000 ? limit.rlim_cur - 20 : 900));
  assert_true(high >= 0);
  probe low_reader, high_reader;
  probe_init(&low_reader);
  probe_init(&high_reader);
  assert_int_equal(howdah_loop_watch(loop, &low_reader.watch, pair[0], HOWDAH_READABLE), 0);
  assert_int_equal(howdah_loop_watch(loop, &high_reader.watch, high, HOWDAH_READABLE), 0);
  put(pair[1], "x");
  turn_until(&high_reader.calls, 1);
  turn_until(&low_reader.calls, 1);
  close(high);
  close_pair(pair);
}

static void test_all_of_many_ready_descriptors_are_told(void **state) {
  (void)state;
  enum { MANY = 200 };
  static int pairs[MANY][2];
  static probe probes[MANY];
  for (int i = 0; i < MANY; i++) {
    make_pair(pairs[i]);
    probe_init(&probes[i]);
    assert_int_equal(howdah_loop_watch(loop, &probes[i].watch, pairs[i][0], HOWDAH_READABLE), 0);
    put(pairs[i][1], "x");
  }
  for (int i = 0; i < MANY; i++)
    turn_until(&probes[i].calls, 1);
  for (int i = 0; i < MANY; i++)
    close_pair(pairs[i]);
}

int run_watch_tests(const char *driver) {
#define SENTENCE(test) cmocka_unit_test_setup_teardown(test, make_loop, destroy_loop)
  const struct CMUnitTest tests[] = {
      SENTENCE(test_a_watch_fires_when_its_descriptor_becomes_readable),
      SENTENCE(test_a_descriptor_that_is_ready_already_fires_in_the_next_turn),
      SENTENCE(test_who_is_alone_on_a_descriptor_is_sure_of_what_is_told),
      SENTENCE(test_a_watch_fires_once_and_again_when_it_is_started_again),
      SENTENCE(test_a_watch_restarted_in_its_callback_fires_in_a_later_turn),
      SENTENCE(test_two_watches_on_one_descriptor_are_both_told),
      SENTENCE(test_a_reader_stays_when_a_writer_on_the_same_descriptor_has_fired),
      SENTENCE(test_a_reader_stays_when_a_writer_on_the_same_descriptor_was_stopped),
      SENTENCE(test_a_watch_that_was_stopped_is_not_called),
      SENTENCE(test_a_watch_that_is_stopped_in_another_callback_is_not_called),
      SENTENCE(test_a_callback_may_free_its_watch_and_another_that_is_about_to_be_called),
      SENTENCE(test_a_watch_moves_to_another_descriptor),
      SENTENCE(test_a_descriptor_that_was_closed_and_reused_is_watched_anew),
      SENTENCE(test_a_stale_duplicate_costs_at_most_a_spurious_wake_up),
      SENTENCE(test_two_numbers_of_one_socket_are_both_told),
      SENTENCE(test_a_disk_file_is_refused_as_always_ready),
      SENTENCE(test_a_closed_descriptor_is_refused),
      SENTENCE(test_whoever_watches_a_descriptor_that_is_closed_is_told),
      SENTENCE(test_a_number_that_is_closed_and_reused_in_the_same_turn_is_watched_for_both),
      SENTENCE(test_a_callback_of_a_closed_descriptor_may_watch_again_and_stop_others),
      SENTENCE(test_a_hang_up_is_told_to_whoever_watches),
      SENTENCE(test_an_error_alone_is_told),
      SENTENCE(test_urgent_data_is_priority),
      SENTENCE(test_high_descriptor_numbers_are_watched),
      SENTENCE(test_all_of_many_ready_descriptors_are_told),
  };
#undef SENTENCE
  return cmocka_run_group_tests_name(driver, tests, NULL, NULL);
}
