/* Closing a descriptor of a file of which only shared record locks are held: locks of open files (F_OFD_SETLK), which no close
 * of another descriptor takes away, stand for them in the meantime, so that no other process gets in between. For held.c; none
 * of these yields. */
#ifndef HOWDAH_HOOKS_BRIDGE_H
#define HOWDAH_HOOKS_BRIDGE_H

#include "ranges.h"

/* Asks the kernel for a lock (F_RDLCK, F_WRLCK), or to give it up (F_UNLCK). 0, or -1 with errno. */
int howdah_bridge_ask(int fd, int command, short type, off_t first, off_t last);
/* Whether the lock outlives the close of that descriptor (-1: none is closed). */
bool howdah_bridge_carries(const howdah_range *range, int closing);
/* Before the close. false: one of the locks is exclusive, or its file system has no locks of open files; nothing has changed. */
bool howdah_bridge_build(const howdah_ranges *ranges, int closing);
/* After it: the process's own locks again. */
void howdah_bridge_cross(const howdah_ranges *ranges, int closing);

#endif
