/* The record locks (fcntl(2), "Advisory record locking") that this process holds, so that no neighbour takes them away.
 *
 * The kernel knows one owner, the process, and drops all of its locks on a file when the process closes any descriptor of it.
 * php-fpm's requests are processes of their own and do not meet; realms do: one that reads a database with file_get_contents()
 * would open it to writers of other processes while a neighbour is in the middle of a transaction.
 *
 * Invariants:
 *  1. Each realm is an owner of its own. Locks of realms keep each other out as those of processes do.
 *  2. A library that keeps a pointer to fcntl() in a table of its own calls for the process: that is SQLite, which knows that
 *     its locks are the process's and keeps its connections apart by itself (unixInodeInfo, src/os_unix.c, 3.40).
 *  3. A lock ends when its owner gives it up, when the descriptor is closed through which it was taken, or with its realm;
 *     never by another close. What must not be closed while somebody holds an exclusive lock stays open, unknown to the
 *     program, until it may be.
 *  4. The table follows the kernel: before it refuses something, it asks. A close that no hook has seen leaves no lock behind
 *     for ever.
 *
 * Any thread may call these; none yields. In a child, which has no record locks, they do what the C library does. */
#ifndef HOWDAH_HOOKS_HELD_H
#define HOWDAH_HOOKS_HELD_H

#include "ranges.h"

#include <fcntl.h>

/* In a worker, before anything else here: its locks are its own. */
void howdah_held_attach(void);
/* F_SETLK. 0, or -1 with errno: EAGAIN where somebody else has it, with *inside where that is an owner in this process. */
int howdah_held_change(int fd, const struct flock *lock, int64_t owner, bool *inside);
/* F_GETLK. 0, or -1 with errno. A lock of another owner in this process has the process's id, and *holder
 * becomes that owner, where holder is not NULL. */
int howdah_held_test(int fd, struct flock *lock, int64_t owner, int64_t *holder);
/* A realm that had this number is no more. */
void howdah_held_gone(int64_t owner);

/* What became of a descriptor that was to be closed. */
typedef enum { HOWDAH_CLOSED, HOWDAH_KEPT, HOWDAH_REFUSED } howdah_closing;
/* Calls really(what), which closes the descriptor, in such a way that others keep their locks; *result is what it has returned.
 * HOWDAH_KEPT: it was not called, because somebody has an exclusive lock; the descriptor is closed later, and is nobody's any
 * more. HOWDAH_REFUSED in its place where may_keep is false: nothing has happened. */
howdah_closing howdah_held_close(int fd, bool may_keep, int (*really)(void *what), void *what, int *result);
/* Before a file is opened: one that HOWDAH_KEPT tells of, opened in the same way, at its beginning; -1: there is none. So who
 * reads a file again and again while somebody has an exclusive lock on it needs no more descriptors each time. Keeps errno. */
int howdah_held_open_again(int folder, const char *path, int flags);

#endif
