/* howdah-run --watch: shared by its files. */
#ifndef HOWDAH_RUNNER_WATCH_H
#define HOWDAH_RUNNER_WATCH_H

#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct {
  pid_t parent;
  const char *root;
  const char *ignored; /* "name\n..." or "/path\n..." below the root */
} runner_watch_of;

extern runner_watch_of runner_watched;

/* ---- watch.c ---- */

bool runner_watch_ignores(const char *path, const char *name);
/* Ends the process when nobody reads it any more. */
void runner_watch_tell(const char *path, bool is_folder);
/* At the end of what was heard together. */
void runner_watch_told(void);
/* Ends the process when the parent has gone. */
void runner_watch_pause(uint64_t ms);
/* False where it does not fit (path has PATH_MAX bytes): nobody opens such a file. */
bool runner_watch_join(char *path, const char *folder, const char *name);
bool runner_watch_is_dots(const char *name);

/* ---- inotify.c ---- */

/* Looks at all folders once. NULL, or why the kernel does not tell of changes: "instances", "limit". */
const char *runner_inotify_begin(void);
size_t runner_inotify_folders(void);
/* Returns when the kernel watches no more folders. */
void runner_inotify_listen(void);
void runner_inotify_end(void);

/* ---- polling.c ---- */

void runner_poll_for_ever(void);

#endif
