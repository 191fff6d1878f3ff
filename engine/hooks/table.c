/* The hook table, and who may park. */
#include "families.h"

#include "../coroutine/coroutine.h"
#include "held.h"
#include "hook.h"
#include "spawn.h"

#define HOOK(function, real, kind) HOOK_IN(function, real, kind, NULL)
#define HOOK_IN(function, real, kind, object)                                                                                  \
  { #function, (void *)howdah_hook_##real, (void **)&howdah_real_##real, kind, object, NULL, NULL }
#define HOOK_IN_NGINX(function, real, kind, nginx)                                                                             \
  { #function, (void *)howdah_hook_##real, (void **)&howdah_real_##real, kind, NULL, (void *)howdah_hook_##nginx, NULL }
#define HOOK_AND_TABLES(function, real, kind, table)                                                                           \
  { #function, (void *)howdah_hook_##real, (void **)&howdah_real_##real, kind, NULL, NULL, (void *)howdah_hook_##table }
/* Of a library that may not be there. */
#define HOOK_OF(function, real, extension) HOOK_IN(function, real, HOWDAH_HOOK_NOTE, extension)

const howdah_hook howdah_hooks[] = {
    HOOK(poll, poll, HOWDAH_HOOK_READY),
    HOOK(__poll_chk, poll_chk, HOWDAH_HOOK_READY),
    HOOK(ppoll, ppoll, HOWDAH_HOOK_READY),
    HOOK(__ppoll_chk, ppoll_chk, HOWDAH_HOOK_READY),
    HOOK(select, select, HOWDAH_HOOK_READY),
    HOOK(pselect, pselect, HOWDAH_HOOK_READY),
    HOOK(epoll_wait, epoll_wait, HOWDAH_HOOK_READY),
    HOOK(epoll_pwait, epoll_pwait, HOWDAH_HOOK_READY),
    HOOK(epoll_pwait2, epoll_pwait2, HOWDAH_HOOK_READY),
    HOOK(recv, recv, HOWDAH_HOOK_READY),
    HOOK(__recv_chk, recv_chk, HOWDAH_HOOK_READY),
    HOOK(recvfrom, recvfrom, HOWDAH_HOOK_READY),
    HOOK(__recvfrom_chk, recvfrom_chk, HOWDAH_HOOK_READY),
    HOOK(recvmsg, recvmsg, HOWDAH_HOOK_READY),
    HOOK(send, send, HOWDAH_HOOK_READY),
    HOOK(sendto, sendto, HOWDAH_HOOK_READY),
    HOOK(sendmsg, sendmsg, HOWDAH_HOOK_READY),
    HOOK(read, read, HOWDAH_HOOK_READY),
    HOOK(__read_chk, read_chk, HOWDAH_HOOK_READY),
    HOOK(write, write, HOWDAH_HOOK_READY),
    HOOK(readv, readv, HOWDAH_HOOK_READY),
    HOOK(writev, writev, HOWDAH_HOOK_READY),
    HOOK(connect, connect, HOWDAH_HOOK_READY),
    HOOK_IN_NGINX(accept, accept, HOWDAH_HOOK_READY, nginx_accept),
    HOOK_IN_NGINX(accept4, accept4, HOWDAH_HOOK_READY, nginx_accept4),
    HOOK_IN_NGINX(open, open, HOWDAH_HOOK_TIMER, nginx_open),
    HOOK_IN_NGINX(open64, open, HOWDAH_HOOK_TIMER, nginx_open),
    HOOK(__open_2, open_2, HOWDAH_HOOK_TIMER),
    HOOK(__open64_2, open_2, HOWDAH_HOOK_TIMER),
    HOOK_IN_NGINX(openat, openat, HOWDAH_HOOK_TIMER, nginx_openat),
    HOOK_IN_NGINX(openat64, openat, HOWDAH_HOOK_TIMER, nginx_openat),
    HOOK(__openat_2, openat_2, HOWDAH_HOOK_TIMER),
    HOOK(__openat64_2, openat_2, HOWDAH_HOOK_TIMER),
    HOOK(creat, creat, HOWDAH_HOOK_TIMER),
    HOOK(creat64, creat, HOWDAH_HOOK_TIMER),
    HOOK(fopen, fopen, HOWDAH_HOOK_TIMER),
    HOOK(fopen64, fopen, HOWDAH_HOOK_TIMER),
    HOOK(waitpid, waitpid, HOWDAH_HOOK_READY),
    HOOK(wait4, wait4, HOWDAH_HOOK_READY),
    HOOK(wait3, wait3, HOWDAH_HOOK_TIMER),
    HOOK(wait, wait, HOWDAH_HOOK_TIMER),
    HOOK(waitid, waitid, HOWDAH_HOOK_TIMER),
    HOOK(system, system, HOWDAH_HOOK_READY),
    HOOK(popen, popen, HOWDAH_HOOK_READY),
    HOOK(pclose, pclose, HOWDAH_HOOK_READY),
    HOOK(fprintf, fprintf, HOWDAH_HOOK_READY),
    HOOK(__fprintf_chk, fprintf_chk, HOWDAH_HOOK_READY),
    HOOK_IN(fread, fread, HOWDAH_HOOK_READY, "curl"),
    HOOK_IN(fwrite, fwrite, HOWDAH_HOOK_READY, "curl"),
    HOOK_IN(fwrite, fwrite, HOWDAH_HOOK_READY, "libcurl"),
    HOOK_IN_NGINX(close, close, HOWDAH_HOOK_NOTE, close),
    HOOK_IN_NGINX(fclose, fclose, HOWDAH_HOOK_NOTE, fclose),
    HOOK(dup2, dup2, HOWDAH_HOOK_NOTE),
    HOOK(dup3, dup3, HOWDAH_HOOK_NOTE),
    HOOK(getaddrinfo, getaddrinfo, HOWDAH_HOOK_OFFLOAD),
    HOOK(getnameinfo, getnameinfo, HOWDAH_HOOK_OFFLOAD),
    HOOK(gethostbyname_r, gethostbyname_r, HOWDAH_HOOK_OFFLOAD),
    HOOK(gethostbyname2_r, gethostbyname2_r, HOWDAH_HOOK_OFFLOAD),
    HOOK(gethostbyaddr_r, gethostbyaddr_r, HOWDAH_HOOK_OFFLOAD),
    HOOK(gethostbyname, gethostbyname, HOWDAH_HOOK_OFFLOAD),
    HOOK(gethostbyname2, gethostbyname2, HOWDAH_HOOK_OFFLOAD),
    HOOK(gethostbyaddr, gethostbyaddr, HOWDAH_HOOK_OFFLOAD),
    HOOK(res_nsearch, res_nsearch, HOWDAH_HOOK_OFFLOAD),
    HOOK(res_nquery, res_nquery, HOWDAH_HOOK_OFFLOAD),
    HOOK(res_search, res_search, HOWDAH_HOOK_OFFLOAD),
    HOOK(res_query, res_query, HOWDAH_HOOK_OFFLOAD),
    HOOK(getpwnam, getpwnam, HOWDAH_HOOK_OFFLOAD),
    HOOK(getpwuid, getpwuid, HOWDAH_HOOK_OFFLOAD),
    HOOK(getpwnam_r, getpwnam_r, HOWDAH_HOOK_OFFLOAD),
    HOOK(getpwuid_r, getpwuid_r, HOWDAH_HOOK_OFFLOAD),
    HOOK(getgrnam, getgrnam, HOWDAH_HOOK_OFFLOAD),
    HOOK(getgrgid, getgrgid, HOWDAH_HOOK_OFFLOAD),
    HOOK(getgrnam_r, getgrnam_r, HOWDAH_HOOK_OFFLOAD),
    HOOK(getgrgid_r, getgrgid_r, HOWDAH_HOOK_OFFLOAD),
    HOOK(getservbyname, getservbyname, HOWDAH_HOOK_OFFLOAD),
    HOOK(getservbyport, getservbyport, HOWDAH_HOOK_OFFLOAD),
    HOOK(getprotobyname, getprotobyname, HOWDAH_HOOK_OFFLOAD),
    HOOK(getprotobynumber, getprotobynumber, HOWDAH_HOOK_OFFLOAD),
    HOOK(sleep, sleep, HOWDAH_HOOK_TIMER),
    HOOK(usleep, usleep, HOWDAH_HOOK_TIMER),
    HOOK(nanosleep, nanosleep, HOWDAH_HOOK_TIMER),
    HOOK(clock_nanosleep, clock_nanosleep, HOWDAH_HOOK_TIMER),
    HOOK(thrd_sleep, thrd_sleep, HOWDAH_HOOK_TIMER),
    HOOK(flock, flock, HOWDAH_HOOK_TIMER),
    HOOK_IN(fcntl, fcntl, HOWDAH_HOOK_NOTE, "zend opcache"),
    HOOK_IN(fcntl64, fcntl, HOWDAH_HOOK_NOTE, "zend opcache"),
    HOOK_AND_TABLES(fcntl, record, HOWDAH_HOOK_TIMER, record_of_process),
    HOOK_AND_TABLES(fcntl64, record, HOWDAH_HOOK_TIMER, record_of_process),
    HOOK(lockf, lockf, HOWDAH_HOOK_TIMER),
    HOOK(lockf64, lockf, HOWDAH_HOOK_TIMER),
    HOOK(semop, semop, HOWDAH_HOOK_TIMER),
    HOOK(semtimedop, semtimedop, HOWDAH_HOOK_TIMER),
    HOOK(msgrcv, msgrcv, HOWDAH_HOOK_TIMER),
    HOOK(msgsnd, msgsnd, HOWDAH_HOOK_TIMER),
    HOOK(pthread_mutex_lock, mutex_lock, HOWDAH_HOOK_TIMER),
    HOOK(pthread_rwlock_rdlock, rwlock_rdlock, HOWDAH_HOOK_TIMER),
    HOOK(pthread_rwlock_wrlock, rwlock_wrlock, HOWDAH_HOOK_TIMER),
    HOOK(pthread_join, join, HOWDAH_HOOK_TIMER),
    HOOK(pthread_cond_wait, cond_wait, HOWDAH_HOOK_TIMER),
    HOOK(pthread_cond_timedwait, cond_timedwait, HOWDAH_HOOK_TIMER),
    HOOK(pthread_cond_clockwait, cond_clockwait, HOWDAH_HOOK_TIMER),
    HOOK(pthread_cond_signal, cond_signal, HOWDAH_HOOK_NOTE),
    HOOK(pthread_cond_broadcast, cond_broadcast, HOWDAH_HOOK_NOTE),
    HOOK(mtx_lock, mtx_lock, HOWDAH_HOOK_TIMER),
    HOOK(cnd_wait, cnd_wait, HOWDAH_HOOK_TIMER),
    HOOK(cnd_timedwait, cnd_timedwait, HOWDAH_HOOK_TIMER),
    HOOK(cnd_signal, cnd_signal, HOWDAH_HOOK_NOTE),
    HOOK(cnd_broadcast, cnd_broadcast, HOWDAH_HOOK_NOTE),
    HOOK(thrd_join, thrd_join, HOWDAH_HOOK_TIMER),
    HOOK(pthread_mutex_timedlock, mutex_timedlock, HOWDAH_HOOK_TIMER),
    HOOK(pthread_mutex_clocklock, mutex_clocklock, HOWDAH_HOOK_TIMER),
    HOOK(pthread_rwlock_timedrdlock, rwlock_timedrdlock, HOWDAH_HOOK_TIMER),
    HOOK(pthread_rwlock_timedwrlock, rwlock_timedwrlock, HOWDAH_HOOK_TIMER),
    HOOK(pthread_rwlock_clockrdlock, rwlock_clockrdlock, HOWDAH_HOOK_TIMER),
    HOOK(pthread_rwlock_clockwrlock, rwlock_clockwrlock, HOWDAH_HOOK_TIMER),
    HOOK(pthread_spin_lock, spin_lock, HOWDAH_HOOK_TIMER),
    HOOK(pthread_timedjoin_np, timedjoin, HOWDAH_HOOK_TIMER),
    HOOK(pthread_clockjoin_np, clockjoin, HOWDAH_HOOK_TIMER),
    HOOK(mtx_timedlock, mtx_timedlock, HOWDAH_HOOK_TIMER),
    HOOK(pthread_once, once, HOWDAH_HOOK_TIMER),
    HOOK(call_once, call_once, HOWDAH_HOOK_TIMER),
    HOOK(sem_wait, sem_wait, HOWDAH_HOOK_TIMER),
    HOOK(sem_timedwait, sem_timedwait, HOWDAH_HOOK_TIMER),
    HOOK(sem_clockwait, sem_clockwait, HOWDAH_HOOK_TIMER),
    HOOK(setitimer, setitimer, HOWDAH_HOOK_NOTE),
    HOOK(alarm, alarm, HOWDAH_HOOK_NOTE),
    HOOK(sigaction, sigaction, HOWDAH_HOOK_NOTE),
    HOOK(chdir, chdir, HOWDAH_HOOK_NOTE),
    HOOK(fchdir, fchdir, HOWDAH_HOOK_NOTE),
    HOOK(umask, umask, HOWDAH_HOOK_NOTE),
    HOOK(setuid, setuid, HOWDAH_HOOK_NOTE),
    HOOK(seteuid, seteuid, HOWDAH_HOOK_NOTE),
    HOOK(setgid, setgid, HOWDAH_HOOK_NOTE),
    HOOK(setegid, setegid, HOWDAH_HOOK_NOTE),
    HOOK(initgroups, initgroups, HOWDAH_HOOK_NOTE),
    HOOK(setsid, setsid, HOWDAH_HOOK_NOTE),
    HOOK(setpgid, setpgid, HOWDAH_HOOK_NOTE),
    HOOK(setrlimit, setrlimit, HOWDAH_HOOK_NOTE),
    HOOK(setrlimit64, setrlimit, HOWDAH_HOOK_NOTE),
    HOOK(nice, nice, HOWDAH_HOOK_NOTE),
    HOOK(setpriority, setpriority, HOWDAH_HOOK_NOTE),
    HOOK(fork, fork, HOWDAH_HOOK_NOTE),
    HOOK(vfork, vfork, HOWDAH_HOOK_NOTE),
    HOOK(posix_spawn, posix_spawn, HOWDAH_HOOK_NOTE),
    HOOK(posix_spawnp, posix_spawnp, HOWDAH_HOOK_NOTE),
    HOOK(setlocale, setlocale, HOWDAH_HOOK_NOTE),
    HOOK(textdomain, textdomain, HOWDAH_HOOK_NOTE),
    HOOK_IN(bindtextdomain, bindtextdomain, HOWDAH_HOOK_NOTE, "gettext"),
    HOOK_IN(bind_textdomain_codeset, bind_textdomain_codeset, HOWDAH_HOOK_NOTE, "gettext"),
    HOOK(syslog, syslog, HOWDAH_HOOK_READY),
    HOOK(vsyslog, vsyslog, HOWDAH_HOOK_READY),
    HOOK(__syslog_chk, syslog_chk, HOWDAH_HOOK_READY),
    HOOK(__vsyslog_chk, vsyslog_chk, HOWDAH_HOOK_READY),
    HOOK(openlog, openlog, HOWDAH_HOOK_NOTE),
    HOOK(closelog, closelog, HOWDAH_HOOK_NOTE),
    HOOK(sigprocmask, sigprocmask, HOWDAH_HOOK_NOTE),
    HOOK(pthread_sigmask, pthread_sigmask, HOWDAH_HOOK_NOTE),
    HOOK(putenv, putenv, HOWDAH_HOOK_NOTE),
    HOOK(setenv, setenv, HOWDAH_HOOK_NOTE),
    HOOK(unsetenv, unsetenv, HOWDAH_HOOK_NOTE),
    HOOK(clearenv, clearenv, HOWDAH_HOOK_NOTE),
    HOOK(dlopen, dlopen, HOWDAH_HOOK_NOTE),
    HOOK_IN(exit, php_exit, HOWDAH_HOOK_NOTE, "libphp"),
    HOOK_IN(_exit, php_exit_now, HOWDAH_HOOK_NOTE, "libphp"),
    HOOK_IN(zend_mm_delayed_error_or_panic, memory_panic, HOWDAH_HOOK_NOTE, "libphp"),
    HOOK(exit, exit, HOWDAH_HOOK_NOTE),
    HOOK(_exit, exit_now, HOWDAH_HOOK_NOTE),
    HOOK(_Exit, exit_now, HOWDAH_HOOK_NOTE),
    HOOK(quick_exit, quick_exit, HOWDAH_HOOK_NOTE),
    HOOK(pthread_exit, thread_exit, HOWDAH_HOOK_NOTE),
    HOOK_IN(free, free, HOWDAH_HOOK_NOTE, "libphp"),
    HOOK_IN(mmap, mmap, HOWDAH_HOOK_NOTE, "libphp"),
    HOOK_IN(mmap64, mmap, HOWDAH_HOOK_NOTE, "libphp"),
    HOOK_IN(munmap, munmap, HOWDAH_HOOK_NOTE, "libphp"),
    HOOK_OF(sqlite3_open_v2, sqlite_open, "sqlite3"),
    HOOK_OF(sqlite3_open_v2, sqlite_open, "pdo_sqlite"),
    HOOK_OF(MagickSetResourceLimit, magick_limit, "imagick"),
    HOOK_OF(MagickSetResourceLimit, magick_limit, "gmagick"),
    HOOK_OF(SetMagickResourceLimit, magick_own_limit, "imagick"),
    HOOK_OF(SetImageRegistry, magick_text, "imagick"),
    /* icu::TimeZone::createDefault() of Debian 12's ICU and of Debian 13's. */
    HOOK_OF(_ZN6icu_728TimeZone13createDefaultEv, icu_zone, "intl"),
    HOOK_OF(_ZN6icu_768TimeZone13createDefaultEv, icu_zone, "intl"),
    HOOK_IN(dlclose, ffi_dlclose, HOWDAH_HOOK_NOTE, "ffi"),
    HOOK_IN(mdb_env_open, mdb_env_open, HOWDAH_HOOK_TIMER, "dba"),
    HOOK_IN(mdb_env_close, mdb_env_close, HOWDAH_HOOK_NOTE, "dba"),
    {"PQgetResult", (void *)howdah_hook_pq_get_result, (void **)&howdah_real_pq_get_result, HOWDAH_HOOK_NOTE, "pgsql", NULL,
     NULL},
    {"socket", NULL, (void **)&howdah_real_socket, HOWDAH_HOOK_NOTE, NULL, (void *)howdah_hook_nginx_socket, NULL},
    {NULL, NULL, NULL, HOWDAH_HOOK_NOTE, NULL, NULL, NULL},
};

/* Libraries start threads of their own (librdkafka, gRPC): theirs never park. */
static __thread bool is_loop_thread;

/* In a child that a library forks (mail programs, mongocryptd) in a coroutine: it must not park, for the loop and its epoll set are the
 * parent's. It gets the original functions and, in general, another program soon. vfork() and posix_spawn() do not come here and
 * need not: what they run before the other program does not wait. */
static void in_forked_child(void) {
  is_loop_thread = false;
  howdah_condition_forget();
  howdah_pipes_in_child();
  howdah_spawn_in_child();
}

void howdah_hooks_attach(void) {
  static bool registered;
  is_loop_thread = true;
  howdah_held_attach();
  if (!registered) registered = pthread_atfork(howdah_spawn_before_fork, howdah_spawn_after_fork, in_forked_child) == 0;
}

bool howdah_hooks_are_ours(void) {
  return is_loop_thread;
}

bool howdah_hooks_in_realm(void) {
  return is_loop_thread && howdah_coroutine_current();
}

howdah_process_state *howdah_hooks_process_state(void) {
  if (!howdah_hooks_in_realm()) return NULL;
  howdah_process_state *state = &howdah_coroutine_current()->state->process;
  state->touched = true;
  return state;
}

/* Which coroutine runs is the loop's thread's to read. */
bool howdah_hooks_may_park(void) {
  const howdah_coroutine *coroutine = is_loop_thread ? howdah_coroutine_current() : NULL;
  return coroutine && coroutine->hooks_off == 0;
}
