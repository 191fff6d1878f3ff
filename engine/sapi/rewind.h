/* Rewind: worker mode in which each request finds the application as it had booted. README.md says
 * what it promises, and what is missing.
 *
 * Invariants:
 *  1. A realm is marked once, in its script's first call of frankenphp_handle_request(), and each later call of its script goes
 *     back there: with all memory and the C stack as they were.
 *  2. What cannot be put back is never put back in part: such an application is not marked, and such a request's realm ends
 *     after it. Both are said in the log. */
#ifndef HOWDAH_SAPI_REWIND_H
#define HOWDAH_SAPI_REWIND_H

#include "sapi.h"

/* Once its script has booted and its pretended request has been left. Returns for each request anew. Where the application
 * cannot be rewound it returns once, and realm->rewind is NULL. */
void howdah_rewind_mark(howdah_realm *realm);
/* In each realm, before it boots. */
void howdah_rewind_prepare(void);
/* Whether all that the request has done can be put back. False: it is its realm's last, which says so in the log, and its
 * script goes on as without rewind. */
bool howdah_rewind_may_go_back(howdah_realm *realm);
/* Runs the destructors of what lives, as at the end of a request: may run PHP code, wait, and bail out. */
void howdah_rewind_destruct(void);
/* Goes back to the mark, and does not return. May run PHP code, wait, and bail out, which it does where it finds only now that
 * the request has changed what is not put back. */
void howdah_rewind_back(howdah_realm *realm);
/* At the realm's end, in its coroutine or where there was none. */
void howdah_rewind_free(howdah_realm *realm);

/* rewindable.c: why the application that has booted cannot be rewound, in words, with what an application could do. False: it
 * can. */
bool howdah_rewind_obstacle(char *why, size_t size);
/* Whether stream_wrapper_register() has made it: memory of the request's heap, all of it (main/streams/userspace.c, 8.2, unchanged
 * in 8.4). */
bool howdah_rewind_is_wrapper(const zend_resource *resource);
/* Whether what frees such objects touches nothing but the request's heap. */
bool howdah_rewind_is_plain(zend_object_free_obj_t free_obj);
/* Tells the settings apart with which mbstring makes a list anew by malloc(), at the address of one that was freed just before
 * (mbstring_internal_encoding_changed_hook(), ext/mbstring/mbstring.c, 8.2.32, unchanged in 8.4.14): the number of their texts.
 * The boot may set them, a request may not. Their entries are the realm's own, and found once. */
enum { HOWDAH_ENCODINGS = 4 };
void howdah_rewind_find_encodings(const zend_ini_entry *entries[HOWDAH_ENCODINGS]);
uint64_t howdah_rewind_encodings(const zend_ini_entry *const entries[HOWDAH_ENCODINGS]);
/* What the request that runs has done that cannot be put back, in words; NULL: nothing known. */
const char *howdah_rewind_spoiled(void);
/* Begins to watch for that. */
void howdah_rewind_watch(void);

#endif
