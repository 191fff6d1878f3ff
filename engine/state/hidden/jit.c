/* Hidden state of opcache's JIT: jit_globals (ext/opcache/jit/zend_jit.h).
 *
 * Private: the directives, which ini_set() may change, and whether this realm is recording a trace, which it may be while it
 * waits. Shared, as the compiled code is: the roots that did not become traces, the counters of exits, the hot counters. A
 * thread under ZTS has the first two of its own; they are guesses about the code, never about its data. What a compilation uses
 * is in none of these. */
#include "probe.h"

#include <stddef.h>

typedef struct {
  howdah_jit_head *head;
  howdah_jit_tail *tail;
  howdah_jit_roots *roots;
} jit;

static bool locate(jit *globals) {
  zend_ini_entry *first = howdah_probe_ini("opcache.jit"), *entry;
  if (!first || !first->mh_arg2 || (size_t)first->mh_arg1 != sizeof(howdah_jit_head)) return false;
  char *base = first->mh_arg2;
  size_t end = 0;
  ZEND_HASH_FOREACH_PTR(EG(ini_directives), entry) {
    if (entry->mh_arg2 == base && (size_t)entry->mh_arg1 + sizeof(zend_long) > end)
      end = (size_t)entry->mh_arg1 + sizeof(zend_long);
  }
  ZEND_HASH_FOREACH_END();
  globals->head = (void *)base;
  globals->tail = (void *)(base + end);
  globals->roots = (void *)(globals->tail + 1);
  return howdah_probe_readable(base, (size_t)((char *)(globals->roots + 1) - base));
}

static bool directives_agree(const jit *globals) {
  static const char *const longs[] = {"opcache.jit_max_root_traces",   "opcache.jit_max_side_traces",
                                      "opcache.jit_max_exit_counters", "opcache.jit_hot_loop",
                                      "opcache.jit_hot_func",          "opcache.jit_max_polymorphic_calls"};
  for (size_t i = 0; i < sizeof(longs) / sizeof(*longs); i++) {
    zend_ini_entry *entry = howdah_probe_ini(longs[i]);
    if (!entry || entry->mh_arg2 != (void *)globals->head) return false;
    if (*(zend_long *)((char *)globals->head + (size_t)entry->mh_arg1) != zend_ini_long(longs[i], strlen(longs[i]), 0))
      return false;
  }
  return true;
}

/* What a request's start does to a recording that was left: it ends it where traces are what is compiled, and only there. */
static bool recording_ends(howdah_probe *probe, const jit *globals) {
  howdah_jit_head before = *globals->head;
  bool right = true;
  for (uint8_t trigger = 0; trigger <= 5; trigger += 5) {
    globals->head->on = true;
    globals->head->trigger = trigger;
    globals->tail->tracing = true;
    right = right && howdah_probe_new_request(probe) && globals->tail->tracing == (trigger != 5);
  }
  globals->tail->tracing = false;
  *globals->head = before;
  return right;
}

static bool rest_agrees(howdah_probe *probe, const jit *globals) {
  const howdah_jit_tail *tail = globals->tail;
  const howdah_jit_roots *roots = globals->roots;
  size_t counters = (size_t)zend_ini_long("opcache.jit_max_exit_counters", strlen("opcache.jit_max_exit_counters"), 0);
  return !tail->tracing && !tail->current_trace && !tail->current_frame && roots->slot < 64 && roots->exit_counters &&
         howdah_probe_readable(roots->exit_counters, counters) && recording_ends(probe, globals);
}

bool howdah_find_jit(howdah_probe *probe) {
  static const char source[] = "ext/opcache/jit/zend_jit.h", what[] = "the globals of opcache's JIT";
  jit globals;
  /* Not every build of opcache has one. */
  if (!howdah_probe_ini("opcache.jit")) return true;
  if (!locate(&globals) || !directives_agree(&globals))
    return howdah_probe_fail(probe, what, "its ini entries do not point into them as in ext/opcache/zend_accelerator_module.c");
  size_t size = (size_t)((char *)(globals.tail + 1) - (char *)globals.head);
  if (!globals.head->enabled) {
    howdah_shared off = {
        .name = "jit_globals", .address = globals.head, .size = size, .source = source, .reason = "the JIT is off"};
    return howdah_probe_add_shared(probe, off);
  }
  if (!rest_agrees(probe, &globals))
    return howdah_probe_fail(probe, what, "they do not follow a request as in ext/opcache/jit/zend_jit_trace.c");
  howdah_hidden item = {.name = "jit_globals", .address = globals.head, .size = size, .source = source};
  howdah_shared roots = {.name = "jit_globals.bad_root_cache_opline",
                         .address = globals.roots,
                         .size = sizeof(*globals.roots),
                         .source = source,
                         .reason = "about the compiled code, which realms share"};
  return howdah_probe_add(probe, item) && howdah_probe_add_shared(probe, roots);
}
