/* What the finders of hidden state share: searching libphp's memory with a lever, a scratch request, messages.
 * Everything here runs in the forked child of howdah_hidden_find(). */
#ifndef HOWDAH_STATE_HIDDEN_PROBE_H
#define HOWDAH_STATE_HIDDEN_PROBE_H

#include "../php_headers.h"
#include "../segments.h"
#include "../version.h"
#include "hidden.h"

#include <string.h>

enum { HOWDAH_ITEMS_MAX = 96, HOWDAH_SHARED_MAX = 256 };

typedef struct {
  howdah_hidden items[HOWDAH_ITEMS_MAX];
  size_t items_count;
  howdah_shared shared[HOWDAH_SHARED_MAX];
  size_t shared_count;
  char error[512];         /* empty while all is well */
  howdah_segments library; /* libphp's */
} howdah_probe;

/* Something that can be moved and leaves a trace. */
typedef struct {
  const char *what; /* "PHP's garbage collector": for messages */
  size_t width;     /* of the value looked for, which is aligned to it: 1, 4 or 8 */
  int steps;
  howdah_segments *memory; /* where it is looked for; NULL: libphp's */
  bool optional;           /* that nothing moves is no failure */
  /* Moves the lever; false after howdah_probe_fail(). */
  bool (*move)(howdah_probe *probe, int step, void *data);
  /* Could this be the value, now that the lever is at this step? before: the same place before the first step. */
  bool (*holds)(const void *now, const void *before, int step, void *data);
  /* Asked of the few places that are left; may move the lever, must put it back. NULL: the steps tell enough. */
  bool (*confirm)(void *place, void *data);
  void *data;
} howdah_lever;

/* The one place that moved with the lever, or NULL after howdah_probe_fail() (which did not run where the lever is optional and
 * no place moved). */
void *howdah_probe_search(howdah_probe *probe, const howdah_lever *lever);

/* Notes "howdah: cannot find <what> in libphp8.2.so (PHP 8.2.36): <why>; ...". Returns false. The first message stays. */
bool howdah_probe_fail(howdah_probe *probe, const char *what, const char *why, ...) __attribute__((format(printf, 3, 4)));
bool howdah_probe_add(howdah_probe *probe, howdah_hidden item);
bool howdah_probe_add_shared(howdah_probe *probe, howdah_shared item);

/* Ends the scratch request and starts a fresh one. */
bool howdah_probe_new_request(howdah_probe *probe);
/* Runs PHP code in the scratch request; result may be NULL, otherwise it is the value of `return`. */
bool howdah_probe_eval(howdah_probe *probe, const char *code, zval *result);
/* Calls a function of an extension, also one that disable_functions took away. */
bool howdah_probe_call(howdah_probe *probe, const char *function, uint32_t count, zval *arguments, zval *result);

zend_ini_entry *howdah_probe_ini(const char *name);
/* By its name in small letters, as in module_registry. */
zend_module_entry *howdah_probe_module(const char *name);
/* A function of a library that this extension (by the same name) brought along, wherever the extension was linked into; NULL:
 * it has none. Not for probes alone: a realm's death may ask. */
void *howdah_probe_function(const char *module, const char *name);
/* May this memory be read? For pointers that are only guessed to be one. */
bool howdah_probe_readable(const void *address, size_t size);
/* Is this place in an exported global, a module's globals, or an item that was found already? */
bool howdah_probe_is_known(const howdah_probe *probe, const char *place);
/* Is this a HashTable with so many elements? */
bool howdah_probe_is_table(const void *address, uint32_t elements);

/* The finders: false after howdah_probe_fail(). One per file. */
bool howdah_find_zend(howdah_probe *probe);
/* Last: it takes PHP's observers away. */
bool howdah_find_observer(howdah_probe *probe);
bool howdah_find_spl(howdah_probe *probe);
bool howdah_find_standard(howdah_probe *probe);
bool howdah_find_filter(howdah_probe *probe);
bool howdah_find_pcre(howdah_probe *probe);
bool howdah_find_opcache(howdah_probe *probe);
bool howdah_find_jit(howdah_probe *probe);
bool howdah_find_libxml(howdah_probe *probe);
bool howdah_find_soap(howdah_probe *probe);
bool howdah_find_gd(howdah_probe *probe);
bool howdah_find_iptc(howdah_probe *probe);
bool howdah_find_uri(howdah_probe *probe);
/* Notes what realms share on purpose and no other finder met. */
bool howdah_find_shared(howdah_probe *probe);
/* Notes what constructors of module globals touch beside these. */
bool howdah_find_constructors(howdah_probe *probe);
/* Notes what the first object of a class makes once. */
bool howdah_find_objects(howdah_probe *probe);
/* After all that look for something certain. */
bool howdah_find_touched(howdah_probe *probe);

#endif
