/* Slow requests. See slow.h.
 *
 *   watched --(its time has passed: the timer, or a signal where C code holds the worker)--> told
 *       \--(the client has its whole answer by then)--> spared
 *
 * At its end one that was told of, or that took as long without a turn of the loop in between, is told of again. Realms whose requests nobody watches
 * have none of this memory, and a wait costs them a look at one pointer.
 *
 * A timer is not stopped when its request ends, as nearly all are quick: it goes off for one of the realm's next requests, sees that its time has not come,
 * and is started for what is left. So it is started once in a while, not for each request. */
#include "slow.h"
#include "subject.h"
#include "../log.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum { PLACES = 16, TOLD_PLACES = 5 };

typedef enum { OFF, WATCHED, TOLD, SPARED } watch_state;

/* file and fd say quickly whether it is the same. */
typedef struct {
  howdah_waited waited;
  const char *file;
  int fd;
} entry;

struct howdah_slow {
  howdah_timer timer;
  uint64_t due_us;             /* when it goes off, if it is started */
  volatile sig_atomic_t state; /* a watch_state */
  uint64_t began_us, limit_us;
  unsigned count;
  entry entries[PLACES];
};

/* ---- Where it waits ---- */

typedef struct {
  const howdah_coroutine *coroutine;
  struct howdah_slow *slow;
  uint64_t us;
} wait_that_is_over;

static int descriptor_of(const howdah_subject *subject) {
  if (!subject) return -1;
  if (subject->fds && subject->count) return subject->fds[0].fd;
  return subject->is_lock ? subject->fd : -1;
}

static bool is_of(const entry *each, const wait_that_is_over *wait, const howdah_spot *spot) {
  return each->file == spot->file.data && each->waited.line == spot->line && each->waited.kind == wait->coroutine->parks_for &&
         each->fd == descriptor_of(wait->coroutine->subject);
}

/* The end of a path tells more than its beginning. */
static void copy_end(char *to, size_t size, howdah_str text) {
  size_t len = text.len < size - 1 ? text.len : size - 1;
  if (len) memcpy(to, text.data + (text.len - len), len);
  to[len] = '\0';
}

static void name_function(char *to, size_t size, const howdah_spot *spot) {
  const howdah_str parts[] = {spot->class, {"::", spot->class.len ? 2 : 0}, spot->function};
  size_t at = 0;
  for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
    for (size_t j = 0; j < parts[i].len && at < size - 1; j++)
      to[at++] = parts[i].data[j];
  to[at] = '\0';
}

/* Where there is no room the one goes in which it has waited least. */
static entry *take_entry(struct howdah_slow *slow) {
  if (slow->count < PLACES) return &slow->entries[slow->count++];
  entry *least = slow->entries;
  for (entry *each = slow->entries; each < slow->entries + PLACES; each++)
    if (each->waited.us < least->waited.us) least = each;
  return least;
}

static void describe(howdah_waited *to, const howdah_coroutine *coroutine, const howdah_spot *spot) {
  *to = (howdah_waited){.kind = coroutine->parks_for, .line = spot->line};
  howdah_subject_tell(coroutine, to->subject, sizeof(to->subject));
  name_function(to->function, sizeof(to->function), spot);
  copy_end(to->file, sizeof(to->file), spot->file);
}

static void add(void *data, const howdah_spot *spot) {
  wait_that_is_over *wait = data;
  entry *at = wait->slow->entries, *end = at + wait->slow->count;
  while (at < end && !is_of(at, wait, spot))
    at++;
  if (at == end) {
    at = take_entry(wait->slow);
    *at = (entry){.file = spot->file.data, .fd = descriptor_of(wait->coroutine->subject)};
    describe(&at->waited, wait->coroutine, spot);
  }
  at->waited.count++;
  at->waited.us += wait->us;
  if (wait->us > at->waited.longest_us) at->waited.longest_us = wait->us;
}

/* Its stack is as it was when it parked: what the wait says of itself is still there. */
void howdah_slow_waited(const howdah_realm *realm, uint64_t us) {
  static const howdah_spot nowhere = {.file = {"", 0}};
  wait_that_is_over wait = {.coroutine = &realm->coroutine, .slow = realm->slow, .us = us};
  if (!realm->slow || realm->slow->state == OFF) return;
  if (!howdah_request_place(realm->request, add, &wait)) add(&wait, &nowhere);
}

/* ---- When its time has passed ---- */

static void start_timer(struct howdah_slow *slow, uint64_t now_us) {
  slow->due_us = slow->began_us + slow->limit_us;
  uint64_t delay_us = slow->due_us > now_us ? slow->due_us - now_us : 0;
  if (howdah_loop_timer_start(howdah_coroutine_loop(), &slow->timer, delay_us) < 0)
    howdah_log(HOWDAH_LOG_WARNING, NULL, "howdah: out of memory for a timer: a slow request is told of at its end only");
}

static void tell(howdah_realm *realm, uint64_t now_us, bool in_c) {
  struct howdah_slow *slow = realm->slow;
  howdah_request *request = realm->request;
  slow->state = TOLD;
  if (request->ops->slow) request->ops->slow(request, now_us - slow->began_us, in_c);
}

static void on_time(howdah_timer *timer) {
  howdah_realm *realm = timer->data;
  struct howdah_slow *slow = realm->slow;
  uint64_t now_us = howdah_loop_now_us();
  if (!realm->request || slow->state != WATCHED) return;
  if (now_us - slow->began_us < slow->limit_us)
    start_timer(slow, now_us);
  else if (realm->response_ended)
    slow->state = SPARED;
  else
    tell(realm, now_us, false);
}

void howdah_slow_look_at_held(void) {
  howdah_realm *realm = howdah_realm_current();
  int error = errno;
  if (!realm || !realm->request || !howdah_request_is_real(realm->request)) return;
  uint64_t now_us = howdah_loop_now_us();
  if (realm->request->ops->held) realm->request->ops->held(realm->request);
  bool is_watched = realm->slow && realm->slow->state == WATCHED && !realm->response_ended;
  if (is_watched && now_us - realm->slow->began_us >= realm->slow->limit_us) tell(realm, now_us, true);
  errno = error;
}

/* ---- Beginning and end ---- */

void howdah_slow_begin(howdah_realm *realm, const howdah_request *request) {
  struct howdah_slow *slow = realm->slow;
  if (!request->slow_us) return;
  if (!slow) slow = realm->slow = calloc(1, sizeof(*slow));
  if (!slow) {
    howdah_log(HOWDAH_LOG_WARNING, NULL, "howdah: out of memory: a request is not watched: it is not told where it waits");
    return;
  }
  uint64_t now_us = howdah_loop_now_us();
  slow->timer.fire = on_time;
  slow->timer.data = realm;
  slow->began_us = now_us;
  slow->limit_us = request->slow_us;
  slow->count = 0;
  slow->state = WATCHED;
  if (!slow->timer.slot || slow->due_us > now_us + slow->limit_us) start_timer(slow, now_us);
}

static int by_time(const void *one, const void *other) {
  uint64_t a = ((const howdah_waited *)one)->us, b = ((const howdah_waited *)other)->us;
  return (a < b) - (a > b);
}

/* Into places, which has room for PLACES. */
static howdah_account account_of(const struct howdah_slow *slow, howdah_waited *places, uint64_t us, uint64_t wait_us) {
  for (unsigned i = 0; i < slow->count; i++)
    places[i] = slow->entries[i].waited;
  qsort(places, slow->count, sizeof(*places), by_time);
  unsigned count = slow->count < TOLD_PLACES ? slow->count : TOLD_PLACES;
  return (howdah_account){.us = us, .wait_us = wait_us, .places = places, .count = count};
}

bool howdah_request_account(const howdah_request *request, void (*tell)(void *to, const howdah_account *account), void *to) {
  const howdah_realm *realm = howdah_realm_of(request);
  const struct howdah_slow *slow = realm ? realm->slow : NULL;
  howdah_waited places[PLACES];
  if (!slow || slow->state == OFF) return false;
  const howdah_account account = account_of(slow, places, howdah_loop_now_us() - slow->began_us, realm->coroutine.wait_us);
  tell(to, &account);
  return true;
}

void howdah_slow_end(howdah_realm *realm) {
  struct howdah_slow *slow = realm->slow;
  howdah_request *request = realm->finished;
  if (!slow || slow->state == OFF) return;
  uint64_t us = howdah_loop_now_us() - slow->began_us;
  bool was_slow = slow->state == TOLD || (slow->state == WATCHED && us >= slow->limit_us);
  slow->state = OFF;
  if (!was_slow || !request->ops->was_slow) return;
  howdah_waited places[PLACES];
  const howdah_account account = account_of(slow, places, us, request->wait_us);
  request->ops->was_slow(request, &account);
}

void howdah_slow_free(howdah_realm *realm) {
  if (!realm->slow) return;
  howdah_loop_timer_stop(howdah_coroutine_loop(), &realm->slow->timer);
  free(realm->slow);
  realm->slow = NULL;
}
