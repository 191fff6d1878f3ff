/* Before a reload: do the worker scripts boot? nginx keeps its workers where a configuration is refused while it is read, and
 * only then.
 *
 * A child of the master tries, as the user of the workers and with their environment. The master waits: it has its signals
 * blocked (ngx_master_process_cycle(), os/unix/ngx_process_cycle.c, 1.22), so nobody else reaps the child. */
#include "module.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

enum { END_LIMIT_MS = 10000, LOOK_MS = 10 };

/* As ngx_worker_process_init(). "user" has its default only later, when the whole file is read. */
static bool become_worker_user(const ngx_core_conf_t *core) {
  if (geteuid() != 0) return true;
  uid_t user = core->user;
  gid_t group = core->group;
  const char *name = core->username;
  if (core->user == (ngx_uid_t)NGX_CONF_UNSET_UINT) {
    const struct passwd *known = getpwnam(NGX_USER);
    const struct group *known_group = getgrnam(NGX_GROUP);
    if (!known || !known_group) return false;
    user = known->pw_uid;
    group = known_group->gr_gid;
    name = NGX_USER;
  }
  return setgid(group) == 0 && initgroups(name, group) == 0 && setuid(user) == 0;
}

/* A trial without a master is of no use. After become_worker_user(): a change of the user takes this back (commit_creds(),
 * kernel/cred.c, Linux 6.1). */
static bool die_with(pid_t master) {
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0) return false;
  if (getppid() != master) raise(SIGKILL);
  return true;
}

/* The child. Its exit status is 0 when all of them boot. */
static int try_scripts(ngx_cycle_t *cycle, const howdah_main_conf *conf, pid_t master) {
  const ngx_core_conf_t *core = (const ngx_core_conf_t *)ngx_get_conf(cycle->conf_ctx, ngx_core_module);
  char error[1024] = "";
  sigset_t none;
  sigemptyset(&none);
  ngx_pid = ngx_getpid(); /* which its log lines begin with */
  if (!ngx_set_environment(cycle, NULL) || !become_worker_user(core) || !die_with(master) ||
      signal(SIGCHLD, SIG_DFL) == SIG_ERR || sigprocmask(SIG_SETMASK, &none, NULL) < 0) {
    ngx_log_error(NGX_LOG_EMERG, cycle->log, ngx_errno,
                  "howdah: the worker scripts cannot be tried as a worker would run them");
    return 1;
  }
  howdah_loop *loop = howdah_epoll_loop_new();
  if (!loop || howdah_engine_attach(loop, error, sizeof error) < 0) {
    ngx_log_error(NGX_LOG_EMERG, cycle->log, loop ? 0 : ngx_errno, "howdah: the worker scripts cannot be tried: %s", error);
    return 1;
  }
  howdah_slot *const *slots = conf->slots.elts;
  for (ngx_uint_t i = 0; i < conf->slots.nelts; i++) {
    if (slots[i]->options.mode != HOWDAH_WORKER) continue;
    if (howdah_pool_try(&slots[i]->options, loop, error, sizeof error) == 0) continue;
    ngx_log_error(NGX_LOG_EMERG, cycle->log, 0, "%s", error);
    return 1;
  }
  return 0;
}

/* How long all of them may take; 0: there are none. */
static uint64_t find_limit_ms(const howdah_main_conf *conf) {
  howdah_slot *const *slots = conf->slots.elts;
  uint64_t limit_ms = 0;
  for (ngx_uint_t i = 0; i < conf->slots.nelts; i++)
    if (slots[i]->options.mode == HOWDAH_WORKER) limit_ms += slots[i]->options.boot_timeout_ms + END_LIMIT_MS;
  return limit_ms;
}

/* Whether the master was told to stop meanwhile: it has its signals blocked, and would wait for the trial first. */
static bool is_stopping(void) {
  static const int stops[] = {SIGQUIT, SIGTERM, SIGINT}; /* NGX_SHUTDOWN_SIGNAL and NGX_TERMINATE_SIGNAL, and a terminal's */
  sigset_t pending;
  if (sigpending(&pending) < 0) return false;
  for (size_t i = 0; i < sizeof stops / sizeof *stops; i++)
    if (sigismember(&pending, stops[i]) == 1) return true;
  return false;
}

/* 0 when it has ended with 0. One that hangs where nothing can end it is killed, and so is one that nobody needs any more. */
static int await_child(pid_t child, uint64_t limit_ms) {
  uint64_t until_us = howdah_loop_now_us() + limit_ms * 1000;
  int status = 0;
  for (;;) {
    pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child) return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (ended < 0 && errno != EINTR) return -1;
    if (howdah_loop_now_us() > until_us || is_stopping()) break;
    ngx_msleep(LOOK_MS);
  }
  kill(child, SIGKILL);
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return -1;
}

ngx_int_t howdah_try_scripts(ngx_conf_t *cf) {
  const howdah_main_conf *conf = ngx_http_conf_get_module_main_conf(cf, ngx_http_howdah_module);
  uint64_t limit_ms = find_limit_ms(conf);
  if (limit_ms == 0) return NGX_OK;
  pid_t master = getpid(), child = fork();
  if (child < 0) {
    ngx_log_error(NGX_LOG_EMERG, cf->log, ngx_errno,
                  "howdah: fork() failed: the worker scripts cannot be tried before a reload");
    return NGX_ERROR;
  }
  if (child == 0) {
    howdah_top_hide();
    _exit(try_scripts(cf->cycle, conf, master));
  }
  if (await_child(child, limit_ms) == 0) return NGX_OK;
  ngx_log_error(NGX_LOG_EMERG, cf->log, 0,
                "howdah: nothing is reloaded, the workers that there are go on: a worker script did not boot when it was tried "
                "in process %P (above); correct it and reload again",
                child);
  return NGX_ERROR;
}
