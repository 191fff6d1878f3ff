/* Finds PHP's hidden state: runs the finders in a forked child and takes their answer over a pipe. See hidden.h.
 *
 * A child, because probing changes things: requests leave their traces in PHP's memory, and a guess may crash. Addresses are
 * the same in both. opcache's shared memory is the one thing that the child could change for us: the probes add a string or two
 * to it. */
#include "probe.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* A child that says nothing for so long hangs; it needs some 10 ms. One that makes objects of classes that nobody looked at may
 * well; but on a machine that is busy the audit would tell of what was not found in time. */
enum { CHILD_MS = 60000, HARMLESS_MS = 30000 };

typedef bool (*finder)(howdah_probe *probe);

static const finder private_state[] = {
    howdah_find_zend,    howdah_find_spl, howdah_find_standard, howdah_find_filter,   howdah_find_pcre,
    howdah_find_opcache, howdah_find_jit, howdah_find_libxml,   howdah_find_soap,     howdah_find_gd,
    howdah_find_iptc,    howdah_find_uri, howdah_find_shared,   howdah_find_observer, NULL};
/* For the audit alone, each in a child of its own. */
static const finder harmless[] = {howdah_find_constructors, howdah_find_touched, howdah_find_objects};

static howdah_hidden known_items[HOWDAH_ITEMS_MAX];
static size_t known_count;
static howdah_shared shared[HOWDAH_SHARED_MAX];
static size_t shared_count;

/* What the child says. Static strings and functions are at the same address in the parent, so pointers may cross. */
typedef struct {
  char error[512];
  size_t items_count, shared_count;
  howdah_hidden items[HOWDAH_ITEMS_MAX];
  howdah_shared shared[HOWDAH_SHARED_MAX];
} answer;

/* ---- The child ----------------------------------------------------------------------------------------------------------- */

static size_t discard_write(const char *data, size_t size) {
  (void)data;
  return size;
}

static int discard_headers(sapi_headers_struct *headers) {
  (void)headers;
  return SAPI_HEADER_SENT_SUCCESSFULLY;
}

static void discard_log(const char *message, int level) {
  (void)message;
  (void)level;
}

/* The SAPI knows nothing of a request that nobody sent, and must not be asked about it. */
static void silence_sapi(void) {
  sapi_module.activate = NULL;
  sapi_module.deactivate = NULL;
  sapi_module.flush = NULL;
  sapi_module.get_stat = NULL;
  sapi_module.getenv = NULL;
  sapi_module.header_handler = NULL;
  sapi_module.send_header = NULL;
  sapi_module.read_post = NULL;
  sapi_module.read_cookies = NULL;
  sapi_module.register_server_variables = NULL;
  sapi_module.get_request_time = NULL;
  sapi_module.ub_write = discard_write;
  sapi_module.send_headers = discard_headers;
  sapi_module.log_message = discard_log;
  SG(server_context) = NULL;
  PG(display_errors) = 0;
  PG(log_errors) = 0;
  PG(open_basedir) = NULL;
}

/* A crash here is an answer: no handler of the front-end may take it for its own. */
static void let_crash(void) {
  static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
  for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
    signal(signals[i], SIG_DFL);
}

static void run_finders(howdah_probe *probe, const finder *finders) {
  char error[128];
  /* executor_globals is libphp's own memory also where the program has a copy relocation of some other symbol: it is reached here
   * as a probe will reach it, through code of libphp. */
  if (howdah_segments_add(&probe->library, (const void *)(uintptr_t)php_request_startup, error, sizeof(error)) < 0) {
    howdah_probe_fail(probe, "libphp's memory", "%s", error);
    return;
  }
  silence_sapi();
  /* The first request makes what PHP makes lazily; the second shows what each request changes. */
  if (!howdah_probe_new_request(probe) || !howdah_probe_new_request(probe)) return;
  for (; *finders; finders++)
    if (!(*finders)(probe)) {
      howdah_probe_fail(probe, "hidden state", "a finder failed without saying why");
      return;
    }
}

static void start_from_known(howdah_probe *probe) {
  memcpy(probe->items, known_items, known_count * sizeof(*known_items));
  probe->items_count = known_count;
  memcpy(probe->shared, shared, shared_count * sizeof(*shared));
  probe->shared_count = shared_count;
}

static void child(int pipe_end, const finder *finders) {
  howdah_probe *probe = calloc(1, sizeof(*probe));
  answer *say = calloc(1, sizeof(*say));
  if (!probe || !say) _exit(1);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  let_crash();
  if (finders != private_state) start_from_known(probe);
  run_finders(probe, finders);
  memcpy(say->error, probe->error, sizeof(say->error));
  memcpy(say->items, probe->items, sizeof(say->items));
  memcpy(say->shared, probe->shared, sizeof(say->shared));
  say->items_count = probe->items_count;
  say->shared_count = probe->shared_count;
  const char *from = (const char *)say;
  for (size_t left = sizeof(*say); left;) {
    ssize_t n = write(pipe_end, from, left);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    from += n;
    left -= (size_t)n;
  }
  /* The parent ends it. Nothing of PHP or of the front-end may be shut down by the child: neither what exit() runs, nor what a
   * memory checker does at _exit(), which is to call all of PHP a leak. */
  for (;;)
    pause();
}

/* ---- The parent ---------------------------------------------------------------------------------------------------------- */

/* 0, or an errno: ETIMEDOUT, or EPIPE when the child ended before it had said all. */
static int read_answer(int pipe_end, int limit_ms, answer *said) {
  char *to = (char *)said;
  for (size_t left = sizeof(*said); left;) {
    struct pollfd wait = {.fd = pipe_end, .events = POLLIN};
    int ready = poll(&wait, 1, limit_ms);
    if (ready == 0) return ETIMEDOUT;
    ssize_t n = ready < 0 ? -1 : read(pipe_end, to, left);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    if (n == 0) return EPIPE;
    to += n;
    left -= (size_t)n;
  }
  return 0;
}

static void say_why(int failure, int status, char *error, size_t error_size) {
  char how[64];
  if (failure != EPIPE)
    snprintf(how, sizeof(how), "%s", strerror(failure));
  else if (WIFSIGNALED(status))
    snprintf(how, sizeof(how), "signal %d", WTERMSIG(status));
  else
    snprintf(how, sizeof(how), "status %d", WEXITSTATUS(status));
  snprintf(
      error, error_size,
      "howdah: looking for PHP's hidden state ended with %s (PHP %s); this PHP build is not supported yet, please report it",
      how, zend_get_module_version("Core"));
}

/* Runs the child and waits for it. SIGCHLD is blocked meanwhile: nginx's handler would reap the child and log it as a worker. */
static bool ask_child(const finder *finders, answer *said, char *error, size_t error_size) {
  int ends[2], status = 0;
  sigset_t chld, before;
  int failure = EPIPE;
  if (pipe(ends) < 0) {
    snprintf(error, error_size, "howdah: cannot look for PHP's hidden state: pipe: %s", strerror(errno));
    return false;
  }
  sigemptyset(&chld);
  sigaddset(&chld, SIGCHLD);
  sigprocmask(SIG_BLOCK, &chld, &before);
  fflush(NULL);
  pid_t pid = fork();
  if (pid == 0) {
    close(ends[0]);
    child(ends[1], finders);
  }
  close(ends[1]);
  if (pid < 0) {
    snprintf(error, error_size, "howdah: cannot look for PHP's hidden state: fork: %s", strerror(errno));
  } else {
    failure = read_answer(ends[0], finders == private_state ? CHILD_MS : HARMLESS_MS, said);
    /* One that crashed is dead already: EPIPE. */
    if (failure != EPIPE) kill(pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
      ;
    if (failure) say_why(failure, status, error, error_size);
  }
  close(ends[0]);
  sigprocmask(SIG_SETMASK, &before, NULL);
  return failure == 0;
}

int howdah_hidden_find(howdah_hidden *found, size_t max, char *error, size_t error_size) {
  int count = -1;
  answer *said = calloc(1, sizeof(*said));
  if (!said) {
    snprintf(error, error_size, "howdah: out of memory for the list of PHP's hidden state");
    return -1;
  }
  if (!ask_child(private_state, said, error, error_size)) {
  } else if (said->error[0]) {
    snprintf(error, error_size, "%s", said->error);
  } else if (said->items_count > max) {
    snprintf(error, error_size, "howdah: room for %zu items of PHP's hidden state, but there are %zu", max, said->items_count);
  } else {
    memcpy(found, said->items, said->items_count * sizeof(*found));
    memcpy(shared, said->shared, said->shared_count * sizeof(*shared));
    shared_count = said->shared_count;
    memcpy(known_items, said->items, said->items_count * sizeof(*known_items));
    known_count = said->items_count;
    count = (int)said->items_count;
  }
  free(said);
  return count;
}

int howdah_hidden_find_harmless(char *error, size_t error_size) {
  static bool found;
  if (found) return 0;
  found = true;
  answer *said = calloc(1, sizeof(*said));
  int result = said ? 0 : -1;
  if (!said) snprintf(error, error_size, "howdah: out of memory for the list of what realms share");
  for (size_t i = 0; i < sizeof(harmless) / sizeof(*harmless) && said; i++) {
    const finder finders[] = {harmless[i], NULL};
    char why[512];
    bool answered = ask_child(finders, said, why, sizeof(why)) && !said->error[0];
    if (!answered && result == 0) {
      snprintf(
          error, error_size,
          "howdah: not all that realms share without harm could be found, so the audit and the judgement of unknown extensions "
          "may tell of too much: %s",
          said->error[0] ? said->error : why);
      result = -1;
    }
    if (!answered) continue;
    memcpy(shared, said->shared, said->shared_count * sizeof(*shared));
    shared_count = said->shared_count;
  }
  free(said);
  return result;
}

const howdah_shared *howdah_hidden_shared(size_t *count) {
  *count = shared_count;
  return shared;
}
