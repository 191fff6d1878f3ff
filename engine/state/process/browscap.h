/* The browscap file of one request (howdah_param PHP_ADMIN_VALUE "browscap=FILE"): ext/standard keeps it, and what
 * get_browser() read out of it, in a static of 4 KB. Too much for every switch, and nearly nobody's: a realm that has a file of
 * its own gets it back before its code runs. browscap= in php.ini is read once, at module startup, and shared.
 *
 * Invariant: while no realm that has a file is in place, the static is empty, as at module startup. */
#ifndef HOWDAH_STATE_BROWSCAP_H
#define HOWDAH_STATE_BROWSCAP_H

#include <stdbool.h>

/* What is aside while another realm is in place; NULL: has none. */
typedef struct howdah_browser_data howdah_browser_data;

/* Where the static is (state/hidden/shared.c); once, after the hidden state was found. */
void howdah_browscap_start(void);
/* The realm in place is about to set the file. False when memory is short, or where the static was not found. */
bool howdah_browscap_own(howdah_browser_data **data);
/* After the request's shutdown has freed what it read, or with a heap that is gone: the realm in place has no file any more. */
void howdah_browscap_forget(howdah_browser_data **data);
/* Not while it is in place. */
void howdah_browscap_free(howdah_browser_data **data);
/* Going from one realm's to another's, NULL where there is none. */
void howdah_browscap_switch(howdah_browser_data *from, const howdah_browser_data *to);

#endif
