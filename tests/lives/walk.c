/* Pools live at random: requests come, wait, fail and are abandoned, realms boot, tidy up, are replaced and given up, while the
 * engine checks its rules (engine/check.h). Beside them the walk keeps its own count of requests. The clock is made up
 * (--wrap=howdah_loop_now_us): hours pass in seconds, and a seed reproduces a walk.
 *
 * walk SCRIPTS EXTENSION SEED ROUNDS: the folder of the scripts, and the extension whose last act waits. 0, 1 when its own
 * count differs; a rule that does not hold ends it by SIGABRT. */
#include "howdah.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdarg.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
  STEPS = 150,
  LIVE_MAX = 40,
  DRAIN_TURNS = 3000,
  CANCEL_AT = 300,
  CONNECTIONS = 2048,
  LOOKS_MAX = 20000,
  PAGE = 4096,
  MS = 1000,
  SECOND = 1000000
};

typedef struct {
  howdah_request request;
  char query[64];
  bool failed;
  bool left; /* its client has gone, and nobody was told */
} exchange;

/* Address space for all exchanges of a walk, one to a page: who uses one that has finished is ended by the processor. */
static const size_t pages_bytes = (size_t)1 << 34;
static char *pages;
static size_t pages_used;

static howdah_loop *loop;
static howdah_pool *pool;
static uint64_t clock_us = SECOND, random_state;
static unsigned looks; /* at the clock, since the last turn of the loop */
static char folder[] = "/tmp/howdah-walk-XXXXXX";
static char script[4096];
static int server = -1;

static exchange *live[LIVE_MAX];
static unsigned living, submitted, finished, failed, aborted;
static bool ends;
static unsigned calls; /* of this front-end, which are below us on the stack: nobody is served meanwhile */

static __attribute__((noreturn, format(printf, 1, 2))) void complain(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fputs("walk: ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  exit(1);
}

uint64_t __wrap_howdah_loop_now_us(void);
uint64_t __wrap_howdah_loop_now_us(void) {
  if (++looks > LOOKS_MAX) complain("something goes on and on, without a turn of the loop");
  return ++clock_us;
}

/* xorshift64* (Vigna, 2014). */
static unsigned any(unsigned sides) {
  random_state ^= random_state >> 12;
  random_state ^= random_state << 25;
  random_state ^= random_state >> 27;
  return (unsigned)((random_state * UINT64_C(2685821657736338717) >> 33) % sides);
}

#define ANY_OF(array) (array)[any(sizeof(array) / sizeof(*(array)))]

/* What PHP says of scripts that fail on purpose is of no interest. */
static void log_line(howdah_log_level level, const char *message, size_t len, howdah_request *request) {
  (void)level, (void)request;
  if (!memmem(message, len, "fault of Howdah", 15) && !memmem(message, len, "howdah: crash:", 14)) return;
  if (write(STDERR_FILENO, message, len) < 0 || write(STDERR_FILENO, "\n", 1) < 0) return; /* there is nowhere to say it */
}

/* ---- Requests ---- */

static howdah_str text(const char *zero_terminated) {
  return (howdah_str){zero_terminated, strlen(zero_terminated)};
}

static void variables(howdah_request *request, void (*add)(void *to, howdah_str name, howdah_str value), void *to) {
  add(to, text("REQUEST_METHOD"), request->method);
  add(to, text("QUERY_STRING"), request->query_string);
  add(to, text("SCRIPT_FILENAME"), text(script));
}

static ssize_t read_body(howdah_request *request, char *buffer, size_t size) {
  (void)request, (void)buffer, (void)size;
  return 0;
}

static int send_head(howdah_request *request, int status, const howdah_header *headers, size_t count) {
  (void)request, (void)status, (void)headers, (void)count;
  return 0;
}

static int write_answer(howdah_request *request, const char *data, size_t len) {
  (void)request, (void)data, (void)len;
  return 0;
}

static int flush(howdah_request *request) {
  (void)request;
  return 0;
}

static void end_response(howdah_request *request) {
  (void)request;
}

static void fail(howdah_request *request, int status) {
  exchange *self = (exchange *)request;
  (void)status;
  if (self->failed) complain("a request failed twice");
  self->failed = true;
  failed++;
}

static exchange *submit(void);

static exchange *new_exchange(void) {
  char *page = pages + pages_used;
  pages_used += PAGE;
  if (pages_used > pages_bytes || mprotect(page, PAGE, PROT_READ | PROT_WRITE) < 0) complain("out of memory");
  return (exchange *)page;
}

static void free_exchange(exchange *self) {
  if (mmap(self, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED)
    complain("a page cannot be given back: %s", strerror(errno));
}

static void finish(howdah_request *request) {
  exchange *self = (exchange *)request;
  finished++;
  for (unsigned i = 0; i < living; i++)
    if (live[i] == self) live[i] = live[--living];
  free_exchange(self);
  calls++;
  if (!ends && any(8) == 0) submit();
  calls--;
}

/* Asked of those that are about to be served. */
static bool is_gone(howdah_request *request) {
  if (calls) complain("a request is served while the front-end is in the middle of something");
  return ((exchange *)request)->left;
}

static const howdah_request_ops ops = {.variables = variables,
                                       .read_body = read_body,
                                       .send_head = send_head,
                                       .write = write_answer,
                                       .flush = flush,
                                       .end_response = end_response,
                                       .fail = fail,
                                       .is_gone = is_gone,
                                       .finish = finish};

/* It may be over when this returns. */
static exchange *submit(void) {
  static const char *const acts[] = {"echo",     "echo",  "echo",      "nap",         "nap",        "wait",
                                     "stubborn", "exit",  "throw",     "grow",        "memory",     "litter",
                                     "lump",     "after", "multibyte", "litter-exit", "litter-wait"};
  if (living == LIVE_MAX) return NULL;
  exchange *self = new_exchange();
  snprintf(self->query, sizeof(self->query), "do=%s&us=%u", ANY_OF(acts), any(200 * MS));
  self->request = (howdah_request){.ops = &ops,
                                   .method = text("GET"),
                                   .request_uri = text("/"),
                                   .query_string = text(self->query),
                                   .protocol = text("HTTP/1.1"),
                                   .script_filename = text(script),
                                   .outlives_client = any(4) == 0};
  live[living++] = self;
  looks = 0;
  submitted++;
  howdah_pool_submit(pool, &self->request);
  return self;
}

/* ---- Steps ---- */

static void turn(unsigned times) {
  while (times-- > 0) {
    looks = 0;
    if (howdah_epoll_loop_turn(loop, 0) < 0) complain("the loop failed: %s", strerror(errno));
  }
}

/* How worker scripts boot from now on. */
static void boots(const char *how) {
  char path[128];
  snprintf(path, sizeof(path), "%s/boot", folder);
  FILE *file = fopen(path, "w");
  if (!file || fputs(how, file) < 0 || fclose(file) != 0) complain("%s: %s", path, strerror(errno));
}

static void let_time_pass(void) {
  static const unsigned pauses_us[] = {0, 500, 25 * MS, 60 * MS, 300 * MS, 1200 * MS, 3 * SECOND, 6 * SECOND, 31 * SECOND};
  clock_us += ANY_OF(pauses_us);
  turn(1 + any(4));
}

/* The pool is told, or finds it out itself when it is about to serve it. */
static void abandon_one(void) {
  if (living == 0) return;
  exchange *one = live[any(living)];
  aborted++;
  if (any(2) == 0) {
    one->left = true;
    return;
  }
  calls++;
  howdah_request_aborted(&one->request);
  calls--;
}

static void abandon(const exchange *one) {
  for (unsigned i = 0; i < living; i++) {
    if (live[i] != one) continue;
    aborted++;
    if (any(4) == 0)
      howdah_request_end(&live[i]->request);
    else
      howdah_request_aborted(&live[i]->request);
    return;
  }
}

/* Of HTTP/2, with streams that wait for timers that are due: one after the other is told, or the operator ends it. */
static void break_connection(void) {
  const exchange *streams[3];
  clock_us += 300 * MS;
  for (unsigned i = 0; i < 3; i++)
    streams[i] = submit();
  calls++;
  for (unsigned i = 0; i < 3; i++)
    abandon(streams[i]);
  calls--;
}

/* Told to fail like one whose time limit has passed; or it had its answer, or waited. */
static void end_one(void) {
  if (living == 0) return;
  aborted++;
  calls++;
  howdah_request_end(&live[any(living)]->request);
  calls--;
}

static void compare(void) {
  howdah_pool_stats stats;
  howdah_pool_get_stats(pool, &stats);
  if (stats.requests != finished || submitted != finished + living)
    complain("%u requests were submitted, %u finished, and the pool counts %llu", submitted, finished,
             (unsigned long long)stats.requests);
  if (stats.cancelled < failed || stats.cancelled > failed + aborted || (aborted == 0 && stats.cancelled != failed))
    complain("%u requests were told to fail, %u abandoned, and the pool counts %llu", failed, aborted,
             (unsigned long long)stats.cancelled);
  if (stats.births - stats.deaths != stats.realms) complain("births, deaths and realms do not add up");
}

static void step(bool abandons) {
  static const char *const ways[] = {"well", "well", "well", "fail", "slow", "hang", "late"};
  switch (any(10)) {
  case 0:
    if (!abandons) break;
    if (any(3) == 0)
      end_one();
    else if (any(4) == 0)
      break_connection();
    else
      abandon_one();
    break;
  case 1:
    boots(ANY_OF(ways));
    break;
  case 2:
  case 3:
  case 4:
    let_time_pass();
    break;
  case 5:
    turn(1);
    break;
  default:
    submit();
  }
  compare();
}

/* ---- Rounds ---- */

static void count(void *told) {
  ++*(unsigned *)told;
}

static void hang_up(void) {
  for (int fd; (fd = accept(server, NULL, NULL)) >= 0;)
    close(fd);
}

/* A server that takes connections and answers nobody. */
static void listen_somewhere(void) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  socklen_t size = sizeof(address);
  char port[16];
  server = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (server < 0 || bind(server, (struct sockaddr *)&address, size) < 0 || listen(server, CONNECTIONS) < 0 ||
      getsockname(server, (struct sockaddr *)&address, &size) < 0)
    complain("no socket that listens: %s", strerror(errno));
  snprintf(port, sizeof(port), "%u", ntohs(address.sin_port));
  setenv("HOWDAH_WALK_PORT", port, 1);
}

/* So that workers stop also while successors boot. */
static void wear_out(void) {
  enum { WORN = 25 };
  boots("well");
  clock_us += 61 * (uint64_t)SECOND; /* births are tried again */
  turn(4);
  boots(any(2) ? "hang" : "slow");
  for (unsigned i = 0; i < WORN; i++) {
    submit();
    clock_us += any(20) * MS;
    turn(1);
  }
}

static bool is_empty(void) {
  howdah_pool_stats stats;
  howdah_pool_get_stats(pool, &stats);
  return stats.realms == 0 && living == 0;
}

static void wait_until_empty(bool abandons) {
  for (unsigned turns = 0; !is_empty(); turns++) {
    if (turns == DRAIN_TURNS) complain("a pool was not drained: %u requests are left", living);
    if (turns == CANCEL_AT) {
      aborted = UINT32_MAX / 2;
      howdah_pool_cancel(pool);
    }
    turn(1);
    clock_us += 50 * MS;
    if (abandons && any(4) == 0) end_one();
  }
  turn(2);
  compare();
}

static void drain(bool abandons) {
  unsigned told = 0;
  bool cancels = any(3) == 0;
  ends = true;
  if (cancels) {
    aborted = UINT32_MAX / 2; /* those that had ended their response are cancelled and not told to fail */
    howdah_pool_cancel(pool);
  }
  howdah_pool_drain(pool, count, &told);
  wait_until_empty(abandons);
  if (told != 1) complain("that a pool is drained was told %u times", told);
  boots("well");
  submit(); /* it comes late */
  wait_until_empty(abandons);
  if (told != 1) complain("that a pool is drained was told again");
}

static void round_of(const char *scripts) {
  static const unsigned most[] = {1, 2, 3, 6}, seldom[] = {0, 0, 1, 3, 8}, queues[] = {0, 2, 20}, limits_ms[] = {0, 100, 2000};
  howdah_pool_options options = {.realms_max = ANY_OF(most),
                                 .mode = any(3) == 0 ? HOWDAH_CLASSIC : HOWDAH_WORKER,
                                 .document_root = scripts,
                                 .requests_max = ANY_OF(seldom),
                                 .queue_max = ANY_OF(queues),
                                 .queue_timeout_ms = any(2) ? 0 : 1500,
                                 .idle_timeout_ms = any(2) ? 0 : 1000,
                                 .realm_memory = any(2) ? 0 : (uint64_t)6 << 20,
                                 .request_timeout_ms = ANY_OF(limits_ms),
                                 .boot_timeout_ms = any(2) ? 0 : 3000};
  char error[1024];
  snprintf(script, sizeof(script), "%s/%s.php", scripts, options.mode == HOWDAH_WORKER ? "worker" : "classic");
  options.script = options.mode == HOWDAH_WORKER ? script : NULL;
  options.realms_warm = any(options.realms_max + 1);
  options.adaptive_least = any(3) == 0 ? 1 : 0;
  submitted = finished = failed = aborted = 0;
  ends = false;
  boots("well");
  pool = howdah_pool_new(&options, error, sizeof(error));
  if (!pool) complain("%s", error);
  bool abandons = any(2);
  for (unsigned i = 0; i < STEPS; i++)
    step(abandons);
  if (any(2)) wear_out();
  drain(abandons);
  howdah_pool_free(pool);
  hang_up();
}

int main(int argc, char **argv) {
  char error[2048], path[128], ini[8192];
  if (argc != 5) complain("usage: walk SCRIPTS EXTENSION SEED ROUNDS");
  random_state = strtoull(argv[3], NULL, 10) * UINT64_C(0x9E3779B97F4A7C15) + 1;
  unsigned rounds = (unsigned)strtoul(argv[4], NULL, 10);
  if (!mkdtemp(folder)) complain("%s: %s", folder, strerror(errno));
  pages = mmap(NULL, pages_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED) complain("no address space: %s", strerror(errno));
  setenv("HOWDAH_WALK", folder, 1);
  setenv("HOWDAH_CHECKS", "1", 1);
  listen_somewhere();
  snprintf(ini, sizeof(ini), "memory_limit=32M\ndisplay_errors=0\nlog_errors=1\nextension=%s\n", argv[2]);
  const howdah_engine_options options = {.log = log_line, .ini_entries = ini, .shared_extensions = "closing"};
  loop = howdah_epoll_loop_new();
  if (!loop) complain("no loop: %s", strerror(errno));
  if (howdah_engine_start(&options, error, sizeof(error)) < 0 || howdah_engine_attach(loop, error, sizeof(error)) < 0)
    complain("%s", error);
  for (unsigned i = 0; i < rounds; i++)
    round_of(argv[1]);
  howdah_engine_stop();
  howdah_epoll_loop_free(loop);
  close(server);
  snprintf(path, sizeof(path), "%s/boot", folder);
  unlink(path);
  rmdir(folder);
  printf("%u rounds, %llu s of made-up time\n", rounds, (unsigned long long)(clock_us / SECOND));
  return 0;
}
