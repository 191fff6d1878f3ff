/* A crash takes the requests of its worker with it (one address space). Before the process dies, the log says of what, and
 * where the PHP code of each request was: of the one that ran, and of those that waited. Then the signal does what it would
 * have done: there is a core dump where the system makes one, nginx says "exited on signal 11" and starts another worker.
 *
 * Invariants, because this runs in a signal handler, over memory that may be broken:
 *  1. Nothing is allocated or locked; what the front-end's log does is as careful (howdah_engine_options).
 *  2. Everything is read under a guard: a bad pointer ends a line of the report, not the report. What is linked is followed for
 *     so many steps and no more: it may be a ring.
 *  3. A second fault outside a guard ends the process at once. */
#include "crash.h"
#include "guard.h"
#include "overflow.h"
#include "trace.h"
#include "../hooks/exit.h"
#include "../hooks/hooked.h"
#include "../hooks/offload.h"
#include "../log.h"
#include "../realm/pool.h"
#include "../state/php_headers.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

/* AddressSanitizer has handlers of its own. */
#if !defined(__SANITIZE_ADDRESS__)

enum { HANDLER_STACK_BYTES = 128 * 1024, LINE_BYTES = 1400, LINES_MAX = 1000, STEPS_MAX = 100000 };

static const struct {
  int number;
  const char *name;
} signals[] = {{SIGSEGV, "segmentation fault (SIGSEGV)"},
               {SIGBUS, "bus error (SIGBUS)"},
               {SIGFPE, "arithmetic error (SIGFPE)"},
               {SIGILL, "illegal instruction (SIGILL)"},
               {SIGABRT, "abort (SIGABRT)"}};
enum { SIGNALS = sizeof(signals) / sizeof(*signals) };

static struct sigaction before[SIGNALS];
enum { NAME_BYTES = 16 }; /* of a thread: prctl(2) */

static pid_t worker, worker_thread;
static char worker_name[NAME_BYTES];
static volatile sig_atomic_t handling;

/* ---- A line of the report; snprintf() is not for signal handlers ---- */

static char line[LINE_BYTES];
static size_t line_len;

static void say_part(const char *text, size_t len) {
  for (size_t i = 0; i < len && line_len < LINE_BYTES; i++)
    line[line_len++] = (unsigned char)text[i] < ' ' || text[i] == 127 ? '?' : text[i];
}

static void say(const char *text) {
  say_part(text, strlen(text));
}

static void say_string(const zend_string *text) {
  say_part(ZSTR_VAL(text), ZSTR_LEN(text));
}

static void say_number(uint64_t number, unsigned base) {
  char digits[24];
  size_t at = sizeof(digits);
  do
    digits[--at] = "0123456789abcdef"[number % base];
  while ((number /= base) > 0);
  say_part(digits + at, sizeof(digits) - at);
}

static void write_line(void *request) {
  howdah_log_raw(HOWDAH_LOG_ERROR, request, line, line_len);
}

/* The front-end adds what it knows of a request, if that can be read. */
static void end_line(howdah_request *request) {
  if (!request || !howdah_guarding(write_line, request)) write_line(NULL);
}

/* ---- Where PHP code was ---- */

static void say_function(const zend_function *function) {
  if (!function || ZEND_USER_CODE(function->type) || !function->common.function_name) return;
  say(", in ");
  if (function->common.scope) {
    say_string(function->common.scope->name);
    say("::");
  }
  say_string(function->common.function_name);
  say("()");
}

static void say_place(const zend_executor_globals *executor) {
  const zend_execute_data *top = executor->current_execute_data, *frame = howdah_trace_code(top);
  if (!frame) {
    say("no PHP code ran");
    return;
  }
  say("PHP was in ");
  say_string(frame->func->op_array.filename);
  say(" on line ");
  say_number(howdah_trace_line(executor, frame), 10);
  if (top != frame) say_function(top->func);
}

static void say_compilation(const zend_compiler_globals *compiler) {
  if (!compiler->in_compilation || !compiler->compiled_filename) return;
  say(", compiling ");
  say_string(compiler->compiled_filename);
  say(" on line ");
  say_number(compiler->zend_lineno, 10);
}

/* ---- A line for each request ---- */

static void say_request(const howdah_request *request) {
  say_part(request->method.data, request->method.len);
  say(" ");
  say_part(request->request_uri.data, request->request_uri.len);
}

static bool is_running(const howdah_realm *realm) {
  return &realm->coroutine == howdah_coroutine_current();
}

static void say_realm(void *data) {
  const howdah_realm *realm = data;
  bool runs = is_running(realm), boots = realm->request && !howdah_request_is_real(realm->request);
  say("realm ");
  say_number(realm->id, 10);
  say(runs ? " ran " : realm->coroutine.yielding ? " let others run in " : " waited in ");
  if (realm->request && !boots)
    say_request(realm->request);
  else
    say(boots && !realm->booted ? "its worker script, which boots" : "its worker script");
  if (realm->assigned) {
    say(" for ");
    say_request(realm->assigned);
  }
  say(": ");
  say_place(howdah_state_find(&realm->state, &executor_globals));
  if (runs) say_compilation(howdah_state_find(&realm->state, &compiler_globals));
}

static void say_queued(void *data) {
  say_request(data);
  say(" waited for a realm");
}

static void tell(void (*work)(void *data), void *data, howdah_request *request) {
  line_len = 0;
  say("howdah: crash: ");
  if (!howdah_guarding(work, data)) say(" (the rest cannot be read)");
  end_line(request);
}

static void tell_realm(howdah_realm *realm) {
  bool real = realm->request && howdah_request_is_real(realm->request);
  tell(say_realm, realm, real ? realm->request : realm->assigned);
}

static void tell_queued(howdah_request *request) {
  tell(say_queued, request, request);
}

/* ---- The report ---- */

typedef struct {
  void (*realm)(howdah_realm *realm);
  void (*queued)(howdah_request *request);
  unsigned left; /* so many, then no more */
} walk;

/* All that have a request, but for the realm that runs. */
static void walk_all(void *data) {
  walk *self = data;
  unsigned pools = STEPS_MAX;
  for (const howdah_pool *pool = howdah_pools_first(); pool && pools-- > 0; pool = pool->next_pool) {
    unsigned realms = pool->counts.realms, queued = pool->counts.queued;
    for (howdah_realm *realm = pool->all; realm && realms-- > 0; realm = realm->all_next)
      if ((realm->request || realm->assigned) && !is_running(realm) && self->left-- > 0) self->realm(realm);
    for (howdah_request *request = howdah_queue_first(&pool->queue); request && queued-- > 0; request = request->next)
      if (self->left-- > 0) self->queued(request);
  }
}

static unsigned counted;

static void count_realm(howdah_realm *realm) {
  if (realm->assigned || howdah_request_is_real(realm->request)) counted++;
}

static void count_queued(howdah_request *request) {
  (void)request;
  counted++;
}

static void count_running(void *data) {
  count_realm(data);
}

static void say_overflow(void *data) {
  const siginfo_t *info = data;
  if (info->si_signo == SIGSEGV && info->si_code > 0 && howdah_overflow_is(info->si_addr))
    say("the C stack was exhausted (recursion in C code, or what it frees or writes is nested too deep): ");
}

/* What the first line of a report begins with. */
typedef struct cause cause;
struct cause {
  void (*say)(const cause *self);
  int index; /* of a signal */
  siginfo_t *info;
  const char *function, *caller; /* who has ended the process, how */
  int status;
};

static void say_signal(const cause *self) {
  siginfo_t *info = self->info;
  howdah_guarding(say_overflow, info);
  say(signals[self->index].name);
  if (info->si_code > 0) {
    say(" at address 0x");
    say_number((uintptr_t)info->si_addr, 16);
  } else if (info->si_code == SI_USER || info->si_code == SI_QUEUE) {
    say(", sent by process ");
    say_number((uint64_t)info->si_pid, 10);
  } else if (info->si_code == SI_TIMER) {
    say(", for C code holds a boot beyond its time limit (howdah_boot_timeout)");
  }
}

static void say_exit(const cause *self) {
  say(self->caller);
  say(" called ");
  say(self->function);
  say("(");
  if (self->status < 0) say("-");
  say_number((uint64_t)(self->status < 0 ? -(int64_t)self->status : self->status), 10);
  say(")");
}

/* Its name is the process's unless its library has given it one. */
static void say_thread(void) {
  char name[NAME_BYTES] = "";
  const char *looks_up = howdah_offload_doing(gettid());
  if (looks_up) {
    say(", in a thread of Howdah's that looks up ");
    say(looks_up[0] ? looks_up : "a number or an address");
    return;
  }
  say(", in a thread of a library");
  if (prctl(PR_GET_NAME, name) == 0 && strcmp(name, worker_name) != 0) {
    say(" (");
    say(name);
    say(")");
  }
}

static void say_cause(const cause *self) {
  line_len = 0;
  say("howdah: crash: ");
  self->say(self);
  if (gettid() != worker_thread)
    say_thread();
  else if (!howdah_coroutine_current())
    say(", outside of PHP code");
}

static void report(const cause *what) {
  howdah_realm *running = howdah_realm_current();
  walk counting = {count_realm, count_queued, UINT_MAX}, telling = {tell_realm, tell_queued, LINES_MAX};
  if (running && (running->request || running->assigned)) howdah_guarding(count_running, running);
  howdah_guarding(walk_all, &counting);
  say_cause(what);
  say(": worker process ");
  say_number((uint64_t)worker, 10);
  say(" dies with ");
  say_number(counted, 10);
  say(counted == 1 ? " request" : " requests");
  write_line(NULL);
  if (running) tell_realm(running);
  howdah_guarding(walk_all, &telling);
}

/* ---- The handler ---- */

typedef struct {
  const void *address;
  void *context;
  bool survived;
} touch;

static void grow(void *data) {
  touch *self = data;
  self->survived = howdah_overflow_grow(self->address, self->context);
}

static bool is_survived(int signal, const siginfo_t *info, void *context) {
  touch self = {info->si_addr, context, false};
  return signal == SIGSEGV && info->si_code > 0 && howdah_guarding(grow, &self) && self.survived;
}

/* A child that was forked, and has not yet become another program, has our handlers, and nobody's requests. */
static bool is_ours(void) {
  return getpid() == worker;
}

static void on_crash(int signal, siginfo_t *info, void *context) {
  int index = 0, saved = errno;
  if (gettid() == worker_thread) howdah_guard_catch(context);
  bool again = handling++ > 0;
  if (!again && is_ours() && is_survived(signal, info, context)) {
    handling = 0;
    errno = saved;
    return;
  }
  while (index < SIGNALS - 1 && signals[index].number != signal)
    index++;
  const cause what = {.say = say_signal, .index = index, .info = info};
  if (!again && is_ours()) report(&what);
  howdah_real_sigaction(signal, &before[index], NULL);
  /* Else the instruction that failed is tried again when this returns. */
  if (info->si_code <= 0) raise(signal);
}

bool howdah_engine_is_crashing(void) {
  return handling > 0;
}

/* ---- The end by exit() and its like ---- */

static bool report_exit(cause *what) {
  if (!is_ours() || handling++ > 0) return false;
  what->say = say_exit;
  report(what);
  return true;
}

bool howdah_crash_exit(const char *function, int status, const void *caller) {
  Dl_info object;
  cause what = {.function = function, .status = status, .caller = "PHP"};
  if (caller) what.caller = dladdr(caller, &object) && object.dli_fname ? object.dli_fname : "a library";
  return report_exit(&what);
}

/* For exit() from within the C library, where no hook sees it: errx(), error(). At a worker's own end no coroutine runs. */
static void on_exit_of_process(int status, void *unused) {
  cause what = {.function = "exit", .status = status, .caller = "a library"};
  (void)unused;
  if (howdah_coroutine_current() && report_exit(&what)) howdah_real_exit_now(HOWDAH_EXIT_STATUS);
}

/* nginx's handlers, too, would need room at the end of a coroutine's stack. */
static void move_other_handlers(void) {
  struct sigaction action;
  for (int signal = 1; signal < SIGRTMIN; signal++) {
    if (howdah_real_sigaction(signal, NULL, &action) < 0 || action.sa_flags & SA_ONSTACK) continue;
    if (!(action.sa_flags & SA_SIGINFO) && (action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN)) continue;
    action.sa_flags |= SA_ONSTACK;
    howdah_real_sigaction(signal, &action, NULL);
  }
}

int howdah_crash_attach(void) {
  static char *handler_stack;
  if (!handler_stack && !(handler_stack = malloc(HANDLER_STACK_BYTES))) return -1;
  if (!worker && on_exit(on_exit_of_process, NULL) != 0) return -1;
  worker = getpid();
  worker_thread = gettid();
  if (prctl(PR_GET_NAME, worker_name) < 0) return -1;
  stack_t stack = {.ss_sp = handler_stack, .ss_size = HANDLER_STACK_BYTES};
  if (sigaltstack(&stack, NULL) < 0) return -1;
  struct sigaction action;
  memset(&action, 0, sizeof(action));
  action.sa_sigaction = on_crash;
  /* A fault under the guard must get here again. */
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  sigfillset(&action.sa_mask);
  for (int i = 0; i < SIGNALS; i++)
    sigdelset(&action.sa_mask, signals[i].number);
  for (int i = 0; i < SIGNALS; i++)
    if (howdah_real_sigaction(signals[i].number, &action, &before[i]) < 0) return -1;
  move_other_handlers();
  return 0;
}

#else

bool howdah_engine_is_crashing(void) {
  return false;
}

bool howdah_crash_exit(const char *function, int status, const void *caller) {
  (void)function, (void)status, (void)caller;
  return false;
}

int howdah_crash_attach(void) {
  return 0;
}

#endif
