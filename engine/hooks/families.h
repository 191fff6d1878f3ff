/* The replacements, a file per family, and the originals that they call. For table.c. */
#ifndef HOWDAH_HOOKS_FAMILIES_H
#define HOWDAH_HOOKS_FAMILIES_H

#include "pause.h"

#include <grp.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <pwd.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/epoll.h>
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
#include <threads.h>
#include <time.h>
#include <unistd.h>

/* poll.c */
extern int (*howdah_real_poll)(struct pollfd *, nfds_t, int);
extern int (*howdah_real_poll_chk)(struct pollfd *, nfds_t, int, size_t);
extern int (*howdah_real_select)(int, fd_set *, fd_set *, fd_set *, struct timeval *);
extern int (*howdah_real_ppoll)(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *);
extern int (*howdah_real_ppoll_chk)(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *, size_t);
extern int (*howdah_real_pselect)(int, fd_set *, fd_set *, fd_set *, const struct timespec *, const sigset_t *);
/* poll(2) in a coroutine, with its limit in microseconds (below 0: none). What the other families wait with, too. What it says was so when the loop
 * looked: where others share the open file it may not be so any more. Parks. */
int howdah_poll_us(struct pollfd *fds, nfds_t count, int64_t timeout_us);

/* Lets signals in that are pending and that the mask allows (NULL: nothing is done). Never yields. false with errno EINTR when one was handled. */
bool howdah_let_signals_in(const sigset_t *mask);
int howdah_hook_poll(struct pollfd *fds, nfds_t count, int timeout_ms);
int howdah_hook_poll_chk(struct pollfd *fds, nfds_t count, int timeout_ms, size_t size);
int howdah_hook_select(int count, fd_set *reads, fd_set *writes, fd_set *excepts, struct timeval *timeout);

int howdah_hook_ppoll(struct pollfd *fds, nfds_t count, const struct timespec *limit, const sigset_t *mask);
int howdah_hook_ppoll_chk(struct pollfd *fds, nfds_t count, const struct timespec *limit, const sigset_t *mask, size_t size);
int howdah_hook_pselect(int count, fd_set *reads, fd_set *writes, fd_set *excepts, const struct timespec *limit,
                        const sigset_t *mask);

/* epoll.c */
extern int (*howdah_real_epoll_wait)(int, struct epoll_event *, int, int);
extern int (*howdah_real_epoll_pwait)(int, struct epoll_event *, int, int, const sigset_t *);
extern int (*howdah_real_epoll_pwait2)(int, struct epoll_event *, int, const struct timespec *, const sigset_t *);
int howdah_hook_epoll_wait(int set, struct epoll_event *events, int most, int timeout_ms);
int howdah_hook_epoll_pwait(int set, struct epoll_event *events, int most, int timeout_ms, const sigset_t *mask);
int howdah_hook_epoll_pwait2(int set, struct epoll_event *events, int most, const struct timespec *limit, const sigset_t *mask);

/* free.c */
extern void (*howdah_real_free)(void *);
void howdah_hook_free(void *address);

/* map.c */
extern void *(*howdah_real_mmap)(void *, size_t, int, int, int, off_t);
extern int (*howdah_real_munmap)(void *, size_t);
void *howdah_hook_mmap(void *address, size_t bytes, int protection, int flags, int fd, off_t offset);
int howdah_hook_munmap(void *address, size_t bytes);

/* sleep.c */
extern unsigned (*howdah_real_sleep)(unsigned);
extern int (*howdah_real_usleep)(useconds_t);
extern int (*howdah_real_nanosleep)(const struct timespec *, struct timespec *);
extern int (*howdah_real_clock_nanosleep)(clockid_t, int, const struct timespec *, struct timespec *);
extern int (*howdah_real_thrd_sleep)(const struct timespec *, struct timespec *);
unsigned howdah_hook_sleep(unsigned seconds);
int howdah_hook_usleep(useconds_t us);
int howdah_hook_nanosleep(const struct timespec *request, struct timespec *left);
int howdah_hook_thrd_sleep(const struct timespec *request, struct timespec *left);
int howdah_hook_clock_nanosleep(clockid_t clock, int flags, const struct timespec *request, struct timespec *left);

/* lock.c */
extern int (*howdah_real_flock)(int, int);
int howdah_hook_flock(int fd, int operation);

/* record.c */
extern int (*howdah_real_record)(int, int, void *);
extern int (*howdah_real_lockf)(int, int, off_t);
int howdah_hook_record(int fd, int command, void *argument);
/* For who keeps a pointer to it in a table of its own (held.h). */
int howdah_hook_record_of_process(int fd, int command, void *argument);
int howdah_hook_lockf(int fd, int command, off_t len);

/* sysv.c */
extern int (*howdah_real_semop)(int, struct sembuf *, size_t);
extern int (*howdah_real_semtimedop)(int, struct sembuf *, size_t, const struct timespec *);
extern ssize_t (*howdah_real_msgrcv)(int, void *, size_t, long, int);
extern int (*howdah_real_msgsnd)(int, const void *, size_t, int);
int howdah_hook_semop(int set, struct sembuf *operations, size_t count);
int howdah_hook_semtimedop(int set, struct sembuf *operations, size_t count, const struct timespec *limit);
ssize_t howdah_hook_msgrcv(int queue, void *message, size_t size, long type, int flags);
int howdah_hook_msgsnd(int queue, const void *message, size_t size, int flags);

/* mutex.c */
extern int (*howdah_real_mutex_lock)(pthread_mutex_t *);
extern int (*howdah_real_rwlock_rdlock)(pthread_rwlock_t *);
extern int (*howdah_real_rwlock_wrlock)(pthread_rwlock_t *);
extern int (*howdah_real_join)(pthread_t, void **);
extern int (*howdah_real_mtx_lock)(mtx_t *);
extern int (*howdah_real_thrd_join)(thrd_t, int *);
extern int (*howdah_real_sem_wait)(sem_t *);
extern int (*howdah_real_sem_timedwait)(sem_t *, const struct timespec *);
extern int (*howdah_real_sem_clockwait)(sem_t *, clockid_t, const struct timespec *);
int howdah_hook_mutex_lock(pthread_mutex_t *mutex);
int howdah_hook_rwlock_rdlock(pthread_rwlock_t *lock);
int howdah_hook_rwlock_wrlock(pthread_rwlock_t *lock);
int howdah_hook_join(pthread_t thread, void **result);
int howdah_hook_mtx_lock(mtx_t *mutex);
int howdah_hook_thrd_join(thrd_t thread, int *result);
int howdah_hook_sem_wait(sem_t *semaphore);
int howdah_hook_sem_timedwait(sem_t *semaphore, const struct timespec *moment);
int howdah_hook_sem_clockwait(sem_t *semaphore, clockid_t clock, const struct timespec *moment);

/* Whether the original refuses what its thread holds already. */
bool howdah_mutex_is_checked(const pthread_mutex_t *mutex);

/* timedlock.c */
extern int (*howdah_real_mutex_timedlock)(pthread_mutex_t *, const struct timespec *);
extern int (*howdah_real_mutex_clocklock)(pthread_mutex_t *, clockid_t, const struct timespec *);
extern int (*howdah_real_rwlock_timedrdlock)(pthread_rwlock_t *, const struct timespec *);
extern int (*howdah_real_rwlock_timedwrlock)(pthread_rwlock_t *, const struct timespec *);
extern int (*howdah_real_rwlock_clockrdlock)(pthread_rwlock_t *, clockid_t, const struct timespec *);
extern int (*howdah_real_rwlock_clockwrlock)(pthread_rwlock_t *, clockid_t, const struct timespec *);
extern int (*howdah_real_mtx_timedlock)(mtx_t *, const struct timespec *);
extern int (*howdah_real_spin_lock)(pthread_spinlock_t *);
extern int (*howdah_real_timedjoin)(pthread_t, void **, const struct timespec *);
extern int (*howdah_real_clockjoin)(pthread_t, void **, clockid_t, const struct timespec *);
int howdah_hook_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *moment);
int howdah_hook_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *moment);
int howdah_hook_rwlock_timedrdlock(pthread_rwlock_t *lock, const struct timespec *moment);
int howdah_hook_rwlock_timedwrlock(pthread_rwlock_t *lock, const struct timespec *moment);
int howdah_hook_rwlock_clockrdlock(pthread_rwlock_t *lock, clockid_t clock, const struct timespec *moment);
int howdah_hook_rwlock_clockwrlock(pthread_rwlock_t *lock, clockid_t clock, const struct timespec *moment);
int howdah_hook_mtx_timedlock(mtx_t *mutex, const struct timespec *moment);
int howdah_hook_spin_lock(pthread_spinlock_t *lock);
int howdah_hook_timedjoin(pthread_t thread, void **result, const struct timespec *moment);
int howdah_hook_clockjoin(pthread_t thread, void **result, clockid_t clock, const struct timespec *moment);

/* once.c */
extern int (*howdah_real_once)(pthread_once_t *, void (*)(void));
extern void (*howdah_real_call_once)(once_flag *, void (*)(void));
int howdah_hook_once(pthread_once_t *control, void (*initialiser)(void));
void howdah_hook_call_once(once_flag *flag, void (*initialiser)(void));

/* condition.c */
extern int (*howdah_real_cond_wait)(pthread_cond_t *, pthread_mutex_t *);
extern int (*howdah_real_cond_timedwait)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
extern int (*howdah_real_cond_clockwait)(pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *);
extern int (*howdah_real_cond_signal)(pthread_cond_t *);
extern int (*howdah_real_cond_broadcast)(pthread_cond_t *);
extern int (*howdah_real_cnd_wait)(cnd_t *, mtx_t *);
extern int (*howdah_real_cnd_timedwait)(cnd_t *, mtx_t *, const struct timespec *);
extern int (*howdah_real_cnd_signal)(cnd_t *);
extern int (*howdah_real_cnd_broadcast)(cnd_t *);
int howdah_hook_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex);
int howdah_hook_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *moment);
int howdah_hook_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock,
                               const struct timespec *moment);
int howdah_hook_cond_signal(pthread_cond_t *condition);
int howdah_hook_cond_broadcast(pthread_cond_t *condition);
int howdah_hook_cnd_wait(cnd_t *condition, mtx_t *mutex);
int howdah_hook_cnd_timedwait(cnd_t *condition, mtx_t *mutex, const struct timespec *moment);
int howdah_hook_cnd_signal(cnd_t *condition);
int howdah_hook_cnd_broadcast(cnd_t *condition);
/* In a forked child: those who waited are the parent's. */
void howdah_condition_forget(void);

/* deadline.c */
extern int (*howdah_real_setitimer)(__itimer_which_t, const struct itimerval *, struct itimerval *);
extern unsigned (*howdah_real_alarm)(unsigned);
extern int (*howdah_real_sigaction)(int, const struct sigaction *, struct sigaction *);
int howdah_hook_setitimer(__itimer_which_t which, const struct itimerval *value, struct itimerval *old);
unsigned howdah_hook_alarm(unsigned seconds);
int howdah_hook_sigaction(int signal, const struct sigaction *action, struct sigaction *old);

/* folder.c */
extern int (*howdah_real_chdir)(const char *);
extern int (*howdah_real_fchdir)(int);
extern mode_t (*howdah_real_umask)(mode_t);
int howdah_hook_chdir(const char *path);
int howdah_hook_fchdir(int fd);
mode_t howdah_hook_umask(mode_t mask);

/* locale.c */
extern char *(*howdah_real_setlocale)(int, const char *);
extern char *(*howdah_real_textdomain)(const char *);
extern char *(*howdah_real_bindtextdomain)(const char *, const char *);
extern char *(*howdah_real_bind_textdomain_codeset)(const char *, const char *);
char *howdah_hook_setlocale(int category, const char *name);
char *howdah_hook_textdomain(const char *domain);
char *howdah_hook_bindtextdomain(const char *domain, const char *folder);
char *howdah_hook_bind_textdomain_codeset(const char *domain, const char *codeset);

/* log.c */
extern void (*howdah_real_openlog)(const char *, int, int);
extern void (*howdah_real_closelog)(void);

void howdah_hook_openlog(const char *name, int options, int facility);
void howdah_hook_closelog(void);

/* mask.c */
extern int (*howdah_real_sigprocmask)(int, const sigset_t *, sigset_t *);
extern int (*howdah_real_pthread_sigmask)(int, const sigset_t *, sigset_t *);

int howdah_hook_sigprocmask(int how, const sigset_t *set, sigset_t *old);
int howdah_hook_pthread_sigmask(int how, const sigset_t *set, sigset_t *old);

/* environment.c */
extern int (*howdah_real_putenv)(char *);
extern int (*howdah_real_setenv)(const char *, const char *, int);
extern int (*howdah_real_unsetenv)(const char *);
extern int (*howdah_real_clearenv)(void);
int howdah_hook_putenv(char *entry);
int howdah_hook_setenv(const char *name, const char *value, int overwrite);
int howdah_hook_unsetenv(const char *name);
int howdah_hook_clearenv(void);

/* opcache.c */
extern int (*howdah_real_fcntl)(int, int, void *);
int howdah_hook_fcntl(int fd, int command, void *argument);

/* socket.c */
extern ssize_t (*howdah_real_recv)(int, void *, size_t, int);
extern ssize_t (*howdah_real_recvfrom)(int, void *, size_t, int, struct sockaddr *, socklen_t *);
extern ssize_t (*howdah_real_recvmsg)(int, struct msghdr *, int);
extern ssize_t (*howdah_real_send)(int, const void *, size_t, int);
extern ssize_t (*howdah_real_sendto)(int, const void *, size_t, int, const struct sockaddr *, socklen_t);
extern ssize_t (*howdah_real_sendmsg)(int, const struct msghdr *, int);
extern ssize_t (*howdah_real_recv_chk)(int, void *, size_t, size_t, int);
extern ssize_t (*howdah_real_recvfrom_chk)(int, void *, size_t, size_t, int, struct sockaddr *, socklen_t *);
extern int (*howdah_real_connect)(int, const struct sockaddr *, socklen_t);
extern int (*howdah_real_accept)(int, struct sockaddr *, socklen_t *);
extern int (*howdah_real_accept4)(int, struct sockaddr *, socklen_t *, int);
ssize_t howdah_hook_recv(int fd, void *buffer, size_t size, int flags);
ssize_t howdah_hook_recvfrom(int fd, void *buffer, size_t size, int flags, struct sockaddr *from, socklen_t *from_len);
ssize_t howdah_hook_recvmsg(int fd, struct msghdr *message, int flags);
ssize_t howdah_hook_send(int fd, const void *data, size_t len, int flags);
ssize_t howdah_hook_sendto(int fd, const void *data, size_t len, int flags, const struct sockaddr *to, socklen_t to_len);
ssize_t howdah_hook_sendmsg(int fd, const struct msghdr *message, int flags);
int howdah_hook_connect(int fd, const struct sockaddr *address, socklen_t len);
int howdah_hook_accept(int fd, struct sockaddr *address, socklen_t *len);
int howdah_hook_accept4(int fd, struct sockaddr *address, socklen_t *len, int flags);
ssize_t howdah_hook_recv_chk(int fd, void *buffer, size_t size, size_t buffer_size, int flags);
ssize_t howdah_hook_recvfrom_chk(int fd, void *buffer, size_t size, size_t buffer_size, int flags, struct sockaddr *from,
                                 socklen_t *from_len);

/* Whether a descriptor waits, as the program has set it. */
bool howdah_is_blocking(int fd);
/* One call on a descriptor, which may wait more than once. Zeroed it begins. */
typedef struct {
  howdah_patience patience; /* its time limit counts from its first wait; until_us 0: there was none yet */
  unsigned in_vain;         /* the descriptor was said to be ready, and was not */
} howdah_attempt;
/* After a call that was not to wait has failed: whether to try again. False: errno says why not. Parks. */
bool howdah_try_again(howdah_attempt *attempt, int fd, short events);
/* For calls that cannot be told not to wait, on a descriptor that waits: parks until poll(2) says that it is ready. True: try; somebody else may
 * have been quicker meanwhile, so a watchdog is wanted (watchdog.h). False: errno says why not (EAGAIN: its own time limit). Parks. */
bool howdah_poll_first(howdah_attempt *attempt, int fd, short events);

/* stream.c */
extern ssize_t (*howdah_real_read)(int, void *, size_t);
extern ssize_t (*howdah_real_write)(int, const void *, size_t);
extern ssize_t (*howdah_real_readv)(int, const struct iovec *, int);
extern ssize_t (*howdah_real_writev)(int, const struct iovec *, int);
extern ssize_t (*howdah_real_read_chk)(int, void *, size_t, size_t);
ssize_t howdah_hook_read(int fd, void *buffer, size_t size);
ssize_t howdah_hook_write(int fd, const void *data, size_t len);
ssize_t howdah_hook_readv(int fd, const struct iovec *parts, int count);
ssize_t howdah_hook_writev(int fd, const struct iovec *parts, int count);
ssize_t howdah_hook_read_chk(int fd, void *buffer, size_t size, size_t buffer_size);

/* resolve.c */
extern int (*howdah_real_getaddrinfo)(const char *, const char *, const struct addrinfo *, struct addrinfo **);
extern int (*howdah_real_getnameinfo)(const struct sockaddr *, socklen_t, char *, socklen_t, char *, socklen_t, int);
int howdah_hook_getaddrinfo(const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **found);
int howdah_hook_getnameinfo(const struct sockaddr *address, socklen_t address_len, char *host, socklen_t host_len,
                            char *service, socklen_t service_len, int flags);
/* Whether a name is an address, or NULL: nothing has to be asked. */
bool howdah_is_numeric(const char *name);

/* host.c */
extern int (*howdah_real_gethostbyname_r)(const char *, struct hostent *, char *, size_t, struct hostent **, int *);
extern int (*howdah_real_gethostbyname2_r)(const char *, int, struct hostent *, char *, size_t, struct hostent **, int *);
extern int (*howdah_real_gethostbyaddr_r)(const void *, socklen_t, int, struct hostent *, char *, size_t, struct hostent **,
                                          int *);
extern struct hostent *(*howdah_real_gethostbyname)(const char *);
extern struct hostent *(*howdah_real_gethostbyname2)(const char *, int);
extern struct hostent *(*howdah_real_gethostbyaddr)(const void *, socklen_t, int);
int howdah_hook_gethostbyname_r(const char *name, struct hostent *host, char *buffer, size_t size, struct hostent **found,
                                int *error);
int howdah_hook_gethostbyname2_r(const char *name, int family, struct hostent *host, char *buffer, size_t size,
                                 struct hostent **found, int *error);
int howdah_hook_gethostbyaddr_r(const void *address, socklen_t len, int type, struct hostent *host, char *buffer, size_t size,
                                struct hostent **found, int *error);
struct hostent *howdah_hook_gethostbyname(const char *name);
struct hostent *howdah_hook_gethostbyname2(const char *name, int family);
struct hostent *howdah_hook_gethostbyaddr(const void *address, socklen_t len, int type);

/* query.c */
extern int (*howdah_real_res_nsearch)(void *, const char *, int, int, unsigned char *, int);
extern int (*howdah_real_res_nquery)(void *, const char *, int, int, unsigned char *, int);
extern int (*howdah_real_res_search)(const char *, int, int, unsigned char *, int);
extern int (*howdah_real_res_query)(const char *, int, int, unsigned char *, int);
int howdah_hook_res_nsearch(void *state, const char *name, int class, int type, unsigned char *answer, int size);
int howdah_hook_res_nquery(void *state, const char *name, int class, int type, unsigned char *answer, int size);
int howdah_hook_res_search(const char *name, int class, int type, unsigned char *answer, int size);
int howdah_hook_res_query(const char *name, int class, int type, unsigned char *answer, int size);

/* child.c */
extern pid_t (*howdah_real_waitpid)(pid_t, int *, int);
extern pid_t (*howdah_real_wait4)(pid_t, int *, int, struct rusage *);
extern pid_t (*howdah_real_wait3)(int *, int, struct rusage *);
extern pid_t (*howdah_real_wait)(int *);
pid_t howdah_hook_waitpid(pid_t pid, int *status, int options);
pid_t howdah_hook_wait4(pid_t pid, int *status, int options, struct rusage *usage);
pid_t howdah_hook_wait3(int *status, int options, struct rusage *usage);
pid_t howdah_hook_wait(int *status);
extern int (*howdah_real_waitid)(idtype_t, id_t, siginfo_t *, int);
int howdah_hook_waitid(idtype_t type, id_t id, siginfo_t *info, int options);

/* command.c */
extern int (*howdah_real_system)(const char *);
int howdah_hook_system(const char *command);

/* pipe.c */
extern FILE *(*howdah_real_popen)(const char *, const char *);
extern int (*howdah_real_pclose)(FILE *);
FILE *howdah_hook_popen(const char *command, const char *mode);
/* In a forked child, where other threads are no more. */
void howdah_pipes_in_child(void);
int howdah_hook_pclose(FILE *stream);
extern int (*howdah_real_fprintf)(FILE *, const char *, ...);
extern int (*howdah_real_fprintf_chk)(FILE *, int, const char *, ...);
int howdah_hook_fprintf(FILE *stream, const char *format, ...);
int howdah_hook_fprintf_chk(FILE *stream, int flag, const char *format, ...);
/* Writes out what the stream has buffered, which fits into a pipe that is writable. False: errno says why not; when cancelled it is forgotten. Parks. */
bool howdah_flush(FILE *stream);

/* stdio.c */
extern size_t (*howdah_real_fread)(void *, size_t, size_t, FILE *);
extern size_t (*howdah_real_fwrite)(const void *, size_t, size_t, FILE *);
size_t howdah_hook_fread(void *data, size_t size, size_t count, FILE *stream);
size_t howdah_hook_fwrite(const void *data, size_t size, size_t count, FILE *stream);

/* close.c */
extern int (*howdah_real_close)(int);
extern int (*howdah_real_fclose)(FILE *);
extern int (*howdah_real_dup2)(int, int);
extern int (*howdah_real_dup3)(int, int, int);
int howdah_hook_close(int fd);
int howdah_hook_fclose(FILE *stream);
int howdah_hook_dup2(int old, int new);
int howdah_hook_dup3(int old, int new, int flags);

/* privilege.c */
extern int (*howdah_real_setuid)(uid_t);
extern int (*howdah_real_seteuid)(uid_t);
extern int (*howdah_real_setgid)(gid_t);
extern int (*howdah_real_setegid)(gid_t);
extern int (*howdah_real_initgroups)(const char *, gid_t);
extern pid_t (*howdah_real_setsid)(void);
extern int (*howdah_real_setpgid)(pid_t, pid_t);
extern int (*howdah_real_setrlimit)(__rlimit_resource_t, const struct rlimit *);
extern int (*howdah_real_nice)(int);
extern int (*howdah_real_setpriority)(__priority_which_t, id_t, int);
int howdah_hook_setuid(uid_t user);
int howdah_hook_seteuid(uid_t user);
int howdah_hook_setgid(gid_t group);
int howdah_hook_setegid(gid_t group);
int howdah_hook_initgroups(const char *user, gid_t group);
pid_t howdah_hook_setsid(void);
int howdah_hook_setpgid(pid_t process, pid_t group);
int howdah_hook_setrlimit(__rlimit_resource_t resource, const struct rlimit *limit);
int howdah_hook_nice(int increment);
int howdah_hook_setpriority(__priority_which_t which, id_t who, int priority);

/* load.c */
extern void *(*howdah_real_dlopen)(const char *, int);
extern int (*howdah_real_ffi_dlclose)(void *);
void *howdah_hook_dlopen(const char *path, int flags);
int howdah_hook_ffi_dlclose(void *handle);

/* open.c */
extern int (*howdah_real_open)(const char *, int, ...);
extern int (*howdah_real_openat)(int, const char *, int, ...);
extern int (*howdah_real_open_2)(const char *, int);
extern int (*howdah_real_openat_2)(int, const char *, int);
extern int (*howdah_real_creat)(const char *, mode_t);
extern FILE *(*howdah_real_fopen)(const char *, const char *);
int howdah_hook_open(const char *path, int flags, ...);
int howdah_hook_openat(int folder, const char *path, int flags, ...);
int howdah_hook_open_2(const char *path, int flags);
int howdah_hook_openat_2(int folder, const char *path, int flags);
int howdah_hook_creat(const char *path, mode_t mode);
FILE *howdah_hook_fopen(const char *path, const char *mode);

/* nss.c */
extern struct passwd *(*howdah_real_getpwnam)(const char *);
extern struct passwd *(*howdah_real_getpwuid)(uid_t);
extern struct group *(*howdah_real_getgrnam)(const char *);
extern struct group *(*howdah_real_getgrgid)(gid_t);
extern int (*howdah_real_getpwnam_r)(const char *, struct passwd *, char *, size_t, struct passwd **);
extern int (*howdah_real_getpwuid_r)(uid_t, struct passwd *, char *, size_t, struct passwd **);
extern int (*howdah_real_getgrnam_r)(const char *, struct group *, char *, size_t, struct group **);
extern int (*howdah_real_getgrgid_r)(gid_t, struct group *, char *, size_t, struct group **);
extern struct servent *(*howdah_real_getservbyname)(const char *, const char *);
extern struct servent *(*howdah_real_getservbyport)(int, const char *);
extern struct protoent *(*howdah_real_getprotobyname)(const char *);
extern struct protoent *(*howdah_real_getprotobynumber)(int);
int howdah_hook_getpwnam_r(const char *name, struct passwd *user, char *buffer, size_t size, struct passwd **found);
int howdah_hook_getpwuid_r(uid_t id, struct passwd *user, char *buffer, size_t size, struct passwd **found);
int howdah_hook_getgrnam_r(const char *name, struct group *group, char *buffer, size_t size, struct group **found);
int howdah_hook_getgrgid_r(gid_t id, struct group *group, char *buffer, size_t size, struct group **found);
struct passwd *howdah_hook_getpwnam(const char *name);
struct passwd *howdah_hook_getpwuid(uid_t id);
struct group *howdah_hook_getgrnam(const char *name);
struct group *howdah_hook_getgrgid(gid_t id);
struct servent *howdah_hook_getservbyname(const char *name, const char *protocol);
struct servent *howdah_hook_getservbyport(int port, const char *protocol);
struct protoent *howdah_hook_getprotobyname(const char *name);
struct protoent *howdah_hook_getprotobynumber(int number);

/* syslog.c */
extern void (*howdah_real_syslog)(int, const char *, ...);
extern void (*howdah_real_vsyslog)(int, const char *, va_list);
extern void (*howdah_real_syslog_chk)(int, int, const char *, ...);
extern void (*howdah_real_vsyslog_chk)(int, int, const char *, va_list);
void howdah_hook_syslog(int priority, const char *format, ...) __attribute__((format(printf, 2, 3)));
void howdah_hook_vsyslog(int priority, const char *format, va_list arguments) __attribute__((format(printf, 2, 0)));
void howdah_hook_syslog_chk(int priority, int flag, const char *format, ...) __attribute__((format(printf, 3, 4)));
void howdah_hook_vsyslog_chk(int priority, int flag, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));

/* spawn.c */
extern pid_t (*howdah_real_fork)(void);
extern pid_t (*howdah_real_vfork)(void);
extern int (*howdah_real_posix_spawn)(pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *,
                                      char *const[], char *const[]);
extern int (*howdah_real_posix_spawnp)(pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *,
                                       char *const[], char *const[]);
pid_t howdah_hook_fork(void);
pid_t howdah_hook_vfork(void);
int howdah_hook_posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                            const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[]);
int howdah_hook_posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
                             const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[]);

/* exit.c */
enum { HOWDAH_EXIT_STATUS = 70 }; /* of a worker that was ended from within; EX_SOFTWARE of <sysexits.h> */
extern void (*howdah_real_exit)(int);
extern void (*howdah_real_exit_now)(int);
extern void (*howdah_real_quick_exit)(int);
extern void (*howdah_real_thread_exit)(void *);
extern void (*howdah_real_php_exit)(int);
extern void (*howdah_real_php_exit_now)(int);
extern void (*howdah_real_memory_panic)(bool, const char *, ...);
void howdah_hook_exit(int status) __attribute__((noreturn));
void howdah_hook_exit_now(int status) __attribute__((noreturn));
void howdah_hook_quick_exit(int status) __attribute__((noreturn));
void howdah_hook_thread_exit(void *value) __attribute__((noreturn));
/* libphp's own calls. */
void howdah_hook_php_exit(int status) __attribute__((noreturn));
void howdah_hook_php_exit_now(int status) __attribute__((noreturn));
void howdah_hook_memory_panic(bool delay, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* lmdb.c: MDB_env is opaque here */
extern int (*howdah_real_mdb_env_open)(void *environment, const char *path, unsigned flags, mode_t mode);
extern void (*howdah_real_mdb_env_close)(void *environment);
int howdah_hook_mdb_env_open(void *environment, const char *path, unsigned flags, mode_t mode);
void howdah_hook_mdb_env_close(void *environment);

/* libpq.c: PGconn and PGresult are opaque here */
/* library.c: in the extensions of the libraries that they are named after */
extern int (*howdah_real_sqlite_open)(const char *, void **, int, const char *);
extern unsigned (*howdah_real_magick_limit)(int, uint64_t);
extern unsigned (*howdah_real_magick_own_limit)(int, uint64_t);
extern int (*howdah_real_magick_text)(int, const char *, const void *, void *);
extern void *(*howdah_real_icu_zone)(void);
void *howdah_hook_icu_zone(void);
int howdah_hook_sqlite_open(const char *name, void **database, int flags, const char *vfs);
unsigned howdah_hook_magick_limit(int which, uint64_t limit);
unsigned howdah_hook_magick_own_limit(int which, uint64_t limit);
int howdah_hook_magick_text(int type, const char *key, const void *value, void *exception);
extern void *(*howdah_real_pq_get_result)(void *connection);
void *howdah_hook_pq_get_result(void *connection);

/* reserve.c: nginx's own */
extern int (*howdah_real_socket)(int, int, int);
int howdah_hook_nginx_accept(int fd, struct sockaddr *address, socklen_t *length);
int howdah_hook_nginx_accept4(int fd, struct sockaddr *address, socklen_t *length, int flags);
int howdah_hook_nginx_open(const char *path, int flags, ...);
int howdah_hook_nginx_openat(int folder, const char *path, int flags, ...);
int howdah_hook_nginx_socket(int domain, int type, int protocol);

#endif
