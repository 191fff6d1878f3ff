/* The replacements, a file per family, and the originals that they call. For table.c. */
#ifndef HOWDAH_HOOKS_FAMILIES_H
#define HOWDAH_HOOKS_FAMILIES_H

#include <poll.h>
#include <signal.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

/* poll.c */
extern int (*howdah_real_poll)(struct pollfd *, nfds_t, int);
extern int (*howdah_real_poll_chk)(struct pollfd *, nfds_t, int, size_t);
extern int (*howdah_real_select)(int, fd_set *, fd_set *, fd_set *, struct timeval *);
int howdah_hook_poll(struct pollfd *fds, nfds_t count, int timeout_ms);
int howdah_hook_poll_chk(struct pollfd *fds, nfds_t count, int timeout_ms, size_t size);
int howdah_hook_select(int count, fd_set *reads, fd_set *writes, fd_set *excepts, struct timeval *timeout);

/* sleep.c */
extern unsigned (*howdah_real_sleep)(unsigned);
extern int (*howdah_real_usleep)(useconds_t);
extern int (*howdah_real_nanosleep)(const struct timespec *, struct timespec *);
extern int (*howdah_real_clock_nanosleep)(clockid_t, int, const struct timespec *, struct timespec *);
unsigned howdah_hook_sleep(unsigned seconds);
int howdah_hook_usleep(useconds_t us);
int howdah_hook_nanosleep(const struct timespec *request, struct timespec *left);
int howdah_hook_clock_nanosleep(clockid_t clock, int flags, const struct timespec *request, struct timespec *left);

/* lock.c */
extern int (*howdah_real_flock)(int, int);
int howdah_hook_flock(int fd, int operation);

/* deadline.c */
extern int (*howdah_real_setitimer)(__itimer_which_t, const struct itimerval *, struct itimerval *);
extern int (*howdah_real_sigaction)(int, const struct sigaction *, struct sigaction *);
int howdah_hook_setitimer(__itimer_which_t which, const struct itimerval *value, struct itimerval *old);
int howdah_hook_sigaction(int signal, const struct sigaction *action, struct sigaction *old);

/* folder.c */
extern int (*howdah_real_chdir)(const char *);
extern int (*howdah_real_fchdir)(int);
extern mode_t (*howdah_real_umask)(mode_t);
int howdah_hook_chdir(const char *path);
int howdah_hook_fchdir(int fd);
mode_t howdah_hook_umask(mode_t mask);

/* opcache.c */
extern int (*howdah_real_fcntl)(int, int, void *);
int howdah_hook_fcntl(int fd, int command, void *argument);

/* load.c */
extern void *(*howdah_real_dlopen)(const char *, int);
void *howdah_hook_dlopen(const char *path, int flags);

#endif
