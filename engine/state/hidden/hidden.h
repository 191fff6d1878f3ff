/* PHP's hidden state: statics that libphp and its extensions do not export, found by their effect, never by an offset.
 *
 * How: a *lever* changes something that is known (an exported function, an ini entry, a line of PHP); the library's writable
 * memory is compared before and after each pull; what is left must be exactly one place, and must then prove itself (README.md
 * lists the levers). In php-src nearly all of these are marked ZEND_TLS: what is a thread's own under ZTS is a realm's own
 * here.
 *
 * Invariants:
 *  1. All probes run in a forked child that ends with them: the caller's memory is only read, a probe that crashes is a message.
 *  2. An item that is not found although its extension is loaded is an error; one whose extension is not loaded is left out.
 *  3. Items do not overlap each other, nor any exported global, nor a module's registered globals. */
#ifndef HOWDAH_STATE_HIDDEN_H
#define HOWDAH_STATE_HIDDEN_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
  const char *name;
  void *address;
  size_t size;
  const char *source; /* where php-src defines it: "ext/spl/php_spl.c" */
  /* What a new realm does beyond copying the bytes that this has after PHP's module startup; NULL: nothing. Called with the
   * realm's state in place and its heap set, outside a request, before its first. When memory is short Zend ends the process,
   * as it does in a constructor of module globals. */
  void (*birth)(void *address);
  /* Frees what birth or the realm's life left in it; after the last request shutdown, otherwise as birth. NULL: nothing to
   * free. */
  void (*death)(void *address);
} howdah_hidden;

/* Fills found[] with what must be private to each realm. Once, after php_module_startup() and before the first request; the
 * SAPI's functions are not called. Returns how many, or -1 with a message that names what is missing. */
int howdah_hidden_find(howdah_hidden *found, size_t max, char *error, size_t error_size);

/* Hidden state that realms share on purpose; for the audit. */
typedef struct {
  const char *name;
  void *address;
  size_t size;
  const char *source;
  const char *reason;
} howdah_shared;

#define HOWDAH_HIDDEN_BROWSCAP "browscap_globals"
/* A bool, among what is shared: the process holds the write lock of opcache's memory. */
#define HOWDAH_SHARED_OPCACHE_LOCKED "accel_globals.locked"
#define HOWDAH_HIDDEN_OPCACHE_KEY    "accel_globals.key"

/* For the audit, after howdah_hidden_find(): adds what realms share because it does not matter, found by running code that
 * touches it. -1 with a message when some of it could not be looked for (the audit then tells of words that it could explain). */
int howdah_hidden_find_harmless(char *error, size_t error_size);
/* What was met on the way and left shared. */
const howdah_shared *howdah_hidden_shared(size_t *count);

/* An ini entry that writes into memory which nobody declared. */
typedef struct {
  char module[64];
  char entry[96]; /* the first such entry */
  char object[64];
  void *address; /* where that entry writes */
} howdah_undeclared;

/* Looks for structs of extensions that Howdah has never seen: ini entries whose mh_arg2 points into the writable memory of a
 * loaded extension (or of libphp) at an address for which declared() says no. One per struct. Returns how many there are, of
 * which at most max were written; call after the block table is built. */
size_t howdah_hidden_undeclared(bool (*declared)(const void *address), howdah_undeclared *list, size_t max);

#endif
