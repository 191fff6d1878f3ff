/* syslog(3): who reads the system's log may be slow, or stopped, and then its socket is full. Kind: ready.
 *
 * libc sends inside libc, and holds its lock meanwhile, which openlog() takes when the next realm is put in place: so the
 * message is made and sent here, as libc does it (misc/syslog.c, glibc 2.36), from what the realm has set with openlog()
 * (engine/state/process/syslog.h). The connection is the worker's; to a log that wants a stream each message has its own,
 * because one that waits may have been sent in part.
 *
 * When the request is cancelled its message is lost. */
#include "hooked.h"

#include "../coroutine/coroutine.h"
#include "caller.h"

#include <errno.h>
#include <fcntl.h>
#include <paths.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <syslog.h>

extern int __vasprintf_chk(char **text, int flag, const char *format, va_list arguments);

static int datagrams = -1; /* the worker's connection */

static int connect_as(int type) {
  struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = _PATH_LOG};
  int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
  if (fd < 0 || howdah_hook_connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0) return fd;
  int error = errno;
  howdah_hook_close(fd);
  errno = error;
  return -1;
}

/* A stream's messages end with a zero byte. */
static bool send_by_stream(const char *text, size_t len) {
  int fd = connect_as(SOCK_STREAM);
  if (fd < 0) return false;
  bool sent = howdah_hook_send(fd, text, len + 1, MSG_NOSIGNAL) == (ssize_t)len + 1;
  howdah_hook_close(fd);
  return sent;
}

/* Tries twice: the log may have been started anew. */
static bool send_text(const char *text, size_t len) {
  for (int tries = 0; tries < 2; tries++) {
    int fd = datagrams;
    if (fd < 0) {
      fd = connect_as(SOCK_DGRAM);
      if (fd < 0) return errno == EPROTOTYPE && send_by_stream(text, len);
      datagrams = fd;
      tries = 1;
    }
    if (howdah_hook_send(fd, text, len, MSG_NOSIGNAL) >= 0) return true;
    if (errno == ECANCELED) return true; /* nobody else is to be told */
    /* Another realm may have noticed first, and the number may be another file's. */
    if (datagrams != fd) continue;
    datagrams = -1;
    howdah_hook_close(fd);
  }
  return false;
}

/* As far as it goes: nobody is told, as with the original. */
static void show(int fd, const char *text, size_t len) {
  ssize_t shown = howdah_hook_write(fd, text, len);
  (void)shown;
}

static void tell_console(const char *message) {
  int fd = open(_PATH_CONSOLE, O_WRONLY | O_NOCTTY | O_CLOEXEC);
  if (fd < 0) return;
  show(fd, message, strlen(message));
  show(fd, "\r\n", 2);
  howdah_hook_close(fd);
}

/* What stands before the message; the message begins at *tag. NULL: no memory. */
static char *header(int priority, const howdah_syslog *log, size_t *tag) {
  static const char months[][4] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  time_t now = time(NULL);
  struct tm at = {.tm_mon = 0};
  char *text, process[16] = "";
  localtime_r(&now, &at);
  if (log->options & LOG_PID) snprintf(process, sizeof(process), "[%d]", (int)getpid());
  const char *name = log->name ? log->name : program_invocation_short_name;
  int begun = 0, len = asprintf(&text, "<%d>%s %2d %02d:%02d:%02d %n%s%s: ", priority, months[at.tm_mon], at.tm_mday,
                                at.tm_hour, at.tm_min, at.tm_sec, &begun, name, process);
  *tag = (size_t)begun;
  return len < 0 ? NULL : text;
}

static void write_log(int priority, const char *message) {
  const howdah_syslog *log = &howdah_coroutine_current()->state->process.log;
  int options = log->options;
  size_t tag;
  if (!(priority & LOG_FACMASK)) priority |= log->is_open && log->facility ? log->facility : LOG_USER;
  char *before = header(priority, log, &tag), *text = NULL;
  int len = before ? asprintf(&text, "%s%s", before, message) : -1;
  free(before);
  if (len < 0) return;
  if (options & LOG_PERROR) {
    show(STDERR_FILENO, text + tag, (size_t)len - tag);
    if (text[len - 1] != '\n') show(STDERR_FILENO, "\n", 1);
  }
  if (!send_text(text, (size_t)len) && (options & LOG_CONS)) tell_console(text + tag);
  free(text);
}

/* flag -1: without _FORTIFY_SOURCE. Keeps errno, which the format may name (%m). */
static void log_message(int priority, int flag, const char *format, va_list arguments) {
  int saved = errno;
  char *message = NULL;
  if (priority & ~(LOG_PRIMASK | LOG_FACMASK)) {
    char complaint[80];
    snprintf(complaint, sizeof(complaint), "syslog: unknown facility/priority: %x", (unsigned)priority);
    write_log(LOG_ERR | LOG_CONS | LOG_PERROR | LOG_PID, complaint);
    priority &= LOG_PRIMASK | LOG_FACMASK;
  }
  if (LOG_MASK(LOG_PRI(priority)) & setlogmask(0)) {
    errno = saved;
    int len = flag < 0 ? vasprintf(&message, format, arguments) : __vasprintf_chk(&message, flag, format, arguments);
    if (len >= 0) {
      write_log(priority, message);
      free(message);
    }
  }
  errno = saved;
}

void howdah_hook_vsyslog(int priority, const char *format, va_list arguments) {
  if (howdah_hooks_may_park())
    log_message(priority, -1, format, arguments);
  else
    howdah_real_vsyslog(priority, format, arguments);
}

void howdah_hook_vsyslog_chk(int priority, int flag, const char *format, va_list arguments) {
  if (howdah_hooks_may_park())
    log_message(priority, flag, format, arguments);
  else
    howdah_real_vsyslog_chk(priority, flag, format, arguments);
}

void howdah_hook_syslog(int priority, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  howdah_hook_vsyslog(priority, format, arguments);
  va_end(arguments);
}

void howdah_hook_syslog_chk(int priority, int flag, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  howdah_hook_vsyslog_chk(priority, flag, format, arguments);
  va_end(arguments);
}
