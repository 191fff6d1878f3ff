/* Sockets whose close waits (SO_LINGER). See linger.c. */
#ifndef HOWDAH_HOOKS_LINGER_H
#define HOWDAH_HOOKS_LINGER_H

/* Before a descriptor is closed: another one for it, so that closing it does not wait; -1 where it would not. Keeps errno. */
int howdah_linger_hold(int fd);
/* Afterwards: closes that other one, which waits as the socket says; -1 is nothing. Keeps errno. Parks. */
void howdah_linger_let_go(int held);

#endif
