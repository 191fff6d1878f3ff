/* Child processes, and descriptors that are closed while somebody waits for them. */
#include "calls.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static int sleep_and_exit(void *data) {
  nap_ms(100);
  return *(int *)data;
}

static int sleep_for_long(void *data) {
  (void)data;
  nap_ms(60000);
  return 0;
}

static const char *waitpid_one(void) {
  int code = 7, status = 0, lasting = child(sleep_for_long, NULL);
  struct rusage usage;
  CHECK(waitpid(lasting, &status, WNOHANG) == 0 && kill(lasting, SIGKILL) == 0);
  CHECK(waitpid(lasting, &status, 0) == lasting && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  int64_t start = now_ms();
  int pid = child(sleep_and_exit, &code), gone = child(sleep_and_exit, &code);
  CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 7 && took_ms(start, 100));
  CHECK(waitpid(pid, &status, 0) == -1 && errno == ECHILD);
  CHECK(wait4(gone, &status, WUNTRACED, &usage) == gone && WEXITSTATUS(status) == 7 && usage.ru_maxrss > 0);
  CHECK(waitpid(pid, &status, 0x8000) == -1 && errno == EINVAL);
  return NULL;
}

/* Whichever ends first: maybe a neighbour's. */
static const char *wait_any(void) {
  int code = 7, status = 0;
  int64_t start = now_ms();
  struct rusage usage;
  child(sleep_and_exit, &code);
  child(sleep_and_exit, &code);
  CHECK(wait3(&status, 0, &usage) > 0 && WEXITSTATUS(status) == 7);
  CHECK(wait(&status) > 0 && WEXITSTATUS(status) == 7);
  CHECK(took_less_ms(start, 1000));
  return NULL;
}

static const char *stopped(void) {
  int status = 0;
  int pid = child(sleep_for_long, NULL);
  CHECK(kill(pid, SIGSTOP) == 0);
  CHECK(waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP);
  CHECK(kill(pid, SIGKILL) == 0);
  CHECK(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  return NULL;
}

static const char *popen_read(void) {
  char text[16] = "";
  int64_t start = now_ms();
  FILE *stream = popen("echo hello; exec 1>&-; sleep 0.1; exit 3", "r");
  CHECK(stream && fgets(text, sizeof(text), stream) && strcmp(text, "hello\n") == 0);
  CHECK(!fgets(text, sizeof(text), stream));
  int status = pclose(stream);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 3 && took_ms(start, 100));
  CHECK((stream = popen("kill -9 $$", "re")) != NULL);
  status = pclose(stream);
  CHECK(WIFSIGNALED(status) && WTERMSIG(status) == 9);
  CHECK(popen("true", "rw") == NULL && errno == EINVAL);
  CHECK(popen("true", "") == NULL && errno == EINVAL);
  CHECK(popen("true", "rx") == NULL && errno == EINVAL);
  return NULL;
}

static const char *popen_write(void) {
  int64_t start = now_ms();
  FILE *stream = popen("sleep 0.1; read -r line; cat; test \"$line\" = hello", "w"), *other;
  CHECK(stream && fputs("hello\n", stream) >= 0);
  /* A later child, which reads until its own pipe is closed, does not keep the earlier one's pipe open. */
  CHECK((other = popen("cat", "w")) != NULL);
  CHECK(pclose(stream) == 0 && took_ms(start, 100));
  CHECK(pclose(other) == 0);
  return NULL;
}

/* More than a pipe holds, to a reader that takes its time. */
static const char *popen_print(void) {
  enum { MUCH = 300000 };
  char *text = malloc(MUCH + 1);
  CHECK(text);
  memset(text, 'x', MUCH);
  text[MUCH] = 0;
  int64_t start = now_ms();
  errno = 0;
  FILE *stream = popen("sleep 0.1; test $(wc -c) = 300009", "w");
  CHECK(stream && errno == 0 && fputs("one\n", stream) >= 0);
  CHECK(fprintf(stream, "%s", text) == MUCH && fputs("two\n", stream) >= 0 && fputc('\n', stream) == '\n');
  CHECK(pclose(stream) == 0 && took_ms(start, 100));
  free(text);
  return NULL;
}

static const char *waitid_one(void) {
  int status = 3;
  siginfo_t info;
  int64_t start = now_ms();
  int pid = child(sleep_and_exit, &status);
  CHECK(pid > 0 && waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG) == 0 && info.si_pid == 0);
  CHECK(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) == 0 && took_ms(start, 100));
  CHECK(info.si_pid == pid && info.si_code == CLD_EXITED && info.si_status == 3 && info.si_signo == SIGCHLD);
  CHECK(waitid(P_PID, (id_t)pid, NULL, WEXITED) == 0);
  CHECK(waitid(P_PID, (id_t)pid, &info, WEXITED) == -1 && errno == ECHILD);
  CHECK(waitid(P_PID, (id_t)pid, &info, 0) == -1 && errno == EINVAL);
  return NULL;
}

static const char *commands(void) {
  int64_t start = now_ms();
  CHECK(system(NULL) == 1);
  int status = system("sleep 0.1; exit 3");
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 3 && took_ms(start, 100));
  status = system("kill -9 $$");
  CHECK(WIFSIGNALED(status) && WTERMSIG(status) == 9);
  CHECK(system("exit 0") == 0 && WEXITSTATUS(system("no-such-command-here 2>&-")) == 127);
  return NULL;
}

/* The first realm waits for a descriptor in one way, the second one closes it, or puts another in its place. Not for php-cli:
 * in the kernel a call holds the file that it waits for. */
typedef enum { RECV, POLL, REPLACED } waited;

static const char *meet(waited how) {
  static int turn, pair[2];
  char byte;
  if (turn++ > 0) {
    int other[2];
    if (how != REPLACED) {
      CHECK(close(pair[0]) == 0 && close(pair[1]) == 0);
      return NULL;
    }
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, other) == 0 && write(other[1], "z", 1) == 1);
    CHECK(dup2(other[0], pair[0]) == pair[0]);
    return NULL;
  }
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
  int64_t start = now_ms();
  struct pollfd wanted = {.fd = pair[0], .events = POLLIN};
  if (how == RECV) CHECK(recv(pair[0], &byte, 1, 0) == -1 && errno == EBADF);
  if (how == POLL) CHECK(poll(&wanted, 1, 5000) == 1 && wanted.revents == POLLNVAL);
  if (how == REPLACED) CHECK(read(pair[0], &byte, 1) == 1 && byte == 'z');
  CHECK(took_less_ms(start, 1000));
  return NULL;
}

static const char *closed_in_recv(void) {
  return meet(RECV);
}

static const char *closed_in_poll(void) {
  return meet(POLL);
}

static const char *replaced_in_read(void) {
  return meet(REPLACED);
}

const named_call child_calls[] = {
    {"waitpid", waitpid_one},
    {"wait_any", wait_any},
    {"waitid", waitid_one},
    {"commands", commands},
    {"stopped", stopped},
    {"popen_read", popen_read},
    {"popen_write", popen_write},
    {"popen_print", popen_print},
    {"closed_in_recv", closed_in_recv},
    {"closed_in_poll", closed_in_poll},
    {"replaced_in_read", replaced_in_read},
    {NULL, NULL},
};
