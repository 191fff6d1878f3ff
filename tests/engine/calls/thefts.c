/* Descriptors that another process shares, and that it empties or fills right before a call, when poll(2) has said already that
 * it would not wait: tests/engine/thief, which the tests load before the C library. */
#include "calls.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

typedef void (*ask)(int fd);

static ask thief(void) {
  return (ask)dlsym(RTLD_DEFAULT, "thief_waits_at");
}

/* What the second realm does, while the first one waits for it. */
static struct {
  void (*work)(void *data);
  void *data;
} help;

static void ask_for_help(void (*work)(void *data), void *data) {
  help.work = work;
  help.data = data;
}

/* Of two realms that call, the first one is robbed, and the second one helps. */
static const char *rob_first(const char *(*robbed)(void)) {
  static unsigned came;
  if (came++ % 2 == 0) return thief() ? robbed() : "there is no thief";
  CHECK(help.work);
  help.work(help.data);
  return NULL;
}

typedef struct {
  struct sockaddr_in address;
  int client;
} visitor;

static void visit(void *data) {
  visitor *self = data;
  self->client = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(self->client, (struct sockaddr *)&self->address, sizeof(self->address)) < 0) abort();
  if (send(self->client, "b", 1, 0) != 1) abort();
}

/* The first connection is gone, so it waits for the second one. */
static const char *accept_second(bool with_flags) {
  visitor second = {.address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)}};
  socklen_t len = sizeof(second.address);
  struct timeval limit = {0, 50000}, none = {0, 0};
  char text[2];
  int server = socket(AF_INET, SOCK_STREAM, 0), first = socket(AF_INET, SOCK_STREAM, 0), other = dup(server);
  CHECK(bind(server, (struct sockaddr *)&second.address, len) == 0 && listen(server, 5) == 0);
  CHECK(getsockname(server, (struct sockaddr *)&second.address, &len) == 0);
  CHECK(connect(first, (struct sockaddr *)&second.address, len) == 0);
  thief()(server);
  ask_for_help(visit, &second);
  int got = with_flags ? accept4(server, NULL, NULL, SOCK_CLOEXEC) : accept(server, NULL, NULL);
  CHECK(got >= 0 && recv(got, text, 2, 0) == 1 && text[0] == 'b');
  close(got);
  /* What others see of the open file is as it was. */
  CHECK(!(fcntl(other, F_GETFL) & O_NONBLOCK) && getsockopt(other, SOL_SOCKET, SO_RCVTIMEO, &limit, &len) == 0);
  CHECK(limit.tv_sec == 0 && limit.tv_usec == 0);
  /* Its own time limit counts from the call's beginning, whoever takes what. */
  limit.tv_usec = 50000;
  CHECK(setsockopt(server, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)) == 0);
  int third = socket(AF_INET, SOCK_STREAM, 0);
  CHECK(connect(third, (struct sockaddr *)&second.address, sizeof(second.address)) == 0);
  thief()(server);
  int64_t start = now_ms();
  CHECK(accept(server, NULL, NULL) == -1 && errno == EAGAIN && took_ms(start, 50));
  CHECK(setsockopt(server, SOL_SOCKET, SO_RCVTIMEO, &none, sizeof(none)) == 0);
  close(first);
  close(second.client);
  close(third);
  close(other);
  close(server);
  return NULL;
}

static const char *accept_plainly(void) {
  return accept_second(false);
}

static const char *accept_with_flags(void) {
  return accept_second(true);
}

static void add_five(void *data) {
  uint64_t five = 5;
  if (write(*(int *)data, &five, sizeof(five)) != sizeof(five)) abort();
}

static void empty(void *data) {
  uint64_t count;
  if (read(*(int *)data, &count, sizeof(count)) != sizeof(count)) abort();
}

/* The kernel has no "do not wait" for it that we would ask for: poll(2), then read(2). A signal mask makes no difference. */
static const char *read_event(void) {
  uint64_t count = 1;
  sigset_t all, before;
  int counter = eventfd(0, 0);
  CHECK(counter >= 0 && write(counter, &count, sizeof(count)) == sizeof(count));
  sigfillset(&all);
  CHECK(sigprocmask(SIG_BLOCK, &all, &before) == 0);
  thief()(counter);
  ask_for_help(add_five, &counter);
  ssize_t got = read(counter, &count, sizeof(count));
  CHECK(sigprocmask(SIG_SETMASK, &before, &all) == 0 && sigismember(&all, SIGURG) == 1 && sigismember(&before, SIGURG) == 0);
  CHECK(got == sizeof(count) && count == 5);
  close(counter);
  return NULL;
}

static const char *write_event(void) {
  uint64_t most = UINT64_MAX - 2, one = 1;
  int counter = eventfd(0, 0);
  CHECK(counter >= 0 && write(counter, &most, sizeof(most)) == sizeof(most));
  thief()(counter);
  ask_for_help(empty, &counter);
  CHECK(write(counter, &one, sizeof(one)) == sizeof(one));
  CHECK(read(counter, &one, sizeof(one)) == sizeof(one) && one == 1);
  close(counter);
  return NULL;
}

static void type_line(void *data) {
  if (write(*(int *)data, "second\n", 7) != 7) abort();
}

static const char *read_line(void) {
  char line[16];
  int keyboard = posix_openpt(O_RDWR | O_NOCTTY);
  CHECK(keyboard >= 0 && grantpt(keyboard) == 0 && unlockpt(keyboard) == 0);
  int terminal = open(ptsname(keyboard), O_RDWR | O_NOCTTY);
  CHECK(terminal >= 0 && write(keyboard, "first\n", 6) == 6);
  nap_ms(20); /* the kernel hands it on from a thread of its own */
  thief()(terminal);
  ask_for_help(type_line, &keyboard);
  CHECK(read(terminal, line, sizeof(line)) == 7 && memcmp(line, "second\n", 7) == 0);
  close(terminal);
  close(keyboard);
  return NULL;
}

static const char *stolen_connection(void) {
  return rob_first(accept_plainly);
}

static const char *stolen_connection_with_flags(void) {
  return rob_first(accept_with_flags);
}

static const char *stolen_event(void) {
  return rob_first(read_event);
}

static const char *stolen_room(void) {
  return rob_first(write_event);
}

static const char *stolen_line(void) {
  return rob_first(read_line);
}

const named_call theft_calls[] = {
    {"stolen_connection", stolen_connection},
    {"stolen_connection_with_flags", stolen_connection_with_flags},
    {"stolen_event", stolen_event},
    {"stolen_room", stolen_room},
    {"stolen_line", stolen_line},
    {NULL, NULL},
};
