/* opcache's key of a file that is about to be included, ext/opcache/ZendAccelerator.c: built in one buffer of the process (32
 * KB) from the file's name, the folder and the include path. Then opcache looks for the file, which may run PHP code (a stream
 * wrapper's url_stat(), stream_open() or stream_stat(), an error handler), and at last files the script under the key, for all
 * workers. So the key is the realm's: with a neighbour's key there, one application's include_once would run another's file
 * until opcache restarts.
 *
 * Too much for every switch; but only what is used of the buffer counts, and few names leave anything there: absolute ones are
 * their own key.
 *
 * Invariant: while a realm is in place, the buffer holds its key, or nothing. */
#ifndef HOWDAH_STATE_OPCACHE_KEY_H
#define HOWDAH_STATE_OPCACHE_KEY_H

#include <stdbool.h>
#include <stddef.h>

/* What is aside while another realm is in place. */
typedef struct {
  char *bytes; /* as they are in the buffer: a zend_string */
  size_t room;
  size_t size; /* 0: no key */
  bool lost;   /* there was no memory for it */
} howdah_opcache_key;

/* Where the buffer is (state/hidden/opcache.c); once, after the hidden state was found. */
void howdah_opcache_key_start(void);
/* Going from one realm's to another's, NULL where there is none. */
void howdah_opcache_key_switch(howdah_opcache_key *from, const howdah_opcache_key *to);
/* Not while its realm is in place. */
void howdah_opcache_key_free(howdah_opcache_key *key);

#endif
