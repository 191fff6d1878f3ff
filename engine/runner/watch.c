/* howdah-run --watch: tells which files below a folder change, for `howdah serve --watch`. No PHP is started.
 *
 * A line for each change, "C PATH", with a slash at its end where it is a folder, and at first one that says how it looks: "R
 * inotify FOLDERS" or "R polling REASON". After lines were written the parent gets SIGUSR2. inotify tells nothing of files on
 * other machines, and has a limit of folders for each user: there the tree is looked through again and again. */
#include "runner.h"
#include "watch.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

runner_watch_of runner_watched;
static bool has_told;

static bool is_line(const char *lines, const char *text) {
  size_t len = strlen(text);
  for (const char *at = lines; at && *at; at = strchr(at, '\n') + 1)
    if (strncmp(at, text, len) == 0 && at[len] == '\n') return true;
  return false;
}

bool runner_watch_ignores(const char *path, const char *name) {
  return is_line(runner_watched.ignored, name) || is_line(runner_watched.ignored, path + strlen(runner_watched.root));
}

/* One line each, whatever the name: what a terminal would obey is left out. */
void runner_watch_tell(const char *path, bool is_folder) {
  fputs("C ", stdout);
  for (const char *at = path; *at; at++)
    putchar((unsigned char)*at < ' ' || *at == 127 ? '?' : *at);
  puts(is_folder ? "/" : "");
  has_told = true;
}

static void tell_how(const char *how, const char *detail) {
  printf("R %s %s\n", how, detail);
  has_told = true;
}

static void end_if_alone(void) {
  if (getppid() != runner_watched.parent) exit(1);
}

void runner_watch_told(void) {
  if (!has_told) return;
  has_told = false;
  end_if_alone();
  if (fflush(stdout) != 0) exit(1);
  kill(runner_watched.parent, SIGUSR2);
}

void runner_watch_pause(uint64_t ms) {
  struct timespec pause = {.tv_sec = (time_t)(ms / 1000), .tv_nsec = (long)(ms % 1000) * 1000000};
  nanosleep(&pause, NULL);
  end_if_alone();
}

bool runner_watch_join(char *path, const char *folder, const char *name) {
  return snprintf(path, PATH_MAX, "%s/%s", folder, name) < PATH_MAX;
}

bool runner_watch_is_dots(const char *name) {
  return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* Of statfs(2), and of the kernel's magic.h: what another machine, or the host of this one, writes to is not told of. */
static bool is_remote(const char *path) {
  static const uint32_t types[] = {
      0x6969 /* NFS */,    0x517b /* SMB */,      0xfe534d42 /* SMB 2 */, 0xff534d42 /* CIFS */,
      0x01021997 /* 9P */, 0x65735546 /* FUSE */, 0x00c36400 /* Ceph */,  0x786f4256 /* VirtualBox */,
      0x6a656a63 /* virtiofs */};
  struct statfs system;
  if (statfs(path, &system) < 0) return false;
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if ((uint32_t)system.f_type == types[i]) return true;
  return false;
}

static const char *why_to_poll(const runner_options *options) {
  if (options->poll) return "wanted";
  if (is_remote(runner_watched.root)) return "remote";
  return runner_inotify_begin();
}

int runner_watch(const runner_options *options) {
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  signal(SIGPIPE, SIG_IGN);
  runner_watched =
      (runner_watch_of){.parent = getppid(), .root = options->script, .ignored = options->ignored ? options->ignored : ""};
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const char *reason = why_to_poll(options);
  if (!reason) {
    char folders[24];
    snprintf(folders, sizeof folders, "%zu", runner_inotify_folders());
    tell_how("inotify", folders);
    runner_watch_told();
    runner_inotify_listen();
    reason = "limit";
    runner_watch_tell(runner_watched.root, true); /* something may have changed meanwhile */
  }
  runner_inotify_end();
  tell_how("polling", reason);
  runner_poll_for_ever();
  return 0;
}
