/* The replacements and the originals that they call: each with the type that the function's own header gives it, so that one of
 * another type does not compile. The rows are in list.h. */
#ifndef HOWDAH_HOOKS_HOOKED_H
#define HOWDAH_HOOKS_HOOKED_H

#include <dlfcn.h>
#include <fcntl.h>
#include <grp.h>
#include <libintl.h>
#include <locale.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <pwd.h>
#include <resolv.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <syslog.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

/* ---- Functions that no header declares, or none that the build has ------------------------------------------------------- */

/* glibc's (debug/, 2.36): what calls become with _FORTIFY_SOURCE. Where its headers declare them, the compiler compares. */
extern int __poll_chk(struct pollfd *fds, nfds_t count, int timeout_ms, size_t size);
extern int __ppoll_chk(struct pollfd *fds, nfds_t count, const struct timespec *limit, const sigset_t *mask, size_t size);
extern ssize_t __recv_chk(int fd, void *buffer, size_t size, size_t buffer_size, int flags);
extern ssize_t __recvfrom_chk(int fd, void *buffer, size_t size, size_t buffer_size, int flags, __SOCKADDR_ARG from,
                              socklen_t *from_len);
extern ssize_t __read_chk(int fd, void *buffer, size_t size, size_t buffer_size);
extern int __open_2(const char *path, int flags);
extern int __open64_2(const char *path, int flags);
extern int __openat_2(int folder, const char *path, int flags);
extern int __openat64_2(int folder, const char *path, int flags);
extern int __fprintf_chk(FILE *stream, int flag, const char *format, ...);
extern void __syslog_chk(int priority, int flag, const char *format, ...) __attribute__((format(printf, 3, 4)));
extern void __vsyslog_chk(int priority, int flag, const char *format, va_list arguments) __attribute__((format(printf, 3, 0)));

/* Zend/zend_alloc.c, 8.2. */
extern void zend_mm_delayed_error_or_panic(bool delay, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* sqlite3.h (3.40); libpq-fe.h (15); lmdb.h (0.9.24). */
struct sqlite3;
struct pg_conn;
struct pg_result;
struct MDB_env;
extern int sqlite3_open_v2(const char *name, struct sqlite3 **database, int flags, const char *vfs);
extern struct pg_result *PQgetResult(struct pg_conn *connection);
extern int mdb_env_open(struct MDB_env *environment, const char *path, unsigned flags, mode_t mode);
extern void mdb_env_close(struct MDB_env *environment);
/* MagickWand/magick-wand.h and magick/resource.h, magick/registry.h; their enumerations are int here. */
extern unsigned MagickSetResourceLimit(int which, uint64_t limit);
extern unsigned SetMagickResourceLimit(int which, uint64_t limit);
extern int SetImageRegistry(int type, const char *key, const void *value, void *exception);
/* icu::TimeZone::createDefault() of Debian 12's ICU and of Debian 13's. */
extern void *_ZN6icu_728TimeZone13createDefaultEv(void);
extern void *_ZN6icu_768TimeZone13createDefaultEv(void);

/* ---- What each row declares ---------------------------------------------------------------------------------------------- */

#define REPLACED(function, ours)                                                                                               \
  extern __typeof__(function) *howdah_real_##ours;                                                                             \
  __typeof__(function) howdah_hook_##ours;
#define HOOKED(function, ours, kind)            REPLACED(function, ours)
#define HOOKED_IN(function, ours, kind, object) REPLACED(function, ours)
#define HOOKED_IN_NGINX(function, ours, kind, nginx)                                                                           \
  REPLACED(function, ours)                                                                                                     \
  __typeof__(function) howdah_hook_##nginx;
#define HOOKED_IN_NGINX_ONLY(function, ours, kind, nginx)                                                                      \
  extern __typeof__(function) *howdah_real_##ours;                                                                             \
  __typeof__(function) howdah_hook_##nginx;
#define HOOKED_AND_TABLES(function, ours, kind, table)                                                                         \
  REPLACED(function, ours)                                                                                                     \
  __typeof__(function) howdah_hook_##table;
#include "list.h"

#endif
